"""The episodes of an environment that is vectorised in itself: one track per position. Knows no framework.

How a position starts its next episode depends on the autoreset mode: in the step after the end
(`next_step`), in the same step, with the true last observation in `infos` (`same_step`), or when the
script resets it (`disabled`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker.episodes import Describe, Shared, Track

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["MODES", "VectorTrack", "at", "autoreset_mode", "final"]

MODES = ("next_step", "same_step", "disabled")
_FINAL = ("final_obs", "final_observation")


class VectorTrack:
    """One track per position of a vector environment.

    Args:
        recorder: where lines go.
        num_envs: how many positions.
        mode: one of `MODES`.
        tuples: whether observations, and whether actions, are tuples of batches (not batches of tuples).
    """

    def __init__(
        self, recorder: Recorder, *, num_envs: int, mode: str, tuples: Tuple[bool, bool] = (False, False)
    ) -> None:
        self._recorder = recorder
        self._num_envs = num_envs
        self._mode = mode
        self._tuple_obs, self._tuple_actions = tuples
        self.owner = 0
        self.dormant = self.busy = False
        self._start_afresh()

    def _start_afresh(self) -> None:
        shared, group = Shared(), self._recorder.new_group()
        self._epoch = self._recorder.epoch
        self._ended = [False] * self._num_envs
        self._tracks = [
            Track(self._recorder, env_index=index, group=group, shared=shared)
            for index in range(self._num_envs)
        ]

    def begin(
        self,
        obs: Any,
        *,
        seed: Any = None,
        options: Any = None,
        rng: Optional[Dict[str, Any]] = None,
        describe: Optional[Describe] = None,
    ) -> None:
        """The whole, or what `options["reset_mask"]` picks of it, was reset.

        The generator is one for all positions: its state is written with the first of them.
        """
        if self._epoch != self._recorder.epoch:
            self._start_afresh()
        self.dormant = False
        mask = options.get("reset_mask") if isinstance(options, dict) else None
        for index, track in enumerate(self._tracks):
            if mask is not None and not mask[index]:
                continue
            self._ended[index] = False
            track.begin(
                at(obs, index, in_tuple=self._tuple_obs),
                seed=seed if seed is None or isinstance(seed, int) else seed[index],
                options=options,
                rng=rng,
                describe=describe,
            )
            rng = None

    def standing(self, position: int) -> Optional[Tuple[str, int]]:
        """A position's open episode, and the number its next step will have; None when it has none."""
        track = self._tracks[position]
        return (track.episode_id, track.step_count) if track.episode_id else None

    def step(self, actions: Any, obs: Any, rewards: Any, ended: Tuple[Any, Any], infos: Any) -> None:
        """Every position was stepped, or restarted by itself. `ended` is (terminated, truncated)."""
        if self.dormant or self._epoch != self._recorder.epoch:
            return
        terminated, truncated = ended
        for index, track in enumerate(self._tracks):
            after = at(obs, index, in_tuple=self._tuple_obs)
            # After an end this "step" was the environment's own reset: it ignored the action, and its reward
            # belongs to no episode.
            if self._ended[index] and self._mode == "next_step":
                self._ended[index] = False
                track.begin(after)
                continue
            over = bool(terminated[index] or truncated[index])
            self._ended[index] = over
            restarted = over and self._mode == "same_step"
            track.step(
                at(actions, index, in_tuple=self._tuple_actions),
                final(infos, index) if restarted else after,
                rewards[index],
                terminated[index],
                truncated[index],
            )
            if restarted:
                track.begin(after)

    @property
    def shared(self) -> Shared:
        """What all positions share."""
        return self._tracks[0].shared

    @property
    def tracks(self) -> List[Track]:
        """The track of each position."""
        return self._tracks

    def cut(self) -> None:
        """End every open episode where it stands."""
        for track in self._tracks:
            track.cut()

    def __deepcopy__(self, _: Any) -> VectorTrack:
        copy = VectorTrack(
            self._recorder,
            num_envs=self._num_envs,
            mode=self._mode,
            tuples=(self._tuple_obs, self._tuple_actions),
        )
        copy.dormant = True
        return copy

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(None), ())


def at(batch: Any, index: int, *, in_tuple: bool = False) -> Any:
    """One position's part of a batch: of dicts of batches, tuples of batches, arrays or sequences."""
    if isinstance(batch, dict):
        return {key: at(part, index) for key, part in batch.items()}
    if in_tuple and isinstance(batch, tuple):
        return tuple(at(part, index) for part in batch)
    return batch[index]


def autoreset_mode(env: Any) -> str:
    """Which of `MODES` an environment has; versions of gymnasium that name none restart in the same step."""
    named = getattr((getattr(env, "metadata", None) or {}).get("autoreset_mode"), "value", None)
    for mode in MODES:
        if mode.replace("_", "") == (named or "SameStep").lower():
            return mode
    return "next_step"


def final(infos: Any, index: int) -> Any:
    """The true last observation of a position that restarted in the same step."""
    for name in _FINAL:
        if name in infos:
            return at(infos[name], index)
    return None
