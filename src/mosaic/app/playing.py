"""Playing a session: from the names that people type to a checked command to a run.

What cannot work starts nothing. Checkpoints are not opened here: a child of the session loads them, in their
runner's interpreter, and only bytes of the hash that was checked here.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from mosaic.app import saved, starting_points, submitting, training
from mosaic.artifacts import contents
from mosaic.errors import RunNotFoundError, UsageError
from mosaic.operators import own, registry
from mosaic.protocol.cards import COMMAND_RUNNER, SESSION_RUNNER, Job
from mosaic.protocol.sessions import EVERYBODY, Seat, Session
from mosaic.runners.parameters import convert, near

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from typing_extensions import Unpack

    from mosaic.app.training import How, Plan
    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot
    from mosaic.runners.registry import Listed

__all__ = ["Asked", "is_zoo", "plan", "play", "seat_for", "seat_of", "shown"]

_ZOO = re.compile(r"pettingzoo[./]\w+[./]\w+_v\d+")
_OP = "op."
_NORMALISER = "vecnormalize"  # what the recorder calls the statistics of observations that a script saves


class Asked(TypedDict, total=False):
    """What may be said of a session besides its environment and seats. All of it may be left out."""

    seeds: Sequence[int]
    """One episode with each."""
    parameters: Mapping[str, Any]
    """`env.KEY` for the environment, `op.KEY` for the operators that have it."""
    parallel: bool
    """Whether a PettingZoo environment is played with all agents acting at once."""
    copies: bool
    """Whether each seat has a copy of the environment of its own, all in lock-step."""
    pace: str | None
    fps: float | None
    max_steps: int | None
    on_failure: str
    deadline_secs: float
    seatings: Sequence[Mapping[str, str]]
    """Who sits where, by the names of the seats, where operators change seats: see `mosaic.app.leagues`."""


def plan(
    root: DataRoot,
    env_id: str,
    seats: Mapping[str, str],
    *,
    python: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    **asked: Unpack[Asked],
) -> Plan:
    """Check a session and build its command. Starts nothing but the child that tries the environment.

    Args:
        root: the data root.
        env_id: a Gymnasium id, or a PettingZoo module such as `pettingzoo.classic.connect_four_v3`.
        seats: an operator for each actor, as people type it; `EVERYBODY` for all that are not named.
        python: the interpreter the environment runs in; by default MOSAIC's own, or that of a seat's runner
            where only that one has the environment.
        say: told what takes its time.
        asked: what else is asked.

    Raises:
        UsageError: there is no such operator, checkpoint or parameter; or a checkpoint may not be loaded.
    """
    words = dict(asked.get("parameters") or {})
    operating = {name[len(_OP) :]: words.pop(name) for name in list(words) if name.startswith(_OP)}
    used: set[str] = set()
    described: dict[str, Seat] = {}
    pythons: list[str] = []
    for actor, text in seats.items():
        seat, interpreter = seat_of(root, text, operating, used=used, env_id=env_id, say=say)
        described[actor] = _apart(seat, described.values()) if asked.get("seatings") else seat
        if interpreter and interpreter not in pythons:
            pythons.append(interpreter)
    unused = sorted(set(operating) - used)
    if unused:
        raise UsageError(
            f"no operator in these seats has a parameter {unused[0]!r}: mosaic operators show NAME"
        )
    seeds = list(asked.get("seeds") or [0])
    job = Job(
        runner=SESSION_RUNNER,
        kind="session",
        env_id=env_id,
        seed=seeds[0],
        episodes=len(seeds),
        parameters=words,
        session=_session(env_id, described, seeds, asked),
    )
    first = training.plan(root, job, python=python)
    if first.ok or python is not None:
        return first
    for other in pythons:  # a runner that trained on it has what it needs
        found = training.plan(root, job, python=other)
        if found.ok:
            return found
    return first


def play(
    root: DataRoot,
    env_id: str,
    seats: Mapping[str, str],
    *,
    python: str | None = None,
    how: How | None = None,
    **asked: Unpack[Asked],
) -> str:
    """Check a session and submit it. The run's id.

    Raises:
        LaunchRefusedError: it cannot work; says why, and nothing was started.
        UsageError: as for `plan`.
        DaemonError: the daemon cannot be reached or started.

    Example:
        >>> play(root, "CartPole-v1", {"*": "last:best"}, seeds=range(1, 21))
    """
    return training.submit(
        root, training.accept(plan(root, env_id, seats, python=python, **asked)), **(how or {})
    )


def _session(env_id: str, seats: dict[str, Seat], seeds: list[int], asked: Asked) -> Session:
    zoo = is_zoo(env_id)
    parallel = asked.get("parallel", False)
    if parallel and not zoo:
        raise UsageError(
            "--parallel is for PettingZoo environments, such as pettingzoo.butterfly.pistonball_v6"
        )
    copies = asked.get("copies", False)
    if copies and zoo:
        raise UsageError(
            f"each seat gets a copy of the environment, and {env_id} has seats of its own: let them meet "
            f"there, with mosaic league A B --env {env_id}, or in one game with mosaic play --seat AGENT=WHO"
        )
    told: dict[str, Any] = {
        "seats": seats,
        "seeds": _ranges(seeds),
        "api": "copies" if copies else ("parallel" if parallel else "aec") if zoo else "single",
        **{
            name: asked[name]
            for name in ("pace", "fps", "max_steps", "on_failure", "deadline_secs", "seatings")
            if name in asked
        },
    }
    named = [actor for actor in seats if actor != EVERYBODY]
    if named and not zoo and not copies:
        raise UsageError(f"{env_id} has one actor: use --operator instead of --seat {named[0]}=…")
    try:
        return msgspec.convert(msgspec.to_builtins(told), Session)
    except msgspec.ValidationError as error:
        raise UsageError(f"a session cannot be like this: {error}") from None


def is_zoo(env_id: str) -> bool:
    """Whether an id names a module of PettingZoo."""
    return _ZOO.fullmatch(env_id) is not None


def shown(text: str) -> str:
    """What people typed for an operator, without the secrets in it: it goes into every record."""
    from mosaic_worker.common import redact

    return redact.hide(text, submitting.secrets_here([text]))


def _apart(seat: Seat, others: Collection[Seat]) -> Seat:
    """A seat whose name no other has: operators that change seats are told apart by nothing else."""
    names = [other.name for other in others]
    number, name = 1, seat.name
    while name in names:
        number += 1
        name = f"{seat.name}#{number}"
    return msgspec.structs.replace(seat, name=name)


def _ranges(seeds: list[int]) -> list[tuple[int, int]]:
    """Seeds as ranges, in their order."""
    found: list[tuple[int, int]] = []
    for seed in seeds:
        if found and seed == found[-1][1] + 1:
            found[-1] = (found[-1][0], seed)
        else:
            found.append((seed, seed))
    return found


def seat_of(
    root: DataRoot,
    text: str,
    given: Mapping[str, Any],
    *,
    used: set[str] | None = None,
    env_id: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Seat, str]:
    """An operator as the worker is told of it, and the interpreter it brings along, if any.

    Args:
        root: the data root.
        text: what people typed.
        given: parameters by name, as they were typed; those it has are taken and put into `used`.
        used: the names that were taken.
        env_id: what is played: a checkpoint of something else is refused by the child that loads it.
        say: told what takes its time.

    Raises:
        UsageError: there is no such operator, or it cannot be seated.
    """
    operator_id, argument = registry.named(text)
    kind = registry.find(operator_id) if operator_id else own.CHECKPOINT
    parameters = {
        parameter.name: convert(parameter, given[parameter.name])
        for parameter in kind.card.parameters
        if parameter.name in given
    }
    if used is not None:
        used.update(parameters)
    if operator_id:
        return kind.seat(argument, name=shown(text), parameters=parameters), ""
    return _policy(root, text, parameters, env_id=env_id, say=say)


def seat_for(
    root: DataRoot,
    text: str,
    parameters: Mapping[str, Any],
    *,
    env_id: str,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """An operator as a running session is told of it (`deploy`).

    Raises:
        UsageError: as for `plan`.
    """
    given = {name.removeprefix(_OP): value for name, value in parameters.items()}
    used: set[str] = set()
    seat, _ = seat_of(root, text, given, used=used, env_id=env_id, say=say)
    unused = sorted(set(given) - used)
    if unused:
        raise UsageError(f"{text} has no parameter {unused[0]!r}: mosaic operators show NAME")
    found: dict[str, Any] = msgspec.to_builtins(seat)
    return found


def _policy(
    root: DataRoot, text: str, parameters: Mapping[str, Any], *, env_id: str, say: Callable[[str], None]
) -> tuple[Seat, str]:
    from mosaic.runners import registry as runners
    from mosaic.runners.environments import readiness
    from mosaic.settings import load

    try:
        known = saved.find(root, text, say=say)
    except (RunNotFoundError, UsageError) as error:
        ids = [one.id for one in registry.listed()]
        said = str(error).rstrip(".")
        if not said.endswith("?"):  # it knows no better itself
            said += f".{near(text, ids)}"
        raise UsageError(f"{text!r} is neither an operator, nor a run, nor a file: {said}") from None
    if known.env_id and env_id and known.env_id != env_id:
        say(f"{text} was trained on {known.env_id}. If it does not fit: mosaic play {known.env_id} -o {text}")
    settings = load(root)
    if known.runner in ("", COMMAND_RUNNER):
        known = _recognised(root, known, runners.listed(settings))
    runner = runners.find(known.runner, settings)
    card = runner.card
    if not card.capabilities.supports_play:
        raise UsageError(
            f"{card.title} cannot play its checkpoints in a session; evaluate it instead: mosaic eval {text}"
        )
    ready = readiness(root, card)
    if ready.python is None:
        raise UsageError(f"{card.title}: {ready.text}. {ready.remedy}")
    job = Job(
        runner=known.runner,
        kind="play",
        algorithm=known.algorithm,
        env_id=env_id,
        parameters=dict(parameters),
        checkpoint=str(known.path),
        sha256=starting_points.loadable(root, known, card),
        checkout=known.checkout,
    )
    python = ready.python if ready.python != sys.executable else ""
    return Seat(kind="policy", name=_told(known), argv=runner.command(job, python=ready.python)), python


def _recognised(root: DataRoot, known: Known, listed: Iterable[Listed]) -> Known:
    """A script's checkpoint with the runner whose framework saved it.

    Raises:
        UsageError: it is of none, or lacks what its policy needs; says the way out.
    """
    held = contents.members(known.path)
    fitting = [
        one.runner.card.id
        for one in listed
        if one.runner is not None
        and one.runner.card.own_members
        and held.issuperset(one.runner.card.own_members)
    ]
    instead = (
        f"Load it in a Python file that decides: --operator python:FILE.py. To evaluate it: {known.played_by}"
    )
    if not fitting:
        raise UsageError(
            f"nobody recorded which runner can load {known.path}, and no runner knows it. {instead}"
        )
    beside = saved.of_run(root, known.run_id) if known.run_id else []
    if any(one.row.kind == _NORMALISER for one in beside):
        raise UsageError(
            f"{known.path} was trained on normalised observations, and its script saved their statistics in "
            f"another file: it cannot be seated. {instead}"
        )
    return msgspec.structs.replace(known, runner=fitting[0], algorithm="")


def _told(known: Known) -> str:
    """A checkpoint by a name that stays true: `last` is another run tomorrow."""
    if not known.run_id:
        return str(known.path)
    at = "" if known.row.step is None else f"@{known.row.step}"
    return f"{known.run_name or known.run_id}{at}"
