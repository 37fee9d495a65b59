"""Only worlds step an environment. Read from the source, so that a new loop anywhere is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TREES = (ROOT / "src" / "mosaic_worker", ROOT / "src" / "mosaic", ROOT / "tests" / "third_party")
WORLDS = "mosaic_worker/session/worlds/"
NOT_ENVIRONMENTS = {
    "mosaic_worker/settling.py": {"agents.step", "self._agents.step"},  # who writes the episodes of agents
    "mosaic_worker/session/loop.py": {"world.step", "world.reset"},
    "mosaic_worker/probe.py": {"world.reset"},
    "mosaic_worker/drivers/cleanrl/playing.py": {"self.env.step", "self.env.reset"},  # around nothing
    "mosaic_worker/replay/": {"sim.step", "sim.reset", "self.world.step", "self.world.reset"},
    "mosaic_worker/hooks/": {"track.step", "agents.step", "self.agents.step"},
    "mosaic_worker/vectors.py": {"track.step"},
    "mosaic/ui/play/": {  # orders to a session
        "self._playing.reset", "self._playing.step", "one.reset", "one.step", "self.several.reset",
    },
    "mosaic/": {"reader.reset", "self._reader.reset", "self.reset", "self._form.reset", "transport.step"},
}  # fmt: skip
"""By where: what is called there that has such a method and is no environment (a world, a record, a form)."""
METHODS = ("step", "reset")


class _Finder(ast.NodeVisitor):
    """Collects the calls, and the handing around, of `step` and `reset` of what may be an environment."""

    def __init__(self, path: str) -> None:
        self.allowed = {
            name for where, names in NOT_ENVIRONMENTS.items() if path.startswith(where) for name in names
        }
        self.found: list[str] = []
        self._within: list[ast.AST] = []
        self._called: set[ast.AST] = set()

    def generic_visit(self, node: ast.AST) -> None:
        self._within.append(node)
        super().generic_visit(node)
        self._within.pop()

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            self._called.add(node.func)
            self._judge(node.func)
        if getattr(node.func, "id", "") == "getattr" and any(
            isinstance(word, ast.Constant) and word.value in METHODS for word in node.args
        ):
            self.found.append(ast.unparse(node))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        handed = node.attr in METHODS and node not in self._called and isinstance(node.ctx, ast.Load)
        if handed and "env" in ast.unparse(node.value).rsplit(".", maxsplit=1)[-1]:
            self._judge(node)
        self.generic_visit(node)

    def _judge(self, node: ast.Attribute) -> None:
        text = ast.unparse(node)
        if text not in self.allowed and not (text == f"self.env.{node.attr}" and self._in_wrapper(node.attr)):
            self.found.append(text)

    def _in_wrapper(self, method: str) -> bool:
        """In the method of that name of a wrapper, which passes the call on to what it wraps."""
        classes = [node for node in self._within if isinstance(node, ast.ClassDef)]
        functions = [node.name for node in self._within if isinstance(node, ast.FunctionDef)]
        return bool(
            classes
            and functions
            and functions[-1] == method
            and any(ast.unparse(base).endswith("Wrapper") for base in classes[-1].bases)
        )


def stepping(path: str, source: str) -> list[str]:
    """What steps or resets an environment in a file that may not."""
    if path.startswith(WORLDS):
        return []
    finder = _Finder(path)
    finder.visit(ast.parse(source))
    return finder.found


def test_only_worlds_step_an_environment() -> None:
    files = [(tree, file) for tree in TREES for file in sorted(tree.rglob("*.py"))]
    assert len(files) > 300
    found = {}
    for tree, file in files:
        steps = stepping(str(file.relative_to(tree.parent)), file.read_text())
        if steps:
            found[str(file)] = steps
    assert not found


def test_worlds_do_step() -> None:
    for name in ("single", "vector", "zoo"):
        source = (TREES[0] / "session" / "worlds" / f"{name}.py").read_text()
        assert {"self.env.step", "self.env.reset"} <= set(stepping("elsewhere.py", source))


@pytest.mark.parametrize(
    ("path", "planted"),
    [
        ("mosaic_worker/drivers/new.py", "obs = env.reset()"),
        ("mosaic_worker/drivers/new.py", "while True:\n    self._env.step(act(obs))"),
        ("mosaic_worker/drivers/new.py", "one_step = env.step"),
        ("mosaic_worker/drivers/new.py", "call(self.envs.step)"),
        ("mosaic_worker/drivers/new.py", "getattr(env, 'step')(0)"),
        ("mosaic_worker/drivers/new.py", "world.step({})"),
        ("mosaic_worker/probe.py", "world.step({})"),
        ("mosaic_worker/hooks/new.py", "env.unwrapped.reset()"),
        ("mosaic_worker/session/loop.py", "world.env.step(0)"),
        ("mosaic/replay/new.py", "sim.step(unit)"),
        ("mosaic_worker/drivers/new.py", "class A(Wrapper):\n    def play(self):\n        self.env.step(0)"),
        ("mosaic_worker/drivers/new.py", "class A:\n    def step(self):\n        self.env.step(0)"),
    ],
)
def test_a_loop_planted_elsewhere_is_found(path: str, planted: str) -> None:
    assert stepping(path, planted)


def test_a_wrapper_may_pass_the_call_on() -> None:
    source = "class A(gymnasium.Wrapper):\n    def step(self, a):\n        return self.env.step(a)"
    assert not stepping("mosaic_worker/drivers/new.py", source)
