"""`mosaic versus A B`: operators on copies of one environment with shared seeds, and what it came to."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mosaic.app.submitting import parse_tag
from mosaic.cli import options
from mosaic.cli.output import cells, note, write_json
from mosaic.cli.play import parameters_of, shared_options
from mosaic.cli.progress import Passing
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.analysis.bootstrap import Figure
    from mosaic.app.matching import Match, Pair
    from mosaic.app.playing import Asked
    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot

__all__ = ["played", "versus_command"]

_SIDES = (
    Column("SEAT", flexible=True),
    Column("OPERATOR", flexible=True),
    Column("EPISODES", right=True),
    Column("RETURN", right=True),
    Column("IQM, 95 %", right=True),
    Column("LENGTH", right=True),
)
_PAIRS = (
    Column("PAIR", flexible=True),
    Column("DIFFERENCE, 95 %", right=True),
    Column("SEEDS", right=True),
    Column("WON", right=True),
    Column("LOST", right=True),
    Column("TIED", right=True),
    Column("PART AT", flexible=True),
)
_SHOWN_SPLITS = 3


@click.command("versus")
@click.argument("operators", nargs=-1, required=True, metavar="A B [C…] [env.KEY=VALUE | op.KEY=VALUE]...")
@click.option("--env", "env_id", required=True, metavar="ID", help="A Gymnasium id with one actor.")
@click.option(
    "--seeds", default="1-20", show_default=True, metavar="1-20", help="Shared by all: 1-20 or 1,2,3."
)
@shared_options
@options.json_option
def versus_command(
    *,
    operators: tuple[str, ...],
    env_id: str,
    seeds: str,
    max_steps: int | None,
    on_failure: str,
    deadline_secs: float,
    python: str | None,
    name: str,
    tags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare operators on shared seeds.

    Each plays in a copy of the environment of its own, with the same seeds, step by step together. At the end
    a table shows returns, the IQM with its 95 % interval, the paired difference of every two, who won how
    often, and the first step at which their episodes part. The whole match is one run, so
    `mosaic replay last --all --verify` covers it. A and B are written as for `mosaic play`.

    \b
    Example:
      mosaic versus last:best random --env CartPole-v1 --seeds 1-20
      mosaic versus python:a.py python:b.py noop --env FrozenLake-v1 env.is_slippery=false
    """
    from mosaic.app import leagues, playing, training

    who = [word for word in operators if not word.startswith(("env.", "op."))]
    if len(who) < 2:
        raise click.UsageError(
            "a match takes two operators or more, such as: mosaic versus last random --env ID"
        )
    root = options.root()
    asked: Asked = {
        "seeds": training.seeds_of(seeds),
        "parameters": parameters_of([word for word in operators if word.startswith(("env.", "op."))]),
        "copies": True,
        "max_steps": max_steps,
        "on_failure": on_failure,
        "deadline_secs": deadline_secs,
    }
    with Passing() as passing:
        passing("checking that it can work …")
        interpreter = str(Path(python).absolute()) if python else None
        plan = playing.plan(
            root,
            env_id,
            leagues.named(who),
            python=interpreter,
            say=lambda text: note(f"mosaic: {text}"),
            **asked,
        )
    said = f"{' versus '.join(who)} on {env_id}, seeds {seeds}"
    run_id, code = played(root, plan, said=said, name=name, tags=tags)
    if code:
        return code
    _tell(root, run_id, as_json=as_json)
    return 0


def played(root: DataRoot, plan: Plan, *, said: str, name: str, tags: Sequence[str]) -> tuple[str, int]:
    """Start what was planned and stay with it; its run, and the exit code to leave with.

    What it prints goes to stderr, as stdout is for the result. What cannot work starts nothing: no run, and
    the checks that failed are printed.
    """
    from mosaic.app import training
    from mosaic.cli.attend import Attendance
    from mosaic.cli.train import write_checks

    if not plan.ok:
        write_checks(plan.checks)
        return "", UsageError.exit_code
    note(f"mosaic: {said}")
    run_id = training.submit(root, plan, name=name, tags=dict(parse_tag(tag) for tag in tags))
    with redirect_stdout(sys.stderr):
        return run_id, Attendance(root, run_id, say=lambda text: note(f"mosaic: {text}")).stay()


def _tell(root: DataRoot, run_id: str, *, as_json: bool) -> None:
    from mosaic.app import run_index
    from mosaic.app.matching import match_of

    row = run_index.find(root, run_id)
    with Passing() as passing:
        match = options.ask(root, row, lambda reader: match_of(reader, progress=passing))
    if as_json:
        write_json({"run_id": run_id, **_as_json(match)})
        return
    sys.stdout.write("\n".join([*_side_lines(match), "", *_pair_lines(match)]) + "\n")
    for pair in match.pairs:
        for one in pair.paired.unpaired:
            note(f"mosaic: seed {one.seed} of {pair.first} and {pair.second} is left out: {one.why}")


def _side_lines(match: Match) -> list[str]:
    rows = [
        [
            side.seat,
            side.operator,
            str(len(side.episodes)),
            "-" if side.mean is None else f"{side.mean.value:.2f}",
            _figure(side.iqm),
            f"{side.length:.1f}",
        ]
        for side in match.sides
    ]
    return render(_SIDES, rows, cells=cells())


def _pair_lines(match: Match) -> list[str]:
    rows = [
        [
            f"{pair.first} - {pair.second}",
            _figure(pair.paired.mean, signed=True),
            str(len(pair.paired.seeds)),
            str(pair.paired.wins),
            str(pair.paired.losses),
            str(pair.paired.ties),
            _splits(pair),
        ]
        for pair in match.pairs
    ]
    return render(_PAIRS, rows, cells=cells())


def _figure(figure: Figure | None, *, signed: bool = False) -> str:
    if figure is None:
        return "-"
    sign = "+" if signed else ""
    text = f"{figure.value:{sign}.2f}"
    if figure.interval is None:
        return text
    return f"{text} [{figure.interval.low:{sign}.2f}, {figure.interval.high:{sign}.2f}]"


def _splits(pair: Pair) -> str:
    """The first few: the seed, the step, and the two episodes to look at."""
    parted = [one for one in pair.splits if one.step is not None]
    if not parted:
        return "never" if pair.splits else "-"
    shown = [f"seed {one.seed}: step {one.step}" for one in parted[:_SHOWN_SPLITS]]
    return ", ".join(shown) + (" …" if len(parted) > _SHOWN_SPLITS else "")


def _as_json(match: Match) -> dict[str, Any]:
    def figure(one: Figure | None) -> dict[str, Any] | None:
        if one is None:
            return None
        interval = None if one.interval is None else [one.interval.low, one.interval.high]
        return {
            "value": one.value,
            "interval": interval,
            "n": one.runs,
            "resamples": one.resamples,
            "seed": one.seed,
        }

    return {
        "sides": [
            {**side._asdict(), "iqm": figure(side.iqm), "mean": figure(side.mean),
             "episodes": [one._asdict() for one in side.episodes]}
            for side in match.sides
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "mean_difference": figure(pair.paired.mean),
                "iqm_difference": figure(pair.paired.iqm),
                "differences": dict(zip(map(str, pair.paired.seeds), pair.paired.differences, strict=True)),
                "wins": pair.paired.wins,
                "losses": pair.paired.losses,
                "ties": pair.paired.ties,
                "left_out": {str(one.seed): one.why for one in pair.paired.unpaired},
                "part_at": [one._asdict() for one in pair.splits],
            }
            for pair in match.pairs
        ],
    }  # fmt: skip
