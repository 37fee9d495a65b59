"""A vectorised Gymnasium loop; `sync` or `async` is its argument. Says at its end what it counted itself."""

import json
import sys

import gymnasium as gym

COUNT = 3


def main(mode: str) -> None:
    envs = gym.make_vec("CartPole-v1", num_envs=COUNT, vectorization_mode=mode)
    envs.action_space.seed(3)
    envs.reset(seed=42)
    episodes = []
    length, total, over = [0] * COUNT, [0.0] * COUNT, [False] * COUNT
    for _ in range(120):
        _, rewards, terminations, truncations, _ = envs.step(envs.action_space.sample())
        for i in range(COUNT):
            if over[i]:  # this step was the reset of that environment, not an action
                over[i] = False
                continue
            length[i] += 1
            total[i] += float(rewards[i])
            over[i] = bool(terminations[i] or truncations[i])
            if over[i]:
                outcome = "terminated" if terminations[i] else "truncated"
                episodes.append({"env_index": i, "steps": length[i], "return": total[i], "outcome": outcome})
                length[i], total[i] = 0, 0.0
    for i in range(COUNT):
        if not over[i]:
            episodes.append({"env_index": i, "steps": length[i], "return": total[i], "outcome": "cut"})
    envs.close()
    print("EXPECT", json.dumps({"episodes": episodes, "metrics": []}), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
