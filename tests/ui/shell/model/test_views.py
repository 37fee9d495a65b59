"""Which view is shown of which environment: what there is, what was chosen, what is remembered."""

from __future__ import annotations

from mosaic.ui.shell.model.views import FRAME, SCENE, TEXT, Views, offered

ALL = (FRAME, SCENE, TEXT)


def test_what_cannot_be_drawn_has_its_scene_first() -> None:
    assert offered(frames=True, scenes=True) == ALL
    assert offered(frames=False, scenes=True) == (SCENE, TEXT)
    assert offered(frames=True, scenes=False) == (FRAME,)
    assert offered(frames=False, scenes=False) == ()


def test_the_chosen_view_is_shown_where_there_is_one_and_else_the_first() -> None:
    views = Views()
    assert views.of(["Taxi-v4"], ALL) == FRAME
    assert views.of(["Taxi-v4"], ()) == FRAME
    views.choose(["Taxi-v4", "run"], TEXT)
    assert views.of(["Taxi-v4"], ALL) == TEXT
    assert views.of(["Taxi-v4"], (FRAME,)) == FRAME
    assert views.of(["CartPole-v1"], ALL) == FRAME
    views.choose(["run"], SCENE)
    assert views.of(["Pong-v5", "run"], ALL) == SCENE, "its id was not known when it was chosen"


def test_one_key_goes_through_all_of_them() -> None:
    views, heard = Views(), []
    views.changed.connect(lambda: heard.append(views.of(["a"], ALL)))
    for _ in range(4):
        views.choose_next(["a"], ALL)
    assert heard == [SCENE, TEXT, FRAME, SCENE]
    views.choose_next(["a"], ())
    views.choose(["a"], SCENE)
    views.choose(["a"], "smell")
    views.choose([], TEXT)
    assert len(heard) == 4


def test_the_last_ones_are_remembered_and_nonsense_is_not() -> None:
    views = Views(most=2)
    for name in ("a", "b", "a", "c"):
        views.choose([name], TEXT if name != "a" else SCENE if views.kept.get("a") == TEXT else TEXT)
    assert views.kept == {"a": SCENE, "c": TEXT}
    again = Views()
    again.restore({**views.kept, "d": "smell"})
    assert again.kept == views.kept
