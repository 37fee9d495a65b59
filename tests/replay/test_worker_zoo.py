"""PettingZoo environments stepped as recorded: compared agent by agent, where the recorder looked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

from mosaic_worker.replay.zoo import AecSim, ParallelSim
from tests.replay import taken
from tests.worker.zoo import Counting, Growing, Leaving

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Found, Sim
    from mosaic_worker.replay.units import Unit


def play(sim: Sim, unit: Unit) -> dict[int, Found]:
    """Turn by turn what differed, the reset being -1."""
    found = {-1: sim.reset(unit)}
    while sim.turn < len(unit.turns):
        turn = sim.turn
        found[turn] = sim.step(unit)
    sim.close()
    return {turn: one for turn, one in found.items() if one}


def told(found: dict[int, Found]) -> list[tuple[int, str, str]]:
    """Turn, whose and what of everything that differed."""
    return [(turn, whose, one["what"]) for turn, some in found.items() for whose, one in some]


# ---- all at once ----


def rounds() -> Unit:
    moves = [{"player_0": 0, "player_1": k % 3} for k in range(5)]
    return taken.parallel(rps.parallel_env(max_cycles=5), moves)


def test_agents_that_act_at_once_come_out_as_recorded() -> None:
    assert play(ParallelSim(rps.parallel_env(max_cycles=5)), rounds()) == {}
    growing = taken.parallel(
        Growing(), [{"first": 1}, {"first": 2}, {"first": 3, "second": 4}, {"second": 5}]
    )
    assert play(ParallelSim(Growing()), growing) == {}


@pytest.mark.parametrize(
    ("part", "value", "what"), [(0, 0, "reward"), (1, 7.0, "reward"), (2, 1, "terminated"), (3, 0, "obs")]
)
def test_each_part_of_each_agents_turn_is_compared(part: int, value: Any, what: str) -> None:
    unit = rounds()
    unit.turns[2]["player_1"][part] = value
    found = told(play(ParallelSim(rps.parallel_env(max_cycles=5)), unit))
    assert found[0][0] == 2
    assert (2, "player_1", what) in found
    if part:
        assert found == [(2, "player_1", what)]  # it is not held against the other one


def test_what_an_agent_saw_at_the_reset_is_compared_where_it_was_recorded() -> None:
    unit = rounds()
    unit.first["player_1"] = 0
    assert told(play(ParallelSim(rps.parallel_env(max_cycles=5)), unit)) == [(-1, "player_1", "obs")]
    unit.first = {"player_1": None}
    assert told(play(ParallelSim(rps.parallel_env(max_cycles=5)), unit)) == []
    unit.first = None
    assert told(play(ParallelSim(rps.parallel_env(max_cycles=5)), unit)) == []


def test_an_agent_that_is_gone_is_told_and_the_others_are_still_compared() -> None:
    unit = taken.parallel(Leaving(), [{"a": 1, "b": 2}, {"a": 3}])
    assert play(ParallelSim(Leaving()), unit) == {}
    unit.turns[1]["b"] = [2, 2.0, 0, 2]
    unit.turns[1]["a"][1] = 4.0
    found = play(ParallelSim(Leaving()), unit)
    assert told(found) == [(1, "b", "agent"), (1, "a", "reward")]
    assert found[1][0][1] == {"what": "agent", "recorded": "taking part", "now": "gone"}


# ---- one after the other ----


def game(actions: list[int] | None = None, **kind: Any) -> tuple[AecSim, Unit]:
    """A record of agents that take turns, and an environment to play it in."""
    return AecSim(Counting(**kind)), taken.aec(Counting(**kind), actions or [1, 2, 3, 4, 5, 6, 7, 8])


@pytest.mark.parametrize(
    "kind",
    [{}, {"deaths": {"a": 3}}, {"names": ("a", "b", "c"), "deaths": {"b": 2, "c": 5}}],
    ids=str,
)
def test_agents_that_take_turns_come_out_as_recorded_deaths_included(kind: dict[str, Any]) -> None:
    sim, unit = game(**kind)
    assert play(sim, unit) == {}
    assert unit.turns[0] == ["a", 1]


def test_a_real_game_comes_out_as_recorded_to_its_end_and_when_it_was_cut() -> None:
    moves = [4, 0, 2, 6, 3, 5, 1, 7, 8]
    for count in (9, 4, 1):
        unit = taken.aec(tictactoe.env(), moves[:count])
        assert len(unit.turns) == count
        assert play(AecSim(tictactoe.env()), unit) == {}


def test_an_agents_step_is_compared_at_its_next_turn_and_told_of_the_turn_it_acted_in() -> None:
    sim, unit = game()
    unit.agents["b"]["steps"][0][0] += 1.0
    found = play(sim, unit)
    assert told(found) == [(3, "b", "reward")]
    assert found[3][0][1]["at"] == 1


@pytest.mark.parametrize(
    ("part", "value", "what"), [(0, 9.0, "reward"), (1, 1, "terminated"), (2, 99, "obs")]
)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_step_of_an_agent_is_compared_part_by_part(
    part: int, value: Any, what: str, number: int
) -> None:
    sim, unit = game()
    unit.agents["a"]["steps"][number][part] = value
    ((_, [(whose, one)]),) = play(sim, unit).items()
    assert (whose, one["what"], one["at"]) == ("a", what, 2 * number)


def test_what_an_agent_saw_when_it_joined_is_compared_once() -> None:
    sim, unit = game()
    unit.agents["b"]["first"] = 77
    assert told(play(sim, unit)) == [(1, "b", "obs")]


def test_observations_that_nobody_asked_for_are_not_asked_for() -> None:
    class Blind(Counting):
        def observe(self, agent: str) -> int:
            raise AssertionError("it was asked")

    _, unit = game()
    for agent in unit.agents.values():
        agent["first"] = None
        for step in agent["steps"]:
            step[2] = None
    assert play(AecSim(Blind()), unit) == {}


def test_a_turn_that_is_another_agents_is_told() -> None:
    sim, unit = game()
    unit.turns[1][0] = "a"
    found = play(sim, unit)
    assert found[1][0] == ("a", {"what": "turn", "recorded": "a", "now": "b"})


def test_a_death_that_was_not_recorded_is_told_and_the_dead_one_does_nothing() -> None:
    _, unit = game()
    found = told(play(AecSim(Counting(deaths={"a": 3})), unit))
    # It acts once more to leave, before the others act: what it gained by them is missing.
    assert found[:2] == [(3, "b", "turn"), (3, "a", "reward")]


def test_an_agent_without_a_record_is_played_and_not_compared() -> None:
    sim, unit = game()
    del unit.agents["b"]
    assert play(sim, unit) == {}


def test_a_record_that_stops_early_is_settled_as_the_environment_stands() -> None:
    _, unit = game([1, 2, 3])
    assert len(unit.turns) == 3
    assert play(AecSim(Counting()), unit) == {}
    unit.agents["b"]["steps"][0][0] += 1.0  # it never had another turn
    assert told(play(AecSim(Counting()), unit)) == [(2, "b", "reward")]


def test_last_steps_are_settled_before_the_dead_leave() -> None:
    sim, unit = game()
    unit.turns += [None, None]
    unit.agents["b"]["steps"][-1][0] += 1.0
    assert told(play(sim, unit)) == [(5, "b", "reward")]


def test_what_came_of_the_last_step_is_not_compared_where_nobody_wrote_how_it_ended() -> None:
    sim, unit = game(actions=[1, 2, 3, 4, 5])
    unit.agents["a"]["steps"][-1][0] += 1.0  # paid in a turn that is not in the record
    assert told(play(sim, unit)) == [(4, "a", "reward")]
    sim, unit = game(actions=[1, 2, 3, 4, 5])
    unit.agents["a"]["open"] = True
    unit.agents["a"]["steps"][-1][0] += 1.0
    assert play(sim, unit) == {}
    sim, unit = game(actions=[1, 2, 3, 4, 5])
    unit.agents["a"]["open"] = True
    unit.agents["a"]["steps"][-2][0] += 1.0
    assert told(play(sim, unit)) != []


def test_what_is_remembered_begins_anew_with_every_unit() -> None:
    sim, unit = game()
    sim.reset(unit)
    sim.step(unit)
    assert (sim.books["joined"], sim.books["waiting"]) == (["a"], {"a": 0})
    sim.reset(unit)
    assert sim.books == {"joined": [], "waiting": {}, "settled": {}}
    sim.close()


def test_a_scene_marks_the_last_move_and_the_steps_of_dead_agents_are_none() -> None:
    unit = taken.aec(tictactoe.env(), [0, 1, 3, 4, 6])  # cross takes the first row
    unit.turns += [None, None]  # both are stepped out
    sim = AecSim(tictactoe.env())
    sim.reset(unit)
    marked = []
    for _ in range(len(unit.turns)):
        sim.step(unit)
        scene = sim.scene(unit)
        assert scene is not None
        marked.append([item[:2] for item in scene.items if getattr(item, "fill", "") == "mark.last"])
    assert marked == [[(0, 0)], [(0, 1)], [(1, 0)], [(1, 1)], *[[(2, 0)]] * 3]
