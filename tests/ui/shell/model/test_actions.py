"""The list of actions: found by key where it works, and clashes told."""

from __future__ import annotations

from mosaic.ui.shell.model.actions import WINDOW, Action, Actions


def act(name: str, *keys: str, scope: str = WINDOW, able: bool = True) -> Action:
    return Action(id=name, title=name, call=lambda: None, keys=keys, scope=scope, when=lambda: able)


def test_a_key_in_two_places_that_exclude_each_other_is_no_clash() -> None:
    actions = Actions()
    actions.add(act("replay.next", "Right", scope="replay"), act("live.next", "Right", scope="live"))
    assert actions.clashes == []


def test_a_key_that_two_actions_want_in_one_place_is_a_clash() -> None:
    actions = Actions()
    actions.add(act("a.one", "F2", scope="runs"), act("a.two", "F2", scope="runs"))
    actions.add(act("b.all", "Ctrl+K"), act("b.some", "Ctrl+K", scope="runs"), act("a.one"))
    assert actions.clashes == [
        "F2 is the key of both 'a.one' and 'a.two'",
        "Ctrl+K is the key of both 'b.all' and 'b.some'",
        "there are two actions 'a.one'",
    ]


def test_the_nearest_scope_wins_and_what_cannot_be_done_now_is_passed_over() -> None:
    actions = Actions()
    actions.add(
        act("x.off", "K", scope="near", able=False), act("x.near", "J", scope="near"), act("x.far", "L")
    )
    assert actions.for_key("K", scopes=["near", WINDOW]) is None
    found = actions.for_key("J", scopes=["near", WINDOW])
    assert found is not None
    assert found.id == "x.near"
    assert actions.for_key("J", scopes=[WINDOW]) is None
    assert [action.id for action in actions.section("x")] == ["x.off", "x.near", "x.far"]
    assert actions.get("x.far").section == "x"
