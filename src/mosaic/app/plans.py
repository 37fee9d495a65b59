"""Plans: a file that says what is played, by whom, with which seeds. Read and checked; nothing in it is run.

Two kinds are read: TOML, with the fields of `PlanFile`; and the scripts of people who have them, Python files
with two literals, `operators` and `execution` (`plan_scripts`). An error names the line and the way out.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from mosaic.app import run_index
from mosaic.app.training import seeds_of
from mosaic.errors import UsageError
from mosaic.protocol.sessions import EVERYBODY
from mosaic.runners.parameters import near
from mosaic.settings import parsed_toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mosaic.app.playing import Asked
    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic.store.reader import StoreReader

__all__ = [
    "TAG",
    "Plan",
    "PlanFile",
    "asked_of",
    "cut_short",
    "finished_seeds",
    "left_over",
    "located",
    "read",
]

TAG = "plan"
"""The tag that ties the runs of one plan together: the first letters of its SHA-256."""
_LONGEST_BYTES = 1 << 20
_ENDED = ("terminated", "truncated")
_Seed = Annotated[int, Meta(ge=0)]
_ON_FAILURE = "`stop`, `noop` or `random`"
_Count = Annotated[int, Meta(ge=1)]


class PlanFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a plan says."""

    env: str
    seats: dict[str, str] = {}
    """An operator for each agent, as people type it; with `copies` for each side, under any name."""
    operator: str | None = None
    """Who decides for everybody that has no seat."""
    seeds: str | list[_Seed] | None = None
    episodes: _Count | None = None
    seed: _Seed = 0
    env_arguments: dict[str, Any] = {}
    operator_parameters: dict[str, Any] = {}
    copies: bool = False
    parallel: bool = False
    pace: Literal["free", "tick", "turn"] | None = None
    fps: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    max_steps: _Count | None = None
    on_failure: Literal["stop", "noop", "random"] = "stop"
    deadline_secs: Annotated[float, Meta(gt=0, le=86_400)] = 30.0
    name: str = ""

    @property
    def sitting(self) -> dict[str, str]:
        """Who decides for whom."""
        return {**self.seats, **({EVERYBODY: self.operator} if self.operator is not None else {})}

    @property
    def all_seeds(self) -> list[int]:
        """The seed of every episode, in order.

        Raises:
            UsageError: they are written wrongly.
        """
        if self.seeds is None:
            return list(range(self.seed, self.seed + (self.episodes or 1)))
        return seeds_of(self.seeds) if isinstance(self.seeds, str) else list(self.seeds)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that was read, and what its bytes hash to."""

    told: PlanFile
    digest: str


def read(path: Path) -> Plan:
    """The plan in a file, `.toml` or `.py`.

    Raises:
        UsageError: it cannot be read or is not a plan: says where and what to do about it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > _LONGEST_BYTES:
        raise UsageError(f"{path} has {len(data)} bytes: a plan has at most {_LONGEST_BYTES}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}") from None
    if path.suffix == ".py":
        from mosaic.app.plan_scripts import told_of

        found = told_of(text, str(path))
    else:
        found = parsed_toml(text, path)
    told = _converted(found, text, str(path))
    if not told.sitting:
        raise UsageError(f'{path}: nobody plays. Add a line such as: operator = "random"')
    if told.seeds is not None and told.episodes is not None:
        where = _where(text, "episodes", str(path))
        raise UsageError(f"{where}: `seeds` says which episodes are played: leave `episodes` out")
    try:
        seeds = told.all_seeds
    except UsageError as error:
        raise UsageError(f"{_where(text, 'seeds', str(path))}: {error}") from None
    if not seeds:
        raise UsageError(f"{_where(text, 'seeds', str(path))}: at least one seed is needed")
    return Plan(told=told, digest=hashlib.sha256(data).hexdigest()[:16])


def _converted(found: Mapping[str, Any], text: str, path: str) -> PlanFile:
    known = [field.encode_name for field in msgspec.structs.fields(PlanFile)]
    for key in found:
        if key not in known:
            raise UsageError(f"{_where(text, key, path)}: a plan has no {key!r}.{near(key, known)}")
    if "env" not in found:
        raise UsageError(f'{path}: what is played? Add a line such as: env = "CartPole-v1"')
    try:
        return msgspec.convert(found, PlanFile)
    except msgspec.ValidationError as error:
        named = re.search(r"\$\.(\w+)", str(error))
        where = _where(text, named.group(1), path) if named else path
        said = str(error).replace("Invalid enum value", f"Expected {_ON_FAILURE}, got").replace(" | null", "")
        raise UsageError(f"{where}: {said.replace(' - at `$', ', in `')}") from None


def _where(text: str, key: str, path: str) -> str:
    """`FILE:LINE` of a key, as far as it can be found."""
    pattern = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[\].=:]")
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.match(line):
            return f"{path}:{number}"
    return path


def located(path: Path, error: UsageError) -> UsageError:
    """What is wrong with something that a plan names, with the line that names it, as far as it is found."""
    lines = path.read_text(errors="replace").splitlines()
    for word in re.findall(r"'([^']+)'", str(error)):
        for number, line in enumerate(lines, start=1):
            if f'"{word}"' in line or f"'{word}'" in line or line.strip().startswith(f"{word} "):
                return UsageError(f"{path}:{number}: {error}")
    return UsageError(f"{path}: {error}")


def asked_of(told: PlanFile, seeds: Sequence[int]) -> Asked:
    """What of a plan `playing.plan` is asked with."""
    parameters = {f"env.{key}": value for key, value in told.env_arguments.items()}
    parameters |= {f"op.{key}": value for key, value in told.operator_parameters.items()}
    return {
        "seeds": list(seeds),
        "parameters": parameters,
        "parallel": told.parallel,
        "copies": told.copies,
        "pace": told.pace,
        "fps": told.fps,
        "max_steps": told.max_steps,
        "on_failure": told.on_failure,
        "deadline_secs": told.deadline_secs,
    }


def cut_short(root: DataRoot, plan: Plan) -> list[RunRow]:
    """The runs of a plan that ended before all was played, with those that went on from them; newest first.

    Empty when the newest run of the plan played all that was left.
    """
    from mosaic.protocol.runs import ENDED, RunState

    mine = [row for row in run_index.rows(root) if row.tags.get(TAG) == plan.digest and row.state in ENDED]
    if not mine or mine[0].state is RunState.FINISHED:
        return []
    chain = [mine[0]]
    while chain[-1].parent is not None and (
        before := [row for row in mine if row.run_id == chain[-1].parent]
    ):
        chain.append(before[0])
    return chain


def finished_seeds(reader: StoreReader, *, sides: int = 1) -> Counter[int]:
    """How many episodes of a session were played to the end, by seed. Those of one game end together.

    Args:
        reader: the store of its run.
        sides: how many copies of the environment were played with each seed.
    """
    games: dict[tuple[int, str], bool] = {}
    for row in reader.episodes():
        if row.seed is not None:
            game = row.seed, row.group or row.episode_id
            games[game] = games.get(game, True) and row.outcome in _ENDED
    ended = Counter(seed for (seed, _), over in games.items() if over)
    return Counter({seed: count // sides for seed, count in ended.items() if count >= sides})


def left_over(seeds: Sequence[int], done: Counter[int]) -> list[int]:
    """The seeds that are still to be played, in their order. Pure."""
    left, found = Counter(done), []
    for seed in seeds:
        if left[seed] > 0:
            left[seed] -= 1
        else:
            found.append(seed)
    return found
