"""`mosaic league A B C`: operators meet in every seat of one environment; ratings and a cross table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, write_json
from mosaic.cli.play import parameters_of, shared_options
from mosaic.cli.progress import Passing
from mosaic.cli.table import Column, render
from mosaic.cli.versus import played
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from mosaic.analysis.ratings import Rating
    from mosaic.app.leagues import Standing
    from mosaic.app.playing import Asked
    from mosaic.app.rating import League, Meeting
    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot

__all__ = ["league_command"]

_RATINGS = (
    Column("#", right=True),
    Column("PLAYER", flexible=True),
    Column("OPERATOR", flexible=True, optional=True),
    Column("ELO, 95 %", right=True),
    Column("GAMES", right=True),
    Column("WON", right=True),
    Column("DRAWN", right=True),
    Column("LOST", right=True),
)
_PAIR = 2


@click.command("league")
@click.argument("operators", nargs=-1, metavar="A B [C…] [env.KEY=VALUE | op.KEY=VALUE]...")
@click.option("--env", "env_id", metavar="ID", help="A PettingZoo module with several agents.")
@click.option("--games", type=click.IntRange(min=1), metavar="N",
              help="Games of each pair, rounded up so that seats are fair; 20 by default.")  # fmt: skip
@click.option("--seeds", metavar="1-20", help="Instead: every seating with each of these seeds.")
@click.option("--parallel", is_flag=True, help="An environment whose agents all act at once.")
@shared_options
@click.option("--resume", metavar="RUN", help="Of a league that was cut short: play the games left.")
@options.json_option
def league_command(
    *,
    operators: tuple[str, ...],
    env_id: str | None,
    games: int | None,
    seeds: str | None,
    parallel: bool,
    max_steps: int | None,
    on_failure: str,
    deadline_secs: float,
    python: str | None,
    name: str,
    tags: tuple[str, ...],
    resume: str | None,
    as_json: bool,
) -> int:
    """Rate operators by games against each other.

    Every two meet in both seats, with shared seeds; in an environment of more agents every group as large as
    the environment, everybody in every seat. The higher return wins. At the end a table shows the ratings
    (Bradley-Terry on the Elo scale, with 95 % intervals), another who won against whom. The whole league is
    one run, so `mosaic replay last --all --verify` covers it; --resume plays what is left of one that was
    cut short, and no game twice. Operators are written as for `mosaic play`.

    \b
    Example:
      mosaic league last:best random python:mind.py --env pettingzoo.classic.connect_four_v3
      mosaic league random noop --env pettingzoo.classic.tictactoe_v3 --games 50 --json
      mosaic league --resume last
    """
    from mosaic.app import leagues, training

    root = options.root()
    if resume is not None:
        if operators or env_id or games or seeds or parallel or max_steps or python:
            raise click.UsageError("the league's run says who plays what: leave out all but --resume RUN")
        plan = _left(root, resume)
        if plan is None:
            _tell(leagues.standing_of(root, resume), as_json=as_json)
            return 0
    else:
        who = [word for word in operators if not word.startswith(("env.", "op."))]
        if len(who) < _PAIR:
            example = "mosaic league last random --env pettingzoo.classic.connect_four_v3"
            raise click.UsageError(f"a league takes two operators or more, such as: {example}")
        if not env_id:
            raise click.UsageError("where do they meet? Add --env pettingzoo.classic.connect_four_v3")
        if games and seeds:
            raise click.UsageError("--seeds says which games are played: leave out --games")
        asked: Asked = {
            "parameters": parameters_of([word for word in operators if word.startswith(("env.", "op."))]),
            "parallel": parallel,
            "max_steps": max_steps,
            "on_failure": on_failure,
            "deadline_secs": deadline_secs,
        }
        if seeds:
            asked["seeds"] = training.seeds_of(seeds)
        with Passing() as passing:
            passing("checking that it can work …")
            interpreter = str(Path(python).absolute()) if python else None
            plan = leagues.plan(
                root,
                env_id,
                who,
                games=games,
                python=interpreter,
                say=lambda text: note(f"mosaic: {text}"),
                **asked,
            )
    run_id, code = played(root, plan, said=_announced(plan), name=name, tags=tags)
    if code:
        if code != UsageError.exit_code:
            note(f"mosaic: to play the games that are left: mosaic league --resume {run_id}")
        return code
    _tell(leagues.standing_of(root, run_id), as_json=as_json)
    return 0


def _left(root: DataRoot, text: str) -> Plan | None:
    from mosaic.app import leagues

    standing = leagues.standing_of(root, text)
    plan = leagues.rest_of(root, standing)
    if plan is None:
        note(f"mosaic: nothing is left: all {standing.league.planned} games were played")
    else:
        note(f"mosaic: {len(standing.league.games)} of {standing.league.planned} games were played before")
    return plan


def _announced(plan: Plan) -> str:
    from mosaic.app.rating import schedule

    session = plan.job.session
    assert session is not None  # noqa: S101  (a league is one)
    left = len(schedule(session)) - session.games_before
    return f"{', '.join(session.seats)} on {plan.job.env_id}, {left} games"


def _tell(standing: Standing, *, as_json: bool) -> None:
    league = standing.league
    operators = {name: seat.name for name, seat in standing.session.seats.items()}
    if as_json:
        write_json({"runs": [row.run_id for row in standing.runs], **_as_json(league, operators)})
        return
    lines = []
    order = [one.player for group in league.ratings.groups for one in group.ratings]
    for group in league.ratings.groups:
        rows = [_rating_cells(one, order, operators) for one in group.ratings]
        lines += [*render(_RATINGS, rows, cells=cells()), ""]
    sys.stdout.write("\n".join([*lines, *_cross_lines(league, order)]) + "\n")
    for text in _remarks(league):
        note(f"mosaic: {text}")


def _rating_cells(one: Rating, order: list[str], operators: dict[str, str]) -> list[str]:
    interval = "" if one.interval is None else f" [{one.interval.low:.0f}, {one.interval.high:.0f}]"
    counts = (one.games, one.wins, one.draws, one.losses)
    rank = str(order.index(one.player) + 1)
    return [rank, one.player, operators[one.player], f"{one.elo:.0f}{interval}", *map(str, counts)]


def _cross_lines(league: League, order: list[str]) -> list[str]:
    """Who won against whom: each row's wins, draws and losses against the player of the column's number."""
    found: dict[tuple[str, str], str] = {}
    for one in league.meetings:
        found[one.first, one.second] = f"{one.wins}-{one.draws}-{one.losses}"
        found[one.second, one.first] = f"{one.losses}-{one.draws}-{one.wins}"
    numbers = [Column(f"AGAINST {at}" if at == 1 else str(at), right=True) for at in range(1, len(order) + 1)]
    columns = (Column("#", right=True), Column("PLAYER", flexible=True), *numbers)
    rows = [
        [str(at), player, *(found.get((player, other), "·" if player == other else "-") for other in order)]
        for at, player in enumerate(order, 1)
    ]
    return render(columns, rows, cells=cells())


def _remarks(league: League) -> list[str]:
    """What a reader of the tables must know to believe neither too much nor too little."""
    said = []
    if any(len(met.seating) > _PAIR for met in league.games):
        said.append("a game of several counts as one between each two of them")
    if cut := sum(not met.ended for met in league.games):
        said.append(f"{cut} games reached the limit of steps: judged by the returns until then")
    alike = [one for one in league.meetings if one.alike]
    if alike:
        said.append(
            f"{_pairs_of(alike)}: with the same seats every game went the same way, whatever the seed. "
            "More of them say no more, and the interval is too narrow; checkpoints draw with op.sample=true"
        )
    if not cut and league.meetings and all(one.wins == one.losses == 0 for one in league.meetings):
        said.append("every game was drawn: the environment may give all its agents the same reward")
    return said


def _pairs_of(meetings: list[Meeting]) -> str:
    shown = [f"{one.first} and {one.second}" for one in meetings[:3]]
    return ", ".join(shown) + (f" and {len(meetings) - 3} pairs more" if len(meetings) > 3 else "")


def _as_json(league: League, operators: dict[str, str]) -> dict[str, Any]:
    def rating(one: Rating) -> dict[str, Any]:
        return {
            "player": one.player,
            "operator": operators[one.player],
            "elo": one.elo,
            "interval": None if one.interval is None else [one.interval.low, one.interval.high],
            "games": one.games,
            "wins": one.wins,
            "draws": one.draws,
            "losses": one.losses,
        }

    return {
        "players": list(league.players),
        "groups": [[rating(one) for one in group.ratings] for group in league.ratings.groups],
        "resamples": league.ratings.resamples,
        "seed": league.ratings.seed,
        "meetings": [one._asdict() for one in league.meetings],
        "planned": league.planned,
        "games": [one._asdict() for one in league.games],
    }
