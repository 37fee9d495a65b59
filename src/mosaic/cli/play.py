"""`mosaic play ENV`: an operator in every seat of an environment, as a run like any other."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
import msgspec

from mosaic.app.submitting import parse_tag, shown
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.progress import Passing
from mosaic.errors import UsageError
from mosaic.protocol.sessions import UNTIL_LEFT
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.app.playing import Asked
    from mosaic.paths import DataRoot

__all__ = ["attend", "fps_option", "parameters_of", "play_command", "seats_of", "shared_options"]

F = TypeVar("F", bound="Callable[..., Any]")

_ON_FAILURE, _DEADLINE_SECS = "stop", 30.0
_SHARED = (
    click.option("--max-steps", type=click.IntRange(min=1), help="End an episode after so many steps."),
    click.option("--on-failure", type=click.Choice(["stop", "noop", "random"]), default=_ON_FAILURE,
                 show_default=True, help="When an operator fails: stop, or who decides instead."),
    click.option("--deadline", "deadline_secs", type=click.FloatRange(min=0, min_open=True), metavar="SECS",
                 default=_DEADLINE_SECS, show_default=True, help="How long one decision may take."),
    click.option("--python", metavar="PATH", help="The interpreter the environment runs in."),
    click.option("--name", default="", help="A name to find the run by."),
    click.option("--tag", "tags", multiple=True, metavar="KEY=VALUE", help="A label; may be repeated."),
)  # fmt: skip
"""What `mosaic play`, `mosaic versus` and `mosaic branch` are all told."""


fps_option = click.option(
    "--fps",
    type=click.FloatRange(min=0, min_open=True, max=10_000),
    metavar="N",
    help="Ticks a second; without it as fast as it goes, or as a person needs it.",
)
"""What those are told besides that play one environment in front of somebody."""


def shared_options(command: F) -> F:
    """Add the options that every session has."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


@click.command("play")
@click.argument("env_id", metavar="ENV|PLAN")
@click.argument("arguments", nargs=-1, metavar="[env.KEY=VALUE | op.KEY=VALUE]...")
@click.option("--operator", "-o", metavar="WHO", help="Who decides for everybody that has no --seat.")
@click.option(
    "--seat", "seats", multiple=True, metavar="AGENT=WHO", help="Who decides for one agent; may be repeated."
)
@click.option(
    "--episodes", "-n", type=click.IntRange(min=1), help="How many episodes; seeds count up from --seed."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first episode's seed."
)
@click.option("--seeds", metavar="1-20", help="One episode with each of these seeds, as 1-20 or 1,2,3.")
@click.option(
    "--pace",
    type=click.Choice(["free", "tick", "turn"]),
    help="free: as fast as it goes; tick: so many ticks a second, whatever a person does; turn: people are "
    "waited for. By default what suits the environment and who plays.",
)
@fps_option
@click.option("--parallel", is_flag=True, help="A PettingZoo environment whose agents all act at once.")
@shared_options
@click.option("--resume", is_flag=True, help="Of a plan that was cut short: play what is left.")
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the run's id and return.")
@click.option("--dry-run", is_flag=True, help="Print the exact command and the preflight; start nothing.")
def play_command(
    *,
    env_id: str,
    arguments: tuple[str, ...],
    operator: str | None,
    seats: tuple[str, ...],
    episodes: int | None,
    seed: int,
    seeds: str | None,
    pace: str | None,
    fps: float | None,
    max_steps: int | None,
    parallel: bool,
    on_failure: str,
    deadline_secs: float,
    python: str | None,
    name: str,
    tags: tuple[str, ...],
    resume: bool,
    detach: bool,
    dry_run: bool,
) -> int:
    """Play: an operator in every seat of an environment.

    WHO is random, noop, person (you), actions:FILE.json, python:FILE.py, cmd:PROGRAM…, or a trained policy:
    RUN, RUN:best, RUN@STEP or a checkpoint's file. `mosaic operators ls` lists them. ENV is a Gymnasium id or
    a PettingZoo module. The session is a run: watch it, take a seat over, replay it, branch, export it.

    A plan is a TOML file that says all of this (docs/operators.md). One that was cut short, by a kill for
    instance, is resumed with --resume: no episode is played twice.

    \b
    Example:
      mosaic play CartPole-v1 --operator random --episodes 5
      mosaic play CartPole-v1 --operator last:best --seeds 1-20
      mosaic play FrozenLake-v1 --operator person
      mosaic play pettingzoo.classic.connect_four_v3 --operator random --seat player_1=python:mind.py
      mosaic play FrozenLake-v1 -o actions:path.json env.is_slippery=false --fps 4
      mosaic play plan.toml --resume
    """
    from mosaic.app import playing, training
    from mosaic.cli.train import write_checks

    root = options.root()
    labels = dict(parse_tag(tag) for tag in tags)
    if Path(env_id).suffix in (".toml", ".py"):
        given = [operator, *seats, *arguments, episodes, seeds, pace, fps, max_steps, seed, parallel]
        if any(given) or on_failure != _ON_FAILURE or deadline_secs != _DEADLINE_SECS:
            raise click.UsageError("the plan says who plays what: leave the other options out, or edit it")
        game = _planned(root, Path(env_id), resume=resume)
        if game is None:
            return 0
        name, labels = name or game.name, {**game.tags, **labels}
    elif resume:
        raise click.UsageError("--resume is for a plan: mosaic play plan.toml --resume")
    else:
        sitting = seats_of(operator, seats)
        asked: Asked = {
            "seeds": _seeds(episodes, seed, seeds, usual=UNTIL_LEFT if PERSON in sitting.values() else 1),
            "parameters": parameters_of(arguments),
            "parallel": parallel,
            "pace": pace,
            "fps": fps,
            "max_steps": max_steps,
            "on_failure": on_failure,
            "deadline_secs": deadline_secs,
        }
        game = _Game(env_id, sitting, asked)
    with Passing() as passing:
        passing("checking that it can work …")
        interpreter = str(Path(python).absolute()) if python else None
        try:
            plan = playing.plan(
                root,
                game.env_id,
                game.sitting,
                python=interpreter,
                say=lambda text: note(f"mosaic: {text}"),
                **game.asked,
            )
        except UsageError as error:
            if not game.tags:
                raise
            from mosaic.app.plans import located

            raise located(Path(env_id), error) from None
    if game.parent is not None:
        plan = msgspec.structs.replace(plan, parent=game.parent)
    if dry_run or not plan.ok:
        write_checks(plan.checks)
        if plan.command:
            sys.stdout.write(shlex.join(shown(plan.command)) + "\n")
        return 0 if plan.ok else UsageError.exit_code
    who = ", ".join(text if actor == "*" else f"{actor}={text}" for actor, text in game.sitting.items())
    count = len(game.asked["seeds"])
    often = "until you leave" if count == UNTIL_LEFT else f"{count} episode{'s' if count != 1 else ''}"
    note(f"mosaic: {game.env_id}, {who}, {often}")
    run_id = training.submit(root, plan, name=name, tags=labels)
    if detach:
        sys.stdout.write(f"{run_id}\n")
        return 0
    return attend(root, run_id, person=PERSON in game.sitting.values())


def attend(root: DataRoot, run_id: str, *, person: bool) -> int:
    """Stay with a run in which somebody plays, until it ends. The exit code to leave with.

    Args:
        root: the data root.
        run_id: the run.
        person: whether a person plays: in a window, on this terminal, or from where they will come.
    """
    from mosaic.cli.attend import Attendance

    if person:
        from mosaic.cli.by_hand import let_play

        let_play(root, run_id)
    return Attendance(root, run_id, say=lambda text: note(f"mosaic: {text}")).stay()


class _Game(NamedTuple):
    """What is played, from options or from a plan."""

    env_id: str
    sitting: dict[str, str]
    asked: Asked
    name: str = ""
    tags: Mapping[str, str] = MappingProxyType({})
    parent: str | None = None


def _planned(root: DataRoot, path: Path, *, resume: bool) -> _Game | None:
    """What a plan says is played now; None when nothing is left of it."""
    from mosaic.app import plans, reading

    plan = plans.read(path)
    seeds, cut = plan.told.all_seeds, plans.cut_short(root, plan)
    if resume:
        if not cut:
            raise UsageError(f"no run of {path} was cut short: play it with mosaic play {path}")
        sides = len(plan.told.seats) if plan.told.copies else 1
        for row in cut:
            seeds = plans.left_over(
                seeds, reading.ask(root, row.run_id, lambda reader: plans.finished_seeds(reader, sides=sides))
            )
        if not seeds:
            note(f"mosaic: nothing is left of {path}: all of it was played by run {cut[0].run_id}")
            return None
    elif cut:
        note(f"mosaic: run {cut[0].run_id} of this plan was cut short; to play what is left of it: --resume")
    return _Game(
        plan.told.env,
        plan.told.sitting,
        plans.asked_of(plan.told, seeds),
        name=plan.told.name,
        tags={plans.TAG: plan.digest},
        parent=cut[0].run_id if resume else None,
    )


def seats_of(operator: str | None, seats: tuple[str, ...]) -> dict[str, str]:
    """An operator for each actor that is named, and `EVERYBODY`'s."""
    from mosaic.protocol.sessions import EVERYBODY

    found: dict[str, str] = {}
    for word in seats:
        actor, sign, who = word.partition("=")
        if not sign or not actor or not who:
            raise click.UsageError(f"a seat is AGENT=WHO, such as player_0=random; got {word!r}")
        if actor in found:
            raise click.UsageError(f"{actor} has two operators: {found[actor]!r} and {who!r}")
        found[actor] = who
    if operator is not None:
        found[EVERYBODY] = operator
    if not found:
        raise click.UsageError("who plays? Add --operator random, or see: mosaic operators ls")
    return found


def _seeds(episodes: int | None, seed: int, seeds: str | None, *, usual: int) -> list[int]:
    from mosaic.app.training import seeds_of

    if seeds is None:
        return list(range(seed, seed + (episodes or usual)))
    if episodes is not None or seed:
        raise click.UsageError("--seeds says which episodes are played: leave out --episodes and --seed")
    return seeds_of(seeds)


def parameters_of(words: Sequence[str]) -> dict[str, str]:
    """`env.KEY=VALUE` and `op.KEY=VALUE`, by their keys."""
    found = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.startswith(("env.", "op.")):
            raise click.UsageError(f"cannot read {word!r}: arguments are env.KEY=VALUE or op.KEY=VALUE")
        found[key] = value
    return found
