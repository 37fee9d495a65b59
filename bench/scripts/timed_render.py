"""Counts and times CartPole's `render` from its import on. Lies beside the scripts that import it."""

import time
from typing import Any

from gymnasium.envs.classic_control.cartpole import CartPoleEnv

spent = {"renders": 0.0, "render_cpu": 0.0}
_original: Any = CartPoleEnv.render


def _render(self: Any) -> Any:
    began = time.process_time()
    try:
        return _original(self)
    finally:
        spent["renders"] += 1
        spent["render_cpu"] += time.process_time() - began


def forget() -> None:
    """Count from nothing again."""
    spent.update(renders=0.0, render_cpu=0.0)


setattr(CartPoleEnv, "render", _render)  # noqa: B010  (mypy refuses the plain form)
