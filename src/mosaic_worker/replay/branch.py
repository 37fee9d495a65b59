"""The program of a branch: plays a recorded episode up to a step, then goes on. Recorded like any script.

Its one argument is a JSON file that says which environment, which units, how far, and who decides then.
Refuses to go on from a state that is not the recorded one.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Dict, List, Optional

_HERE = os.path.dirname(os.path.abspath(__file__))


def main(path: str) -> int:
    """Run the branch a file describes; the file is gone afterwards."""
    with open(path, "rb") as file:
        plan = json.load(file)
    os.unlink(path)
    import mosaic_worker
    from mosaic_worker.replay.build import Builder
    from mosaic_worker.replay.stage import make_sim
    from mosaic_worker.replay.units import Unit

    mosaic_worker.config(algo="branch", seed=plan["seed"], branch=plan["told"])
    builder = Builder(plan["env"], allowed=plan["allowed"], path=plan["path"], pictures=False)
    units = [Unit.from_json(unit) for unit in plan["units"]]
    sim = make_sim(builder)
    for unit in units[:-1]:
        sim.reset(unit)
        while sim.turn < len(unit.turns):
            sim.step(unit)
    unit = units[-1]
    found = sim.reset(unit)
    while sim.turn < plan["turn"] and not found:
        found = sim.step(unit)
    if found:
        whose, one = found[0]
        sys.stderr.write(
            f"cannot branch here: turn {sim.turn} differs from the record{' of ' + whose if whose else ''}: "
            f"{one['what']} was {one['recorded']}, is {one['now']}\n"
        )
        return 1
    taken = _goes_on(builder.kind)(sim.env, plan)
    sim.close()
    sys.stdout.write(f"played {plan['turn']} steps as recorded, then {taken} more\n")
    return 0


def _goes_on(kind: str) -> Callable[[Any, Dict[str, Any]], int]:
    ways = {"single": _single, "vector": _vector, "parallel": _parallel, "aec": _aec}
    return ways[kind]


def _single(env: Any, plan: Dict[str, Any]) -> int:
    from mosaic_worker.replay.decode import live

    space = env.action_space
    space.seed(plan["seed"])
    actions: Optional[List[Any]] = plan["actions"]
    taken = 0
    while taken < (plan["most"] if actions is None else len(actions)):
        action = space.sample() if actions is None else _fitting(live(actions[taken], space), space)
        result = env.step(action)
        taken += 1
        if result[2] or (len(result) == 5 and result[3]):
            break
    return taken


def _fitting(action: Any, space: Any) -> Any:
    """A list of numbers as the array its space wants."""
    import numpy as np

    if isinstance(action, list) and getattr(space, "dtype", None) is not None:
        return np.asarray(action, dtype=space.dtype)
    return action


def _vector(env: Any, plan: Dict[str, Any]) -> int:
    env.action_space.seed(plan["seed"])
    for _ in range(plan["most"]):
        env.step(env.action_space.sample())
    return int(plan["most"])


def _parallel(env: Any, plan: Dict[str, Any]) -> int:
    taken = 0
    for agent in env.agents:
        env.action_space(agent).seed(plan["seed"])
    while env.agents and taken < plan["most"]:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        taken += 1
    return taken


def _aec(env: Any, plan: Dict[str, Any]) -> int:
    taken = 0
    for agent in env.agents:
        env.action_space(agent).seed(plan["seed"])
    for agent in env.agent_iter(max_iter=plan["most"]):
        obs, _, terminated, truncated, info = env.last()
        mask = obs.get("action_mask") if isinstance(obs, dict) else info.get("action_mask")
        env.step(None if terminated or truncated else env.action_space(agent).sample(mask))
        taken += 1
    return taken


if __name__ == "__main__":
    # Started as a file: what lies beside it must not be found as top-level modules.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    sys.exit(main(sys.argv[1]))
