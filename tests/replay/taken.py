"""Units of real environments as they are recorded, taken by stepping them as a script would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym

from mosaic_worker import rng
from mosaic_worker.replay.units import Unit
from mosaic_worker.values import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["aec", "flags", "parallel", "single", "vector"]


def flags(terminated: Any, truncated: Any) -> int:
    """Both ends as the record has them."""
    return int(bool(terminated)) + 2 * int(bool(truncated))


def single(env: gym.Env[Any, Any], actions: Iterable[Any], *, seed: int | None = 3) -> Unit:
    """An episode; without a seed the state of the generator is recorded, as always."""
    reset = {"seed": seed} if seed is not None else {"rng": rng.capture_env(env.unwrapped)}
    first, _ = env.reset(seed=seed)
    turns = []
    for action in actions:
        obs, reward, *ended, _ = env.step(action)
        turns.append([plain(action), float(reward), flags(*ended), plain(obs)])
    return Unit(reset=reset, first=plain(first), turns=turns)


def vector(env: Any, batches: Iterable[Any], *, seed: int = 3) -> Unit:
    """From one reset of a whole vector environment on, in the words of its autoreset mode."""
    same_step = env.metadata["autoreset_mode"] == gym.vector.AutoresetMode.SAME_STEP
    first, _ = env.reset(seed=seed)
    over = [False] * env.num_envs
    turns = []
    for batch in batches:
        obs, rewards, terminated, truncated, infos = env.step(batch)
        given: list[Any] = []
        expected: list[Any] = []
        for index in range(env.num_envs):
            ended = flags(terminated[index], truncated[index])
            if over[index] and not same_step:
                given.append(None)
                expected.append([0.0, 0, plain(obs[index]), "began"])
            elif ended and same_step:
                given.append(plain(batch[index]))
                last = plain(infos["final_obs"][index])
                expected.append([float(rewards[index]), ended, last, "restarted", plain(obs[index])])
            else:
                given.append(plain(batch[index]))
                expected.append([float(rewards[index]), ended, plain(obs[index]), ""])
            over[index] = bool(ended) and expected[-1][3] != "began"
        turns.append([given, expected])
    return Unit(reset={"seed": [seed] * env.num_envs}, first=[plain(one) for one in first], turns=turns)


def parallel(env: Any, turns: Iterable[dict[str, Any]], *, seed: int = 3) -> Unit:
    """An episode of an environment whose agents act at once."""
    first, _ = env.reset(seed=seed)
    taken = []
    for actions in turns:
        obs, rewards, terminated, truncated, _ = env.step(actions)
        taken.append(
            {
                agent: [
                    plain(action),
                    float(rewards[agent]),
                    flags(terminated[agent], truncated[agent]),
                    plain(obs[agent]),
                ]
                for agent, action in actions.items()
            }
        )
    return Unit(reset={"seed": seed}, first={name: plain(one) for name, one in first.items()}, turns=taken)


def aec(env: Any, actions: Iterable[Any], *, seed: int = 3) -> Unit:
    """An episode of an environment whose agents take turns, to its end or to the last action."""
    env.reset(seed=seed)
    given = iter(actions)
    agents: dict[str, Any] = {}
    turns: list[Any] = []
    for agent in env.agent_iter():
        obs, reward, *ended, _ = env.last()
        mine = agents.setdefault(agent, {"first": plain(obs), "steps": []})
        if mine["steps"] and mine["steps"][-1] is None:
            mine["steps"][-1] = [float(reward), flags(*ended), plain(obs)]
        if any(ended):
            env.step(None)
            turns.append(None)
            continue
        action = next(given, None)
        if action is None:
            break
        env.step(action)
        mine["steps"].append(None)
        turns.append([agent, plain(action)])
    for name, mine in agents.items():  # whoever had no turn after its last step: as the environment stands
        if mine["steps"] and mine["steps"][-1] is None:
            ended = [env.terminations[name], env.truncations[name]]
            mine["steps"][-1] = [
                float(env._cumulative_rewards[name]),
                flags(*ended),
                plain(env.observe(name)),
            ]
    while turns and turns[-1] is None:
        turns.pop()  # nobody's steps after the last action are not in a record
    return Unit(reset={"seed": seed}, first=None, turns=turns, agents=agents)
