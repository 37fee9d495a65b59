"""All that happened to one environment, unit by unit. Reads the store; knows how each kind is laid out.

An environment is known by the beginning of its episodes' ids: `<producer>.<env key>`. Refuses episodes that
no recorder of ours wrote: how to build their environment was not recorded.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from mosaic.errors import ReplayError, UsageError
from mosaic.replay import units
from mosaic.replay.units import Part, Unit

if TYPE_CHECKING:
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.store.reader import StoreReader

__all__ = ["Chain", "chain_of", "key_of"]

_OURS = re.compile(r"(?P<key>p\d+x[0-9a-f]+\.e\d+)\.(?P<number>\d+)(?::(?P<agent>.*))?", re.DOTALL)
_PAGE = 256
_MODES = {"nextstep": "next_step", "samestep": "same_step", "disabled": "disabled"}


def key_of(row: EpisodeRow) -> str:
    """Which environment an episode belongs to; empty for a foreign episode."""
    match = _OURS.fullmatch(row.episode_id)
    return match["key"] if match else ""


def chain_of(reader: StoreReader, row: EpisodeRow) -> Chain:
    """The chain an episode belongs to.

    Raises:
        ReplayError: its environment was not recorded.
    """
    key = key_of(row)
    env = reader.reset(row.index).get("env") if key else None
    if not isinstance(env, dict) or not env.get("api"):
        raise ReplayError("how its environment was made was not recorded")
    if str(env["api"]).startswith("pettingzoo"):
        return _ZooChain(reader, key, env)
    if env["api"] == "envpool":
        raise ReplayError("EnvPool's environments are recorded, and not replayed yet")
    if row.agent_id is not None:
        return _DictChain(reader, key, env)
    return _VectorChain(reader, key, env) if env.get("vector") else Chain(reader, key, env)


class Chain:
    """The units of one environment. This one: an environment by itself, or a member of a vector environment.

    Args:
        reader: the store.
        key: which environment.
        env: how it is built.
        kept: how many units are remembered.
    """

    def __init__(self, reader: StoreReader, key: str, env: dict[str, Any], *, kept: int = 8) -> None:
        self.key = key
        self.env = env
        self._reader = reader
        self._kept = kept
        self._units: OrderedDict[int, Unit] = OrderedDict()
        self._asked: tuple[int, int] = (0, 0)
        """Up to which index a seeded reset was looked for, and the unit that was found."""

    def number(self, row: EpisodeRow) -> int:
        """Which unit an episode belongs to."""
        match = _OURS.fullmatch(row.episode_id)
        return int(match["number"]) if match else -1

    def focus(self, row: EpisodeRow) -> str:
        """Whose differences and frames are an episode's own."""
        del row
        return ""

    def unit(self, number: int) -> Unit:
        """A unit.

        Raises:
            ReplayError: it is not whole in the record.
        """
        found = self._units.get(number)
        if found is None:
            found = self._units[number] = self._read(number)
            while len(self._units) > self._kept:
                self._units.popitem(last=False)
        self._units.move_to_end(number)
        return found

    def last_seeded(self, number: int) -> int:
        """The last unit before one whose reset was given a seed; 0 when none was."""
        before = self._rows(number)[0].index
        searched, known = self._asked if self._asked[0] <= before else (0, 0)
        row = self._reader.last_seeded(self.key, first_index=searched, before_index=before)
        known = known if row is None else self.number(row)
        self._asked = before, known
        return known

    def turns_between(self, start: int, stop: int) -> int:
        """About how many turns the units from `start` to before `stop` have; never more than they have."""
        if start >= stop:
            return 0
        first, last = self._rows(start)[0].index, self._rows(stop)[0].index
        return self._reader.steps_between(self.key, first, last)

    def _rows(self, number: int) -> list[EpisodeRow]:
        """The episodes of a unit, the first one first."""
        return [self._row(f"{self.key}.{number}")]

    def _read(self, number: int) -> Unit:
        return units.single(self._part(self._rows(number)[0]))

    def _row(self, episode_id: str) -> EpisodeRow:
        try:
            return self._reader.episode(episode_id)
        except UsageError as error:
            raise ReplayError(f"an earlier episode, {episode_id}, is missing in the record") from error

    def _part(self, row: EpisodeRow) -> Part:
        return Part(row, self._reader.reset(row.index), self._reader.steps(row.index))


class _ZooChain(Chain):
    """An environment of several agents: a unit is one episode of it, with an episode for each agent."""

    def focus(self, row: EpisodeRow) -> str:
        return str(row.agent_id)

    def _rows(self, number: int) -> list[EpisodeRow]:
        group = f"{self.key}.{number}"
        found = []
        for agent in self.env.get("agents") or ():
            try:
                found.append(self._reader.episode(f"{group}:{agent}"))
            except UsageError:  # noqa: PERF203  (a handful of agents)
                continue  # it never took part
        if not found:
            raise ReplayError(f"an earlier episode, {group}, is missing in the record")
        return sorted(found, key=lambda row: row.index)

    def turns_between(self, start: int, stop: int) -> int:
        steps = super().turns_between(start, stop)
        at_once = 1 if str(self.env["api"]).endswith("aec") else len(self.env.get("agents") or ()) or 1
        return steps // at_once

    def _read(self, number: int) -> Unit:
        parts = [self._part(row) for row in self._rows(number)]
        return units.aec(parts) if str(self.env["api"]).endswith("aec") else units.parallel(parts)


class _DictChain(_ZooChain):
    """An environment that returns dicts by agent: agents may join late, and come back."""

    def _rows(self, number: int) -> list[EpisodeRow]:
        group, next_one = f"{self.key}.{number}", f"{self.key}.{number + 1}"
        try:  # whoever begins this episode joined after somebody of the one before
            first = super()._rows(number - 1)[0].index if number else 0
        except ReplayError:
            first = 0  # nobody of those who were there at the environment's first reset took part in it
        found: list[EpisodeRow] = []
        while True:
            page = self._reader.episodes(first_index=first, limit=_PAGE)
            found += [row for row in page if row.group == group]
            if len(page) < _PAGE or any(row.group == next_one for row in page):
                break
            first = page[-1].index + 1
        if not found:
            raise ReplayError(f"an earlier episode, {group}, is missing in the record")
        return found

    def turns_between(self, start: int, stop: int) -> int:
        return sum(self.unit(number).turns for number in range(start, stop))

    def _read(self, number: int) -> Unit:
        return units.dicts([self._part(row) for row in self._rows(number)])


class _VectorChain(Chain):
    """An environment vectorised in itself: a unit lasts from one reset of the whole to the next."""

    def __init__(self, reader: StoreReader, key: str, env: dict[str, Any], *, kept: int = 8) -> None:
        super().__init__(reader, key, env, kept=kept)
        self._spans: list[list[EpisodeRow]] = []
        self._of: dict[int, int] = {}
        for number in range(1 << 62):
            try:
                row = reader.episode(f"{key}.{number}")
            except UsageError:
                break
            self._sort_in(row)

    def _sort_in(self, row: EpisodeRow) -> None:
        reset = self._reader.reset(row.index)
        whole = row.env_index == 0 and (bool(reset.get("seeded")) or reset.get("rng") is not None)
        if whole or not self._spans:
            self._spans.append([])
        self._spans[-1].append(row)
        self._of[row.index] = len(self._spans) - 1

    def number(self, row: EpisodeRow) -> int:
        if row.index not in self._of:
            raise ReplayError(f"episode {row.index} is not part of the record of {self.key}")
        return self._of[row.index]

    def focus(self, row: EpisodeRow) -> str:
        return str(row.env_index)

    def last_seeded(self, number: int) -> int:
        return next((k for k in range(number - 1, -1, -1) if self._spans[k][0].seed is not None), 0)

    def turns_between(self, start: int, stop: int) -> int:
        return sum(self.unit(number).turns for number in range(start, stop))

    def _read(self, number: int) -> Unit:
        parts = [self._part(row) for row in self._spans[number]]
        named = str(self.env.get("autoreset") or "SameStep").lower()
        return units.vector(
            parts, num_envs=int(self.env.get("num_envs") or 1), mode=_MODES.get(named, "next_step")
        )
