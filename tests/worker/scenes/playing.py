"""Environments to make scenes of, and games that are played by clicks alone."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from typing import Any

import gymnasium

from mosaic.render import hit
from mosaic_worker.common.scene import Hot, Scene
from mosaic_worker.scenes.by_id import scene_of

__all__ = ["clicked", "found", "games", "legal", "made", "single", "why_of"]


def made(name: str, **options: Any) -> Any:
    """A game of PettingZoo, reset: `chess_v6` as scripts make it, with its wrappers."""
    game = name.rpartition("_v")[0]
    env = importlib.import_module(f"pettingzoo.classic.{game}.{game}").env(**options)
    env.reset(seed=1)
    return env


def single(name: str, **options: Any) -> Any:
    """An environment of Gymnasium, reset."""
    env = gymnasium.make(name, **options)
    env.reset(seed=3)
    env.action_space.seed(3)
    return env


def found(env: Any, actor: Any = None, last: int | None = None) -> Scene:
    """The scene there must be."""
    scene = scene_of(env, actor, last)
    assert scene is not None
    return scene


def legal(scene: Scene) -> list[int]:
    """The actions that are offered."""
    return sorted(hot.action for hot in scene.hot if hot.action is not None)


def _middle(box: tuple[float, float, float, float]) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def clicked(scene: Scene, move: Hot) -> int | None:
    """The action of clicking where a move begins, and where it ends; a promotion is chosen by its name."""
    answer = hit.press(scene, *_middle(move[:4]))
    if answer.begun:
        assert move.to is not None
        answer = hit.release(scene, answer.begun, *_middle(move.to))
    (chosen,) = [one for one in answer.moves if one.choice == move.choice]
    return chosen.action


def why_of(scene: Scene, x: float, y: float, to: tuple[float, float] | None = None) -> str:
    """The reason a click, or a drag, is answered with."""
    answer = hit.press(scene, x, y)
    assert not answer.moves
    if to is not None:
        assert answer.begun
        answer = hit.release(scene, answer.begun, *to)
    return answer.why


def games(env: Any, *, seed: int, most: int = 400) -> Iterator[tuple[Any, Scene, int]]:
    """One random game by clicks: before each move the agent, its scene and the action the click made."""
    dice = random.Random(seed)
    env.reset(seed=seed)
    last: int | None = None
    for _ in range(most):
        observed, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        agent = env.agent_selection
        scene = found(env, agent, last)
        mask = [number for number, may in enumerate(observed["action_mask"]) if may]
        assert legal(scene) == mask, "the moves that are offered are those of the mask"
        assert scene.turn == agent
        action = clicked(scene, dice.choice([hot for hot in scene.hot if hot.action is not None]))
        assert action in mask
        yield agent, scene, action
        env.step(action)
        last = action
