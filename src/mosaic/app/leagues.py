"""A league: operators that meet in every seat of an environment of several agents. All of it is one run.

Plans one, and the rest of one that was cut short: a new run that plays the games left.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from mosaic.analysis.ratings import fair_lineups
from mosaic.app import playing, rating, reading, run_index, starting_points, training
from mosaic.artifacts import trust
from mosaic.errors import UsageError
from mosaic.protocol.runs import ENDED, RunState
from mosaic.protocol.sessions import EVERYBODY
from mosaic.runners.parameters import env_arguments
from mosaic_worker.common.literals import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Unpack

    from mosaic.app.playing import Asked
    from mosaic.app.rating import League
    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic.protocol.sessions import Session

__all__ = ["Standing", "named", "plan", "rest_of", "standing_of"]

_MOST_BYTES = 100_000  # of all seatings; the kernel takes words of 128 KiB, and theirs holds more
_GAMES = 20
_PAIR = 2


class Standing(NamedTuple):
    """How far a league is: its runs, the newest first, and what they came to."""

    runs: tuple[RunRow, ...]
    session: Session
    league: League


def named(who: Sequence[str]) -> dict[str, str]:
    """Operators by a name of its own for each, without secrets; the second of one name is `name#2`."""
    found: dict[str, str] = {}
    for text in who:
        number, name = 1, (bare := playing.shown(text))
        while name in found:
            number += 1
            name = f"{bare}#{number}"
        found[name] = text
    return found


def plan(
    root: DataRoot,
    env_id: str,
    who: Sequence[str],
    *,
    games: int | None = None,
    python: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    **asked: Unpack[Asked],
) -> Plan:
    """Check a league and build its command. Starts nothing but children that try the environment.

    Args:
        root: the data root.
        env_id: a PettingZoo module.
        who: the operators, as people type them.
        games: how many games each group of players has at least; without it, `seeds` says so.
        python: the interpreter the environment runs in.
        say: told what takes its time.
        asked: what else is asked.

    Raises:
        UsageError: it cannot be a league; says why and the way out.
    """
    players = named(who)
    if not playing.is_zoo(env_id):
        raise UsageError(
            f"in a league operators meet, and {env_id} has one actor. Compare them on shared seeds instead: "
            f"mosaic versus {' '.join(who)} --env {env_id}"
        )
    agents = _agents(python or sys.executable, env_id, asked.get("parameters") or {})
    if not agents:
        # The preflight of any session there says why; or which seat's interpreter has the environment.
        trial = playing.plan(root, env_id, {EVERYBODY: who[0]}, python=python, **asked)
        if not trial.ok:
            return trial
        agents = _agents(trial.command[0], env_id, trial.job.parameters)
    if len(agents) < _PAIR:
        raise UsageError(
            f"in a league operators meet, and {env_id} has agents: {', '.join(agents) or 'none'}"
        )
    lineups = fair_lineups(list(players), size=len(agents))
    if "seeds" not in asked:
        asked["seeds"] = range(1, 1 + math.ceil((games or _GAMES) / _games_of_a_group(lineups)))
    asked["seatings"] = [dict(zip(agents, lineup, strict=True)) for lineup in lineups]
    size = len(msgspec.json.encode(asked["seatings"]))
    if size > _MOST_BYTES:
        raise UsageError(
            f"{len(players)} players in {len(agents)} seats make {len(lineups):,} seatings, more than fit "
            f"into a command ({size:,} bytes, at most {_MOST_BYTES:,}). Let fewer meet at a time"
        )
    return playing.plan(root, env_id, players, python=python, say=say, **asked)


def _games_of_a_group(lineups: Sequence[Sequence[str]]) -> int:
    """How many line-ups the players of the first one have."""
    return sum(set(lineup) == set(lineups[0]) for lineup in lineups)


def _agents(python: str, env_id: str, parameters: Mapping[str, Any]) -> list[str]:
    """The environment's agents; empty when it cannot be made."""
    from mosaic.runners.probe import probe

    given = {name: literal(value) if isinstance(value, str) else value for name, value in parameters.items()}
    found = probe(python, env_id=env_id, kwargs=env_arguments(given))
    return found.env.agents if found.env is not None else []


# ---- how far it is ----


def standing_of(root: DataRoot, text: str) -> Standing:
    """How far a league is, by any of its runs.

    Raises:
        RunNotFoundError: there is no such run.
        UsageError: it is not a league.
        StoreError: its record cannot be read.
    """
    row = run_index.find(root, text)
    session = _session_of(root, row)
    if session is None or not session.seatings:
        raise UsageError(
            f"run {row.name or row.run_id} is not a league. Start one with: mosaic league A B --env ID"
        )
    runs = _chain(root, row)
    games = []
    for one in reversed(runs):
        asked = _session_of(root, one)
        assert asked is not None  # noqa: S101  (so it came into the chain)
        finished = one.state is RunState.FINISHED
        games += reading.ask(
            root,
            one.run_id,
            lambda reader, asked=asked, finished=finished: rating.games_of(  # type: ignore[misc]
                reader, asked, finished=finished
            ),
        )
    return Standing(tuple(runs), session, rating.league_of(session, games))


def rest_of(root: DataRoot, standing: Standing) -> Plan | None:
    """A checked session of the games that are left; None when all were played.

    Raises:
        UsageError: it still runs, or was not started here.
    """
    newest = standing.runs[0]
    if newest.state not in ENDED:
        raise UsageError(f"run {newest.run_id} of this league still plays: mosaic stop {newest.run_id} first")
    played = len(standing.league.games)
    if played >= standing.league.planned:
        return None
    if not trust.is_own_run(root, newest.run_id):
        raise UsageError(
            f"run {newest.run_id} was not started here, and its record names the programs that play: start "
            "the league anew with mosaic league A B --env ID"
        )
    job = starting_points.parent_job(root, newest.run_id)
    assert job is not None  # noqa: S101  (its session is in it)
    session = msgspec.structs.replace(standing.session, games_before=played)
    left = msgspec.structs.replace(job, session=session)
    found = training.plan(root, left, python=newest.command[0])
    return msgspec.structs.replace(found, parent=newest.run_id)


def _session_of(root: DataRoot, row: RunRow) -> Session | None:
    job = starting_points.parent_job(root, row.run_id)
    return None if job is None else job.session


def _chain(root: DataRoot, row: RunRow) -> list[RunRow]:
    """The runs of one league, newest first: those that this one went on from, and that went on from it."""
    rows = run_index.rows(root)
    chain = [row]
    while chain[-1].parent is not None and (
        before := [one for one in rows if one.run_id == chain[-1].parent]
    ):
        chain.append(before[0])
    while after := [one for one in rows if one.parent == chain[0].run_id and _is_league(root, one)]:
        chain.insert(0, after[0])
    return chain


def _is_league(root: DataRoot, row: RunRow) -> bool:
    session = _session_of(root, row)
    return session is not None and bool(session.seatings)
