"""One open episode on a thread of its own: a player blocks, a window must not.

Only the newest request counts: a seek that another one overtakes is never drawn. While it plays, the frames
to come are fetched ahead. The audience is called on the window's thread.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mosaic.errors import ConsentNeededError, MosaicError, ReplayCancelledError, ReplayError
from mosaic.replay.player import Player
from mosaic.ui.replay.insight import insights_of
from mosaic.ui.shell.model.views import FRAME, offered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow, StepRow
    from mosaic.replay.cache import Frame
    from mosaic.replay.verdicts import Verdict
    from mosaic.ui.replay.insight import Insight
    from mosaic_worker.common.scene import Scene

__all__ = ["Audience", "Opened", "Projector", "SceneAt"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An episode that can be shown."""

    row: EpisodeRow
    steps: list[StepRow]
    verdict: Verdict
    fps: float
    env_id: str
    views: tuple[str, ...] = (FRAME,)
    """What can be shown of it."""
    insights: dict[int, Insight] = field(default_factory=dict)
    """What is known of its decisions, by step."""

    @property
    def last(self) -> int:
        """The number of its last frame."""
        return len(self.steps)


@dataclass(frozen=True)
class SceneAt:
    """What is there after `step` steps."""

    step: int
    scene: Scene


@dataclass(frozen=True, kw_only=True)
class Audience:
    """Who is called by a projector, on the window's thread.

    `failed` is called when the episode cannot be opened, with the module that would have to be allowed first,
    if that is the reason; `problem` when one frame could not be had.
    """

    progress: Callable[[int, int], object]
    opened: Callable[[Opened], object]
    shown: Callable[[Frame | SceneAt], object]
    failed: Callable[[str, str], object]
    problem: Callable[[str], object]


class Projector:
    """Shows one episode of one run.

    Args:
        folder: the run.
        episode: its index.
        allowed: modules that may be imported for it.
        post: has a call made on the window's thread.
        audience: who is called with what comes of it.
    """

    def __init__(
        self,
        folder: RunFolder,
        episode: int,
        *,
        allowed: Sequence[str] = (),
        post: Callable[[Callable[[], object]], None],
        audience: Audience,
    ) -> None:
        self.episode = episode
        self._folder, self._allowed = folder, tuple(allowed)
        self._post, self._audience = post, audience
        self._news = threading.Condition()
        self._wanted: int | None = None
        self._ahead, self._view = 0, FRAME
        self._closed = False
        self._player: Player | None = None
        self._thread = threading.Thread(target=self._run, name=f"replay {episode}", daemon=True)
        self._thread.start()

    # ---- on the window's thread ----

    def seek(self, step: int, *, ahead: int = 0, view: str = FRAME) -> None:
        """Show this frame, or its scene, next, whatever was asked for before.

        `ahead` says which way to fetch frames on; scenes are made as quickly as they are asked for.
        """
        with self._news:
            self._wanted, self._ahead, self._view = step, ahead if view == FRAME else 0, view
            self._news.notify()

    def close(self) -> None:
        """Show nothing more and end the child. Does not wait for it; twice is fine."""
        with self._news:
            self._closed = True
            self._news.notify()
            player = self._player
        if player is not None:  # killing a process takes a moment: not the window's
            threading.Thread(target=player.cancel, name="end replay", daemon=True).start()

    def join(self, timeout_secs: float) -> bool:
        """Wait until the thread has ended; whether it has."""
        self._thread.join(timeout_secs)
        return not self._thread.is_alive()

    # ---- on its own thread ----

    def _run(self) -> None:
        try:
            with Player(
                self._folder,
                self.episode,
                allowed=self._allowed,
                progress=self._progress,
                opening=self._opening,
            ) as player:
                self._tell(self._audience.opened, _opened(player))
                self._serve(player)
        except ReplayCancelledError:
            return
        except ConsentNeededError as error:
            self._tell(self._audience.failed, str(error), error.module)
        except (MosaicError, OSError) as error:
            self._tell(self._audience.failed, str(error), "")
        except Exception as error:  # noqa: BLE001  (a defect: told and logged, the window lives on)
            _log.exception("a replay failed")
            self._tell(self._audience.failed, f"{type(error).__name__}: {error}", "")

    def _opening(self, player: Player) -> None:
        with self._news:
            self._player = player
            if self._closed:
                player.cancel()

    def _progress(self, done: int, of: int) -> None:
        if self._closed:
            raise ReplayCancelledError("the replay was closed")
        self._tell(self._audience.progress, done, of)

    def _serve(self, player: Player) -> None:
        shown: int | None = None
        while True:
            with self._news:
                if self._wanted is None and not self._closed and not self._worth_fetching(player, shown):
                    self._news.wait()
                if self._closed:
                    return
                wanted, self._wanted, view = self._wanted, None, self._view
            try:
                if wanted is not None:
                    self._tell(self._audience.shown, _shown(player, wanted, view))
                    shown = wanted
                elif shown is not None and self._worth_fetching(player, shown):
                    player.frame(shown + self._ahead)
                    self._ahead = 0  # once per frame shown; the player itself fetches a block
            except ReplayCancelledError:
                return
            except MosaicError as error:
                self._ahead = 0
                self._tell(self._audience.problem, str(error))

    def _worth_fetching(self, player: Player, shown: int | None) -> bool:
        return shown is not None and self._ahead != 0 and 0 <= shown + self._ahead <= player.steps

    def _tell(self, call: Callable[..., object], *given: Any) -> None:
        self._post(lambda: None if self._closed else call(*given))


def _shown(player: Player, step: int, view: str) -> Frame | SceneAt:
    if view == FRAME:
        return player.frame(step)
    scene = player.scene(step)
    if scene is None:
        raise ReplayError(f"step {step} has no scene: MOSAIC cannot tell what is there in {player.env_name}")
    return SceneAt(step, scene)


def _opened(player: Player) -> Opened:
    return Opened(
        row=player.row,
        steps=player.recorded,
        verdict=player.verdict,
        fps=player.fps,
        env_id=str(player.environment.get("id") or player.row.env_id or ""),
        insights=insights_of(player.decisions()),
        views=offered(frames=player.has_frames or not player.has_scene, scenes=player.has_scene),
    )
