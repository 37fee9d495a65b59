"""What an interpreter can do with an environment: the findings themselves. From outside: tests/runners."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mosaic_worker import probe

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")


class Told(list[dict[str, Any]]):
    """What was said, in order."""

    def __call__(self, about: str, **found: Any) -> None:
        self.append({"about": about, **found})

    def of(self, about: str) -> list[dict[str, Any]]:
        return [one for one in self if one["about"] == about]


@pytest.fixture
def told() -> Told:
    return Told()


class Plain(gymnasium.Env[Any, Any]):
    """Does nothing, and can be drawn."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    observation_space = spaces.Box(-1, 1, (3,), np.float32)
    action_space = spaces.Discrete(4)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.zeros(3, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(3, np.float32), 0.0, False, False, {}

    def render(self) -> Any:
        return np.zeros((8, 10, 3), np.uint8)


class Blind(Plain):
    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012


class Nothing(Plain):
    def render(self) -> Any:
        return None


class Shy(Plain):
    def render(self) -> Any:
        raise RuntimeError("no screen")


class Stuck(Plain):
    def step(self, action: Any) -> Any:
        raise SystemExit("no step today")


@pytest.fixture
def known() -> Iterator[None]:
    """The environments above, registered for a while."""
    kinds: tuple[Any, ...] = (Plain, Blind, Nothing, Shy, Stuck)
    for kind in kinds:
        gymnasium.register(f"Probed{kind.__name__}-v0", entry_point=kind)
    yield
    for kind in kinds:
        del gymnasium.registry[f"Probed{kind.__name__}-v0"]


def test_a_good_environment_is_made_described_stepped_and_drawn_in_this_order(told: Told) -> None:
    probe._gymnasium("FrozenLake-v1", {"is_slippery": False}, 5, told)
    assert [one["about"] for one in told] == ["env", "spaces", "masks", "steps", "render", "render"]
    env, space, masks, steps, _, render = told
    assert (env["kind"], env["id"], "rgb_array" in env["render_modes"]) == ("ok", "FrozenLake-v1", True)
    assert (space["action"]["n"], space["observation"]["n"]) == (4, 16)
    assert (masks["there"], steps["done"], steps["secs"] >= 0) == (False, 5, True)
    assert (render["ok"], render["text"]) == (True, "256x256 pixels")


def test_it_is_not_stepped_when_no_steps_are_wanted(told: Told) -> None:
    probe._gymnasium("FrozenLake-v1", {}, 0, told)
    assert told.of("steps") == []
    assert told.of("render")[-1]["ok"]


@pytest.mark.filterwarnings("ignore:.*RGB-array rendering should return a numpy array")
@pytest.mark.parametrize(
    ("env_id", "ok", "text"),
    [
        ("ProbedPlain-v0", True, "10x8 pixels"),
        ("ProbedBlind-v0", False, "it cannot draw itself (no rgb_array mode)"),
        ("ProbedNothing-v0", False, "no frame"),
        ("ProbedShy-v0", False, "RuntimeError: no screen"),
    ],
)
def test_whether_it_can_be_drawn_is_told_with_the_reason(
    known: None, told: Told, env_id: str, ok: bool, text: str
) -> None:
    probe._gymnasium(env_id, {}, 0, told)
    last = told.of("render")[-1]
    assert (last["ok"], last["text"]) == (ok, text)
    if env_id != "ProbedBlind-v0":  # what would be the last word if drawing ended the process
        assert told.of("render")[0] == {
            "about": "render",
            "ok": False,
            "text": "drawing it ended the process",
        }


def test_what_is_raised_while_stepping_is_told_and_it_is_not_drawn(known: None, told: Told) -> None:
    probe._gymnasium("ProbedStuck-v0", {}, 3, told)
    assert told.of("steps") == [{"about": "steps", "error": "SystemExit: no step today"}]
    assert told.of("render") == []


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("CartPol-v1", "CartPole-v1"),
        ("cartpole-v1", "CartPole-v1"),
        ("CartPole-v9", "CartPole-v1"),
        ("a_module_of_my_own:CartPole-v7", "CartPole-v1"),
        ("MountainCr-v0", "MountainCar-v0"),
        ("Blackjac-v1", "Blackjack-v1"),
        ("Qqqqq-v0", None),
    ],
)
def test_the_newest_version_of_the_nearest_name_is_offered(typed: str, near: str | None) -> None:
    assert probe._near(gymnasium, typed) == near


def test_an_old_version_typed_exactly_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = dict.fromkeys(("Door-v1", "Door-v2", "Door-v10", "Doors-v11"))
    library = SimpleNamespace(registry=registry)
    assert probe._near(library, "door-v1") == "Door-v1"
    assert probe._near(library, "Door-v3") == "Door-v10"
    old_gym = SimpleNamespace(registry=SimpleNamespace(env_specs=registry))
    assert probe._near(old_gym, "Door-v3") == "Door-v10"
    assert probe._version("Door-v10") == 10
    assert probe._version("Door") == probe._version("Door-vx") == -1


@pytest.mark.parametrize(
    ("error", "kind", "more"),
    [
        (gymnasium.error.NameNotFound("CartPol"), "unknown", {"near": "CartPole-v1"}),
        (gymnasium.error.VersionNotFound("x"), "unknown", {"near": "CartPole-v1"}),
        (gymnasium.error.NamespaceNotFound("x"), "unknown", {"near": "CartPole-v1"}),
        (gymnasium.error.DeprecatedEnv("x"), "unknown", {"near": "CartPole-v1"}),
        (gymnasium.error.Error("ROM is missing"), "rom", {}),
        (OSError('Unable to find the game "Pong"'), "rom", {}),
        (ModuleNotFoundError("No module named 'x'", name="x"), "dependency", {"module": "x"}),
        (gymnasium.error.DependencyNotInstalled("box2d"), "dependency", {"module": ""}),
        (ValueError("from nowhere"), "error", {}),
        (KeyboardInterrupt(), "error", {}),
    ],
    ids=repr,
)
def test_failures_are_told_apart(error: BaseException, kind: str, more: dict[str, Any]) -> None:
    found = probe._failure(gymnasium, "CartPol-v1", error)
    assert found == {"kind": kind, "text": probe._sentence(error), **more}


def test_an_error_is_one_short_line() -> None:
    assert probe._sentence(ValueError("two\n   lines\t here")) == "ValueError: two lines here"
    assert probe._sentence(KeyboardInterrupt()) == "KeyboardInterrupt"
    assert len(probe._sentence(ValueError("x" * 9000))) == 500


class Own(spaces.Discrete):
    """A user's own kind of space."""


@pytest.mark.parametrize(
    ("space", "kind", "size", "number"),
    [
        (spaces.Discrete(6), "Discrete", 8, 6),
        (Own(3), "Discrete", 8, 3),
        (spaces.MultiBinary(6), "MultiBinary", 6, None),
        (spaces.Box(0, 255, (84, 84, 4), np.uint8), "Box", 28224, None),
        (spaces.Box(-1, 1, (), np.float64), "Box", 8, None),
        (spaces.MultiDiscrete([3, 4]), "MultiDiscrete", 16, None),
        (spaces.Dict({"a": spaces.Box(0, 1, (2,), np.float32), "b": spaces.Discrete(2)}), "Dict", 16, None),
        (spaces.Tuple((spaces.Discrete(2), spaces.Tuple((spaces.Discrete(2),)))), "Tuple", 16, None),
        (object(), "object", 8, None),
    ],
    ids=lambda value: None if type(value) is object else repr(value),
)
def test_a_space_is_told_by_its_kind_and_how_large_a_value_is(
    space: Any, kind: str, size: int, number: int | None
) -> None:
    found = probe._space(space)
    assert (found["kind"], found["bytes"], found.get("n")) == (kind, size, number)
    assert found["text"] == str(space)[:200]


def test_action_masks_are_found_in_each_of_their_places() -> None:
    env: Any = SimpleNamespace(observation_space=spaces.Discrete(2))
    assert not probe._has_masks(env, {})
    assert not probe._has_masks(env, None)
    assert probe._has_masks(env, {"action_mask": [1]})
    masked = spaces.Dict({"action_mask": spaces.MultiBinary(2)})
    assert probe._has_masks(SimpleNamespace(observation_space=masked), {})
    assert not probe._has_masks(SimpleNamespace(observation_space=spaces.Tuple(())), {})
    core = SimpleNamespace(action_masks=lambda: [True])
    assert probe._has_masks(SimpleNamespace(unwrapped=core, observation_space=spaces.Discrete(2)), {})


def test_imports_are_tried_one_by_one_and_a_broken_package_is_a_sentence(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "probed_broken.py").write_text("raise SystemExit('leave me alone')")
    monkeypatch.syspath_prepend(str(tmp_path))
    probe._imports(["numpy", "probed_broken", "probed_absent", "json"], told)
    assert told == [
        {"about": "import", "name": "numpy", "version": np.__version__},
        {"about": "import", "name": "probed_broken", "error": "SystemExit: leave me alone"},
        {
            "about": "import", "name": "probed_absent",
            "error": "ModuleNotFoundError: No module named 'probed_absent'",
        },
        {"about": "import", "name": "json", "version": json.__version__},  # type: ignore[attr-defined]
    ]  # fmt: skip


def torch_with(**cuda: Any) -> ModuleType:
    torch = ModuleType("torch")
    torch.cuda = SimpleNamespace(**cuda)  # type: ignore[attr-defined]
    return torch


@pytest.mark.parametrize(
    ("torch", "usable", "text"),
    [
        (torch_with(is_available=lambda: True, get_device_name=lambda _: "Fast 9"), True, "Fast 9"),
        (torch_with(is_available=lambda: False), False, "the installed torch cannot use this machine's GPU"),
        (torch_with(is_available=lambda: 1 // 0), False, "torch cannot use the GPU: ZeroDivisionError: "),
        (None, False, "torch cannot use the GPU: "),
    ],
    ids=["usable", "unusable", "failing", "absent"],
)
def test_a_gpu_is_usable_when_torch_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torch: Any, usable: bool, text: str
) -> None:
    device = tmp_path / "nvidia0"
    monkeypatch.setattr(probe, "_GPU_FILES", (str(device),))
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert probe._gpu(True) == {"usable": False, "text": "this machine has no GPU"}
    device.touch()
    found = probe._gpu(True)
    assert found["usable"] is usable
    assert found["text"].startswith(text)
    assert probe._gpu(False) == {"usable": True, "text": "the machine has a GPU"}


@pytest.mark.parametrize(
    ("env_id", "imported"),
    [("ALE/Pong-v5", "ale_py"), ("MiniGrid-Empty-5x5-v0", "minigrid"), ("BabyAI-GoTo-v0", "minigrid")],
)
def test_the_package_that_registers_an_id_is_imported_and_made_known(
    monkeypatch: pytest.MonkeyPatch, env_id: str, imported: str
) -> None:
    package = ModuleType(imported)
    monkeypatch.setitem(sys.modules, imported, package)
    made_known: list[Any] = []
    monkeypatch.setattr(gymnasium, "register_envs", made_known.append)
    probe.prepare("CartPole-v1")
    probe.prepare("mine:ALE-v1")
    assert made_known == []
    probe.prepare(env_id)
    assert made_known == [package]
    monkeypatch.setitem(sys.modules, imported, None)  # not installed: making it will say so
    probe.prepare(env_id)
    assert len(made_known) == 1
    monkeypatch.setitem(sys.modules, imported, package)
    monkeypatch.delattr(gymnasium, "register_envs")  # older ones need no such call
    probe.prepare(env_id)


def test_a_game_of_pettingzoo_is_told_with_its_agents(told: Told) -> None:
    probe._zoo("classic", "tictactoe_v3", {}, told)
    env, space, masks, _, render = told
    assert (env["kind"], env["id"]) == ("ok", "pettingzoo.classic.tictactoe_v3")
    assert env["agents"] == ["player_1", "player_2"]
    assert (space["action"]["n"], masks["there"]) == (9, True)
    assert (render["ok"], render["text"]) == (True, "")


def test_a_game_is_made_with_the_arguments_it_will_be_played_with(told: Told) -> None:
    probe._zoo("classic", "texas_holdem_v4", {"num_players": 3}, told)
    assert told[0]["agents"] == ["player_0", "player_1", "player_2"]


@pytest.mark.parametrize(
    ("family", "name", "kind", "near"),
    [
        ("classic", "tictactoe_v4", "unknown", "pettingzoo.classic.tictactoe_v3"),
        ("classic", "qqqqq_v1", "unknown", None),
        ("nowhere", "pong_v3", "unknown", None),
    ],
)
def test_a_game_that_is_not_there_is_answered_with_the_nearest(
    told: Told, family: str, name: str, kind: str, near: str | None
) -> None:
    probe._zoo(family, name, {}, told)
    (found,) = told
    assert (found["kind"], found["near"]) == (kind, near)


@pytest.mark.parametrize(
    ("source", "kind", "module"),
    [
        ("import probed_absent", "dependency", "probed_absent"),
        ("def env(**_): raise ValueError", "error", None),
    ],
)
def test_a_game_that_cannot_be_made_says_why(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str, kind: str, module: str | None
) -> None:
    classic: Any = sys.modules.get("pettingzoo.classic") or __import__("pettingzoo.classic").classic
    (tmp_path / "probed_v1.py").write_text(source)
    monkeypatch.setattr(classic, "__path__", [*classic.__path__, str(tmp_path)])
    probe._zoo("classic", "probed_v1", {}, told)
    (found,) = told
    assert (found["kind"], found.get("module")) == (kind, module)


def ask(request: dict[str, Any], folder: Path) -> tuple[list[dict[str, Any]], str]:
    """Run the probe as a program in a user's folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, str(Path(probe.__file__))],
        input=json.dumps(request),
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


MINE = """
import sys
import gymnasium
from importlib.util import find_spec
print("printed by the user's module")
class Env(gymnasium.Env):
    action_space = observation_space = gymnasium.spaces.Discrete(2)
    def __init__(self, size=1):
        print([name for name in ("vectors", "pixels", "rng") if find_spec(name)])
        print(sys.modules["mosaic_worker"].__file__)
        self.size = size
    def reset(self, *, seed=None, options=None):
        return 0, {}
    def step(self, action):
        return self.size, 0.0, False, False, {}
gymnasium.register("Mine-v0", entry_point=Env)
"""


def test_the_program_answers_one_line_per_finding_and_keeps_prints_out_of_them(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    request = {"env_id": "mine:Mine-v0", "kwargs": {"size": 1}, "steps": 3, "imports": ["json"], "gpu": True}
    found, said = ask(request, tmp_path)
    assert [one["about"] for one in found] == [
        "python", "import", "gpu", "env", "spaces", "masks", "steps", "render",
    ]  # fmt: skip
    assert found[0]["version"] == list(sys.version_info[:3])
    assert found[0]["executable"] == sys.executable
    assert found[-2]["done"] == 3
    assert "printed by the user's module" in said
    assert str(Path(probe.__file__).with_name("__init__.py")) in said
    assert "[]" in said  # nothing beside the program can be imported as if it were a library


def test_without_an_environment_only_the_interpreter_is_told(tmp_path: Path) -> None:
    found, _ = ask({"env_id": ""}, tmp_path)
    assert [one["about"] for one in found] == ["python"]
