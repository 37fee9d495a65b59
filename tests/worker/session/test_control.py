from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.session.control import NOTHING, Control, Hand, RefusedError
from mosaic_worker.session.operator import OperatorError

FOUR = gym.spaces.Discrete(4)


def view(step: int = 0, rule: Any = None) -> Any:
    return SimpleNamespace(step=step, returned=0.0, rule=rule)


def control(*, rest: Any = NOTHING, person: bool = True, **how: Any) -> tuple[Control, Hand]:
    hand = Hand("", operator="person" if person else "policy", space=FOUR, rest=rest, person=person)
    hand.see(view())
    return Control({"": hand}, **how), hand


def two_seats() -> Control:
    return Control({name: Hand(name, operator="random", space=FOUR) for name in ("player_0", "player_1")})


def obey(one: Control, do: str, *, client: int = 1, **more: Any) -> None:
    one.obey(client, f"client {client}", {"do": do, **more})


def refused(one: Control, do: str, *, client: int = 1, **more: Any) -> str:
    with pytest.raises(RefusedError) as error:
        obey(one, do, client=client, **more)
    return str(error.value)


def test_a_seat_is_taken_by_one_and_the_other_is_told_who_has_it() -> None:
    one, hand = control(person=False)
    obey(one, "take")
    assert refused(one, "take", client=2).startswith("client 1 has this seat")
    assert refused(one, "act", client=2, action=1) == "take the seat first: client 1 has it"
    obey(one, "give")
    obey(one, "take", client=2)
    assert hand.owner is not None
    assert hand.owner.name == "client 2"


def test_nobody_acts_in_a_seat_that_was_not_taken() -> None:
    one, _ = control()
    assert refused(one, "act", action=1) == "take the seat first"
    assert refused(one, "hold", action=1) == "take the seat first"
    assert refused(one, "give") == "take the seat first"


def test_an_action_is_used_once_and_the_latest_counts() -> None:
    one, hand = control()
    obey(one, "take")
    assert one.answer(hand) is NOTHING
    obey(one, "act", action=1)
    obey(one, "act", action=2)
    assert one.answer(hand) == 2
    assert one.answer(hand) is NOTHING


def test_turn_by_turn_a_key_that_stays_down_counts_once() -> None:
    one, hand = control(pace="turn")
    obey(one, "take")
    obey(one, "hold", action=3)
    assert one.answer(hand) == 3
    assert one.answer(hand) is NOTHING


def test_under_a_tick_a_held_key_counts_at_every_tick_and_rest_when_it_is_let_go() -> None:
    one, hand = control(rest=0, pace="tick")
    obey(one, "take")
    obey(one, "hold", action=3)
    hand.see(view(step=1))
    assert [one.answer(hand), one.answer(hand)] == [3, 3]
    obey(one, "hold")
    assert one.answer(hand) == 0


def test_a_key_pressed_and_let_go_between_two_ticks_counts_once() -> None:
    one, hand = control(rest=0, pace="tick")
    obey(one, "take")
    hand.see(view(step=1))
    obey(one, "hold", action=3)
    obey(one, "hold", action=None)
    assert [one.answer(hand), one.answer(hand)] == [3, 0]


def test_a_persons_episode_under_a_tick_begins_with_the_first_key() -> None:
    one, hand = control(rest=0, pace="tick")
    obey(one, "take")
    assert one.answer(hand) is NOTHING
    obey(one, "hold", action=3)
    assert one.answer(hand) == 3


def test_who_relieves_a_policy_under_a_tick_rests_from_the_first_moment() -> None:
    one, hand = control(rest=0, pace="tick", person=False)
    obey(one, "take")
    assert one.answer(hand) == 0


def test_under_a_tick_without_an_action_for_rest_a_person_is_waited_for() -> None:
    one, hand = control(pace="tick")
    obey(one, "take")
    hand.see(view(step=5))
    assert one.answer(hand) is NOTHING


def test_who_leaves_gives_everything_back_and_no_key_stays_down() -> None:
    one, hand = control(rest=0, pace="tick", person=False)
    obey(one, "take")
    obey(one, "hold", action=3)
    one.left(2)
    assert hand.owner is not None
    one.left(1)
    assert not hand.played
    obey(one, "take", client=2)
    assert one.answer(hand) == 0


def test_actions_are_checked_when_they_are_ordered() -> None:
    one, _ = control()
    obey(one, "take")
    assert refused(one, "act", action=7) == "7, which is not an action of Discrete(4)"
    assert refused(one, "hold", action="left") == "'left', which is not an action of Discrete(4)"


def test_an_illegal_move_is_refused_while_it_is_waited_for_and_dropped_with_a_word_when_it_became_one() -> (
    None
):
    one, hand = control()
    obey(one, "take")
    obey(one, "act", action=1)  # before its turn: the rules of that moment are not known yet
    hand.see(view(rule=np.array([1, 0, 1, 0], np.int8)))
    assert hand.legal() == [0, 2]
    assert one.answer(hand) is NOTHING
    assert hand.trouble.startswith("it answered 1, which is not legal now")
    hand.waits = True
    assert "legal are [0, 2]" in refused(one, "act", action=3)
    obey(one, "act", action=2)
    assert (one.answer(hand), hand.trouble) == (2, "")


def test_an_action_meant_for_a_step_that_has_passed_is_refused() -> None:
    one, hand = control()
    obey(one, "take")
    hand.see(view(step=4))
    assert refused(one, "act", action=1, step=3) == "that was for step 3, and it is step 4 now"
    obey(one, "act", action=1, step=4)


def test_an_action_meant_for_a_step_to_come_is_refused() -> None:
    one, hand = control()
    obey(one, "take")
    hand.see(view(step=4))
    assert refused(one, "act", action=1, step=5) == "that was for step 5, and it is step 4 now"
    assert one.answer(hand) is NOTHING


def test_an_action_meant_for_a_step_that_was_decided_is_refused_while_it_is_the_others_turn() -> None:
    one = two_seats()
    obey(one, "take", actor="player_0")
    one.see({"player_0": view(step=0)})
    one.see({"player_1": view(step=0)})
    assert refused(one, "act", actor="player_0", action=1, step=0).startswith("that was for step 0")
    one.see({"player_1": view(step=1)})  # some have two turns in a row
    obey(one, "act", actor="player_0", action=2, step=1)
    one.see({"player_0": view(step=1)})
    assert one.answer(one.hands["player_0"]) == 2


def test_of_a_new_episode_nothing_of_the_last_one_is_told_before_the_first_turn() -> None:
    one = two_seats()
    one.see({"player_1": SimpleNamespace(step=7, returned=2.0, rule=None)})  # type: ignore[dict-item]
    one.begin(episode=1, seed=2)
    one.see({"player_0": view(step=0)})
    assert [(seat["step"], seat["returned"]) for seat in one.now(1)["seats"]] == [(0, 0.0), (0, 0.0)]
    obey(one, "take", actor="player_1")
    obey(one, "act", actor="player_1", action=1, step=0)


def test_what_is_held_at_the_tick_counts_before_what_was_pressed_in_between() -> None:
    one, hand = control(rest=0, person=False, pace="tick", fps=10.0)
    obey(one, "take")
    obey(one, "hold", action=3)
    obey(one, "hold", action=1)
    assert one.answer(hand) == 1
    obey(one, "act", action=2)
    assert one.answer(hand) == 1
    obey(one, "hold")
    assert one.answer(hand) == 0


def test_a_cut_that_was_ordered_too_late_is_not_of_the_next_episode() -> None:
    one, _ = control()
    obey(one, "reset", seed=3)
    one.begin(episode=1, seed=2)
    assert one.cut is None


def test_paused_it_goes_on_step_by_step() -> None:
    one, _ = control()
    assert "pause it" in refused(one, "step")
    obey(one, "pause")
    assert not one.may_tick()
    obey(one, "step")
    obey(one, "step")
    assert [one.may_tick(), one.may_tick(), one.may_tick()] == [True, True, False]
    obey(one, "go")
    assert one.may_tick()


def test_a_pace_is_set_with_its_speed() -> None:
    one, _ = control(usual_fps=50.0)
    obey(one, "pace", pace="tick")
    assert (one.pace, one.fps) == ("tick", 50.0)
    obey(one, "pace", fps=4)
    assert (one.pace, one.fps) == ("tick", 4)
    obey(one, "pace", pace="turn", fps=None)
    assert (one.pace, one.fps) == ("turn", None)
    obey(one, "pace", pace="free", fps=9)
    assert (one.pace, one.fps) == ("free", None)
    assert "not 'quick'" in refused(one, "pace", pace="quick")
    for fps in (0, -1, 10_001, "fast"):
        assert "ticks a second" in refused(one, "pace", fps=fps)


def test_a_reset_cuts_with_a_seed_and_a_quit_ends() -> None:
    one, _ = control()
    obey(one, "reset", seed=7)
    assert one.cut is not None
    assert (one.cut.seed, one.cut.quit) == (7, False)
    obey(one, "quit")
    assert one.cut.quit
    for seed in (-1, 1 << 32, 1.5, "x"):
        assert "a seed is" in refused(one, "reset", seed=seed)


def test_where_episodes_are_counted_none_is_cut_and_no_seat_changes() -> None:
    one, _ = control(cuts=())
    assert "there is no reset here" in refused(one, "reset")
    assert "there is no quit here" in refused(one, "quit")
    assert "fixed" in refused(one, "deploy", seat={"kind": "random", "name": "random"})


def test_one_operator_at_a_time_is_made_ready_for_a_seat() -> None:
    asked: list[Any] = []

    def deploy(hand: Hand, told: dict[str, Any]) -> None:
        if told["name"] == "bad":
            raise OperatorError("there is no such file")
        asked.append(told)
        hand.loading = told["name"]

    one, hand = control(deploy=deploy)
    hand.trouble = "of before"
    assert refused(one, "deploy", seat={"kind": "python", "name": "bad"}) == "there is no such file"
    assert refused(one, "deploy", seat="random").startswith("say who")
    obey(one, "deploy", seat={"kind": "random", "name": "random"})
    assert (asked, hand.trouble) == ([{"kind": "random", "name": "random"}], "")
    assert "random is being made ready" in refused(one, "deploy", seat={"kind": "noop", "name": "noop"})


def test_of_several_seats_one_is_named() -> None:
    one = two_seats()
    assert refused(one, "take") == "say which seat: player_0, player_1"
    assert (
        refused(one, "take", actor="player_2") == "there is no seat 'player_2'; there are: player_0, player_1"
    )
    obey(one, "take", actor="player_1")
    assert [seat.get("mine", False) for seat in one.now(1)["seats"]] == [False, True]
    assert [seat["by"] for seat in one.now(2)["seats"]] == ["random", "client 1"]


@pytest.mark.parametrize("do", ["jump", "", None, 3, "__init__", "take_"])
def test_an_unknown_order_is_refused_with_those_there_are(do: Any) -> None:
    one, _ = control()
    with pytest.raises(RefusedError, match="there are: act, deploy, give, go, hold, pace, pause, quit"):
        one.obey(1, "me", {"do": do})


def test_a_new_episode_forgets_presses_but_not_keys_that_are_down() -> None:
    one, hand = control(rest=0, pace="tick")
    obey(one, "take")
    obey(one, "hold", action=3)
    hand.over = True
    one.begin(episode=1, seed=9)
    assert (hand.pressed, hand.tapped, hand.held, hand.over) == (NOTHING, NOTHING, 3, False)
    assert (one.now(1)["episode"], one.now(1)["seed"], one.now(1)["tick"]) == (1, 9, 0)


def test_in_turns_a_seat_is_told_the_steps_whose_outcome_is_known() -> None:
    one = two_seats()
    told = []
    for actor, step in (("player_0", 0), ("player_1", 0), ("player_0", 1)):
        one.see({actor: view(step=step)})
        told.append([seat["step"] for seat in one.now(1)["seats"]])
    assert told == [[0, 0], [0, 0], [1, 0]]


def test_every_order_that_is_obeyed_is_news() -> None:
    one, _ = control()
    before = one.changes
    refused(one, "give")
    assert one.changes == before
    obey(one, "take")
    assert one.changes > before
