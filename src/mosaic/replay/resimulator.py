"""Simulates episodes of one run again: finds the way that works for each, and says how it went.

One child at a time. Episodes of the same environment are replayed one after the other in the same child; a
way that worked once is tried first the next time, and a chain goes on where it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic import worker_site
from mosaic.errors import ConsentNeededError, ReplayCancelledError, ReplayError
from mosaic.paths import DataRoot
from mosaic.replay.causes import Facts, likely
from mosaic.replay.chains import Chain, chain_of, key_of
from mosaic.replay.child import Child
from mosaic.replay.interpreter import interpreter_of
from mosaic.replay.verdicts import CANNOT, DIVERGED, EXACT, Verdict, Way, differing, ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.replay.units import Unit
    from mosaic.store.reader import StoreReader

__all__ = ["Column", "Resimulator"]

Column = tuple[dict[str, Any], bytes]
"""A part of a column: its `name` and `path`, `dtype` and `shape`, and its bytes; for text, a list in JSON."""


class Resimulator:
    """Replays episodes of one run. A context manager.

    Args:
        folder: the run.
        reader: its store.
        allowed: modules that may be imported for its environments, besides the known libraries.
        python: the interpreter to use instead of the recorded one.
        chain_turns: how many turns are played, at most, to get to an episode.
        silence_secs: how long the child may say nothing while it works.
    """

    def __init__(
        self,
        folder: RunFolder,
        reader: StoreReader,
        *,
        allowed: Sequence[str] = (),
        python: str | None = None,
        chain_turns: int = 500_000,
        silence_secs: float = 120.0,
    ) -> None:
        self._folder = folder
        self._reader = reader
        self._allowed = list(allowed)
        self._python = python
        self._chain_turns = chain_turns
        self._silence_secs = silence_secs
        self._site = worker_site.install(DataRoot(folder.path.parent.parent))
        self._child: Child | None = None
        self._chain: Chain | None = None
        self._made: dict[str, Any] = {}
        self._drawn = True
        self._shelf: set[int] = set()
        self._stands: tuple[int, int] = (-1, -1)
        self.has_scene = False
        """Whether the episode that was judged last, seekable, has scenes."""
        self._worked: dict[str, str] = {}
        self._seen: dict[str, list[str]] = {}

    def __enter__(self) -> Resimulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def cancel(self) -> None:
        """End what is under way, from any thread. The next call starts afresh."""
        child = self._child
        if child is not None:
            child.cancel()

    # ---- verdicts ----

    def judge(
        self,
        row: EpisodeRow,
        *,
        seekable: bool = False,
        observed: list[Column] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Verdict:
        """Replay an episode in every way that may work, until one is exact.

        With `seekable` its frames can be had afterwards, of the last way that was tried. `observed` is filled
        with the columns of all observations, the reset's own first, of an exact replay.

        Raises:
            ConsentNeededError: a module would have to be allowed first.
            ReplayCancelledError: `cancel` was called.
        """
        said: dict[str, Any] = {"episode": row.index, "episode_id": row.episode_id, "steps": row.steps}
        try:
            chain = self._chain_for(row)
            number = chain.number(row)
            unit = chain.unit(number)
        except (ConsentNeededError, ReplayCancelledError):
            raise
        except ReplayError as error:
            return Verdict(**said, status=CANNOT, reason=str(error))
        worst: Verdict | None = None
        tried: list[Way] = []
        for way in ways(
            number,
            called=unit.called,
            seeded=unit.seeded,
            last_seeded=lambda: chain.last_seeded(number),
            tensors=_may_be_tensors(chain.env, unit),
            preferred=self._worked.get(chain.key, ""),
        ):
            tried.append(way)
            try:
                found = self._try(row, way, seekable=seekable, observed=observed, progress=progress)
            except (ConsentNeededError, ReplayCancelledError):
                raise
            except ReplayError as error:
                found = Verdict(**said, status=CANNOT, way=way.name, reason=str(error))
            if found.exact:
                self._worked[chain.key] = way.name
                return found
            if worst is None or _further(found, worst):
                worst = found
        if worst is None:
            return Verdict(**said, status=CANNOT, reason="its beginning is not in the record")
        if worst.status != DIVERGED:
            return worst
        reason = self._cause(row, chain, number)
        if seekable and worst.way != tried[-1].name:
            again = next(way for way in tried if way.name == worst.way)
            worst = self._try(row, again, seekable=True, progress=progress)
        return msgspec.structs.replace(worst, reason=reason) if worst.status == DIVERGED else worst

    def _cause(self, row: EpisodeRow, chain: Chain, number: int) -> str:
        """What may be the cause of a difference. An environment is watched once, for all its episodes."""
        if chain.key not in self._seen:
            self._seen[chain.key] = []
            if self._child is not None and self._child.alive and number in self._shelf:
                try:
                    answer = self._child.ask({"type": "probe", "target": number})
                except (ConsentNeededError, ReplayCancelledError):
                    raise
                except ReplayError:
                    answer = {}  # it cannot even be played for that; the difference stands without
                self._seen[chain.key] = [str(name) for name in answer.get("seen") or ()]
        facts = Facts(
            env=chain.env, made=self._made, reset=self._reader.reset(row.index), seen=self._seen[chain.key]
        )
        return likely(facts)

    def _try(
        self,
        row: EpisodeRow,
        way: Way,
        *,
        seekable: bool,
        observed: list[Column] | None = None,
        progress: Callable[[int, int], None] | None,
    ) -> Verdict:
        chain = self._chain_for(row)
        number = chain.number(row)
        child = self._made_in(chain, drawn=way.drawn)
        self._hand_in(child, chain, way.start, number)
        request = {
            "type": "attempt",
            "start": way.start,
            "target": number,
            "seekable": seekable,
            "tensors": way.tensors,
        }
        self._stands = (-1, -1)
        if observed is None:
            answer = child.ask(request, progress=progress)
        else:
            observed[:] = child.stream({**request, "values": True}, progress=progress)
            answer = child.answered
        self.has_scene = bool(answer.get("scene"))
        if not seekable:
            self._stands = (way.start, number + 1)
        return self._verdict(row, chain, way, answer)

    def _hand_in(self, child: Child, chain: Chain, start: int, target: int) -> None:
        """Give the child the units it needs and does not have."""
        first = target if self._stands == (start, target) else start
        if chain.turns_between(first, target) > self._chain_turns:
            raise ReplayError(f"the chain of episodes to it is longer than {self._chain_turns} steps")
        if first == target and self._shelf and min(self._shelf) < target:
            child.ask({"type": "forget", "below": target})
            self._shelf = {number for number in self._shelf if number >= target}
        for number in range(first, target + 1):
            if number not in self._shelf:
                child.ask({"type": "unit", "number": number}, chain.unit(number).body)
                self._shelf.add(number)

    def _verdict(self, row: EpisodeRow, chain: Chain, way: Way, answer: dict[str, Any]) -> Verdict:
        said: dict[str, Any] = {
            "episode": row.index,
            "episode_id": row.episode_id,
            "steps": row.steps,
            "way": way.name,
            "start": way.start,
        }
        notes = [str(note) for note in self._made.get("notes") or ()]
        turns = chain.unit(chain.number(row)).turns_before[row.index]
        focus = chain.focus(row)
        mine = [one for one in answer.get("differences") or () if one.get("whose") in (focus, "")]
        mine = [one for one in mine if one["turn"] < turns[-1] or one.get("what") == "raised"]
        if not mine:
            return Verdict(**said, status=EXACT, notes=notes)
        first = min(mine, key=lambda one: one["turn"])
        step = next((k for k, before in enumerate(turns) if before > first["turn"]), len(turns)) - 1
        if first["turn"] < turns[0] and focus:
            step = -1
        return Verdict(status=DIVERGED, step=step, notes=notes, **said, **differing(first))

    # ---- frames ----

    def draw(self, row: EpisodeRow, steps: Sequence[int]) -> Iterator[tuple[int, dict[str, Any], bytes]]:
        """Frames of the judged episode: for each step, how it is and its bytes."""
        yield from self._shown("draw", row, steps)

    def scenes(self, row: EpisodeRow, steps: Sequence[int]) -> Iterator[tuple[int, dict[str, Any], bytes]]:
        """Scenes of the judged episode: for each step, how it is and the scene's JSON; empty without one."""
        yield from self._shown("scene", row, steps)

    def _shown(
        self, what: str, row: EpisodeRow, steps: Sequence[int]
    ) -> Iterator[tuple[int, dict[str, Any], bytes]]:
        chain = self._chain_for(row)
        if self._child is None or not self._child.alive:
            raise ReplayError("the replay process is gone; open the episode again")
        turns = chain.unit(chain.number(row)).turns_before[row.index]
        wanted = list(steps)
        request = {"type": what, "turns": [turns[step] for step in wanted], "focus": chain.focus(row)}
        for index, (header, body) in enumerate(self._child.stream(request)):
            if index >= len(wanted):
                raise ReplayError("the replay process sent more than was asked for")
            yield wanted[index], header, body

    # ---- for datasets ----

    def spaces(self, row: EpisodeRow) -> bytes:
        """The spaces and the spec of the judged episode's environment, as the child describes them in JSON.

        Raises:
            ReplayError: a dataset cannot hold them.
        """
        child = self._made_in(self._chain_for(row), drawn=self._drawn)
        return b"".join(body for _, body in child.stream({"type": "spaces"}))

    def actions(
        self, row: EpisodeRow, executed: Sequence[Any], proposed: Sequence[Any]
    ) -> tuple[list[Column], list[int]]:
        """The judged episode's actions as columns, and the steps whose proposal is not an action.

        The columns are `actions` and `proposed_action`, which begins with zeros that stand for the reset.

        Raises:
            ReplayError: an executed action is not one of the environment's.
        """
        child = self._made_in(self._chain_for(row), drawn=self._drawn)
        body = msgspec.json.encode(list(zip(executed, proposed, strict=True)))
        columns = list(child.stream({"type": "actions"}, body))
        return columns, list(child.answered.get("unfit") or ())

    def environment_of(self, row: EpisodeRow) -> dict[str, Any]:
        """How an episode's environment was made, as recorded."""
        return self._chain_for(row).env

    @property
    def render_fps(self) -> float | None:
        """How many frames a second the environment asks for, as it is made here."""
        asked = self._made.get("render_fps")
        return float(asked) if isinstance(asked, int | float) else None

    @property
    def drawable(self) -> bool:
        """Whether the environment was made so that it can be drawn."""
        return bool(self._made.get("frames"))

    # ---- the child ----

    def _chain_for(self, row: EpisodeRow) -> Chain:
        if self._chain is None or self._chain.key != key_of(row):
            self._chain = chain_of(self._reader, row)
            self._made = {}
        return self._chain

    def _made_in(self, chain: Chain, *, drawn: bool) -> Child:
        """The child, with the environment of a chain made in it."""
        if self._child is not None and not self._child.alive:
            self.close()
            self._made = {}
        if self._child is not None and self._made and self._drawn == drawn:
            return self._child
        self._shelf, self._stands, self._made = set(), (-1, -1), {}
        if self._child is None:
            producer = chain.key.partition(".")[0]
            self._interpreter = interpreter_of(
                self._folder, self._reader, producer=producer, python=self._python
            )
            self._child = Child(self._site, self._interpreter, silence_secs=self._silence_secs)
        self._drawn = drawn
        request = {
            "type": "make",
            "allowed": self._allowed,
            "path": self._interpreter.path,
            "argv": self._interpreter.argv,
            "frames": drawn,
        }
        self._made = self._child.ask(request, msgspec.json.encode(chain.env))
        if self._interpreter.note:
            self._made.setdefault("notes", []).append(self._interpreter.note)
        return self._child


def _may_be_tensors(env: dict[str, Any], unit: Unit) -> bool:
    """Whether torch was there when arrays were given: a tensor is recorded as the array it holds."""
    return "torch" in (env.get("versions") or {}) and b'"nd"' in unit.body


def _further(found: Verdict, worst: Verdict) -> bool:
    """Whether an attempt came further than another."""
    if found.status != worst.status:
        return found.status == DIVERGED
    return (found.step or 0) > (worst.step or 0)
