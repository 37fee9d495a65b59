"""The lists of telemetry: bounded, in order, plain, and honest about what was left out."""

from __future__ import annotations

from mosaic.protocol.rows import EpisodeRow, StepRow
from mosaic.protocol.runs import RunState
from mosaic.ui.telemetry.model import News, StepLine, Telemetry, episode_cells, step_cells


def step(number: int, **more: object) -> StepLine:
    given = {"action": 1, "reward": 0.5, "terminated": False, "truncated": False, "obs": [1, 2], "t": 0.0}
    return StepLine("e0", StepRow(step=number, **{**given, **more}))  # type: ignore[arg-type]


def said(telemetry: Telemetry, *, state: RunState = RunState.RUNNING, connected: bool = True) -> str:
    return telemetry.said(state=state, connected=connected)


def test_only_the_newest_are_kept_and_come_first() -> None:
    telemetry = Telemetry(steps=3, episodes=2)
    episodes = [EpisodeRow(episode_id=f"e{n}", index=n) for n in range(5)]
    telemetry.take(News(steps=[step(n) for n in range(10)], episodes=episodes))
    assert [line.row.step for line in telemetry.newest_steps()] == [9, 8, 7]
    assert [row.index for row in telemetry.newest_episodes()] == [4, 3]


def test_an_episode_that_changed_replaces_itself() -> None:
    telemetry = Telemetry()
    telemetry.take(News(episodes=[EpisodeRow(episode_id="e0", index=0, steps=1)]))
    telemetry.take(News(episodes=[EpisodeRow(episode_id="e0", index=0, steps=2, outcome="terminated")]))
    assert [row.steps for row in telemetry.newest_episodes()] == [2]


def test_what_was_skipped_is_added_up_and_said() -> None:
    telemetry = Telemetry()
    for skipped in (1000, 500):
        telemetry.take(News(steps=[step(1)], skipped_events=skipped))
    assert said(telemetry) == "Live. Skipped 1,500 events to keep up; all of them are in the store."


def test_a_store_that_was_built_anew_replaces_what_was_known() -> None:
    telemetry = Telemetry()
    telemetry.take(News(steps=[step(1)], episodes=[EpisodeRow(episode_id="e0", index=0)], skipped_events=3))
    telemetry.take(News(steps=[step(2)], anew=True))
    assert [line.row.step for line in telemetry.newest_steps()] == [2]
    assert (telemetry.newest_episodes(), telemetry.skipped_events) == ([], 0)


def test_its_state_is_said_in_order() -> None:
    telemetry = Telemetry()
    told = [said(telemetry)]
    telemetry.take(News())
    told += [said(telemetry), said(telemetry, state=RunState.PAUSED)]
    telemetry.take(News(steps=[step(1)]))
    told += [said(telemetry), said(telemetry, connected=False)]
    told += [said(telemetry, state=state) for state in (RunState.PAUSED, RunState.FAILED)]
    telemetry.fail("the disk is gone")
    told.append(said(telemetry))
    telemetry.take(News())
    told.append(said(telemetry))
    telemetry.clear()
    told.append(said(telemetry))
    assert told == [
        "Reading…",
        "Waiting for the run's first step.",
        "The run is paused before its first step.",
        "Live.",
        "Waiting for the daemon: without it nothing new is stored.",
        "The run is paused; these were its last steps.",
        "The run has ended; these were its last steps.",
        "Cannot be read, trying again: the disk is gone",
        "Live.",
        "Reading…",
    ]


def test_a_step_is_one_line_of_plain_text() -> None:
    line = step(1234, action="\x1b[31mred", terminated=True, truncated=True, reward=float("nan"))
    assert step_cells(line, "7") == ("7", "1,234", "\\x1b[31mred", "NaN", "terminated, truncated", "[1, 2]")


def test_an_episode_is_one_line_of_plain_text() -> None:
    row = EpisodeRow(
        episode_id="e",
        index=1500,
        steps=20,
        return_=3.5,
        seed=7,
        outcome="terminated",
        t_start=1.0,
        t_end=3.0,
    )
    assert episode_cells(row) == ("1,500", "3.5", "20", "terminated", "2.0 s", "0", "7")
    assert episode_cells(EpisodeRow(episode_id="e", index=0))[3] == "under way"
    assert episode_cells(EpisodeRow(episode_id="e", index=0, agent_id="red\n", t_end=1.0))[5] == "0 · red\\n"
