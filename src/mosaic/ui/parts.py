"""The parts of the window, each with its models. The one module that knows how they are put together.

Importing this loads all of them, which takes a moment: the window does so once it is on the screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mosaic.ui.charts.feed import ChartsFeed
from mosaic.ui.charts.model import Charts
from mosaic.ui.charts.panel import ChartsPanel
from mosaic.ui.checkpoints.feed import CheckpointsFeed
from mosaic.ui.checkpoints.model import Checkpoints
from mosaic.ui.checkpoints.panel import CheckpointsPanel
from mosaic.ui.details.feed import DetailsFeed
from mosaic.ui.details.model import Details
from mosaic.ui.details.panel import DetailsPanel
from mosaic.ui.episodes.feed import EpisodesFeed
from mosaic.ui.episodes.model import EpisodeList
from mosaic.ui.episodes.panel import EpisodesPanel
from mosaic.ui.launch.evaluating import Evaluating
from mosaic.ui.launch.launching import Launching
from mosaic.ui.launch.model.catalog import Catalog
from mosaic.ui.launch.panel import LaunchPanel
from mosaic.ui.live.model import Live
from mosaic.ui.live.tab import LiveTab
from mosaic.ui.logs.drawer import LogDrawer
from mosaic.ui.logs.feed import LogFeed
from mosaic.ui.logs.model import Log
from mosaic.ui.play.bar import PlayBar
from mosaic.ui.play.mode_panel import ModePanel
from mosaic.ui.play.model.modes import Modes
from mosaic.ui.play.model.playing import Playing
from mosaic.ui.play.model.results import Results
from mosaic.ui.play.model.several import Several
from mosaic.ui.play.side_by_side import SideBySide
from mosaic.ui.play.starting import Starting
from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.replaying import Replaying
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.runs.model.deletions import Deletions
from mosaic.ui.runs.model.table import RunTable
from mosaic.ui.runs.panel import RunPanel
from mosaic.ui.telemetry.feed import TelemetryFeed
from mosaic.ui.telemetry.model import Telemetry
from mosaic.ui.telemetry.tab import TelemetryTab
from mosaic.ui.welcome.panel import WelcomePanel

if TYPE_CHECKING:
    from mosaic.ui.shell.context import Context

__all__ = [
    "Parts",
    "make_charts",
    "make_checkpoints",
    "make_details",
    "make_episodes",
    "make_launch",
    "make_live",
    "make_logs",
    "make_modes",
    "make_parts",
    "make_play",
    "make_replay",
    "make_runs",
    "make_side_by_side",
    "make_telemetry",
]


class Parts(NamedTuple):
    """Everything that is in the window. A part that has things to do has a method `commands`."""

    runs: RunPanel
    launch: LaunchPanel
    live: LiveTab
    telemetry: TelemetryTab
    replay: ReplayTab
    charts: ChartsPanel
    details: DetailsPanel
    episodes: EpisodesPanel
    checkpoints: CheckpointsPanel
    logs: LogDrawer
    welcome: WelcomePanel
    play: PlayBar
    modes: ModePanel
    side_by_side: SideBySide


def make_parts(context: Context) -> Parts:
    """All parts of one window."""
    launch, live = make_launch(context), make_live(context)
    return Parts(
        runs=make_runs(context),
        launch=launch,
        live=live,
        telemetry=make_telemetry(context),
        replay=make_replay(context),
        charts=make_charts(context),
        details=make_details(context),
        episodes=make_episodes(context),
        checkpoints=make_checkpoints(context),
        logs=make_logs(context),
        welcome=WelcomePanel(context, launch.launching.catalog, look=launch.launching.look),
        play=make_play(context, live),
        modes=make_modes(context, launch),
        side_by_side=make_side_by_side(context),
    )


def make_runs(context: Context) -> RunPanel:
    """The list of runs."""
    deletions = Deletions()
    return RunPanel(context, RunTable(context.runs, deletions), deletions)


def make_launch(context: Context) -> LaunchPanel:
    """The launch form."""
    launching = Launching(context, Catalog())
    return LaunchPanel(context, launching, Evaluating(context, launching))


def make_live(context: Context) -> LiveTab:
    """The live view."""
    return LiveTab(context, Live(context.root, views=context.views))


def make_play(context: Context, live: LiveTab) -> PlayBar:
    """The controls of a session, below its frames."""
    return PlayBar(context, Playing(), live)


def make_modes(context: Context, launch: LaunchPanel) -> ModePanel:
    """Human, Hybrid or Agent: the forms of sessions, and around the launch form."""
    return ModePanel(context, Modes(), Starting(context), launch)


def make_side_by_side(context: Context) -> SideBySide:
    """The chosen sessions beside each other, and what they came to."""
    return SideBySide(context, Several(), Results())


def make_telemetry(context: Context) -> TelemetryTab:
    """The last steps and episodes."""
    telemetry = Telemetry()
    return TelemetryTab(context, telemetry, TelemetryFeed(context, telemetry))


def make_replay(context: Context) -> ReplayTab:
    """The replay."""
    return ReplayTab(context, Replaying(context, Transport()))


def make_charts(context: Context) -> ChartsPanel:
    """The charts."""
    charts = Charts()
    return ChartsPanel(context, charts, ChartsFeed(context, charts))


def make_details(context: Context) -> DetailsPanel:
    """Everything about one run."""
    details = Details()
    return DetailsPanel(context, details, DetailsFeed(context, details))


def make_episodes(context: Context) -> EpisodesPanel:
    """The episodes of one run."""
    listed = EpisodeList()
    return EpisodesPanel(context, listed, EpisodesFeed(context, listed))


def make_checkpoints(context: Context) -> CheckpointsPanel:
    """The checkpoints of one run, or of all."""
    listed = Checkpoints()
    return CheckpointsPanel(context, listed, CheckpointsFeed(context, listed))


def make_logs(context: Context) -> LogDrawer:
    """The log."""
    log = Log()
    return LogDrawer(context, log, LogFeed(context, log))
