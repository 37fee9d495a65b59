"""Random play in EnvPool: `envpool_play.py {gymnasium|gym|dm} {sync|async}`. Counts what it played."""

import json
import sys
from typing import Any

import envpool
import numpy as np

api, mode = sys.argv[1:]
NUM_ENVS = 4
env = getattr(envpool, f"make_{api}")(
    "CartPole-v1", num_envs=NUM_ENVS, seed=5, batch_size=2 if mode == "async" else NUM_ENVS
)
rng = np.random.default_rng(0)
episodes: list[dict[str, float]] = []
steps, total, waits = [0] * NUM_ENVS, [0.0] * NUM_ENVS, [True] * NUM_ENVS


def count(result: Any) -> Any:
    if api == "dm":
        ids, rewards, over = result.observation.env_id, result.reward, result.step_type == 2
    else:
        ids, rewards, over = result[-1]["env_id"], result[1], result[2] | result[3]
    for i, reward, ended in zip(ids.tolist(), rewards.tolist(), over.tolist(), strict=True):
        if waits[i]:  # its first observation
            steps[i], total[i], waits[i] = 0, 0.0, False
            continue
        steps[i] += 1
        total[i] += reward
        if ended:
            episodes.append({"env_index": i, "steps": steps[i], "return": total[i]})
            waits[i] = True
    return ids


if mode == "async":
    env.async_reset()
    for _ in range(600):
        ids = count(env.recv())
        env.send(rng.integers(0, 2, len(ids)).astype(np.int32), ids)
else:
    env.reset()
    waits = [False] * NUM_ENVS
    for _ in range(300):
        count(env.step(rng.integers(0, 2, NUM_ENVS).astype(np.int32)))
print("EXPECT " + json.dumps({"episodes": episodes}), file=sys.stderr)
