"""A plain Gymnasium loop with a random policy. Says at its end, on stderr, what it counted itself."""

import json
import sys

import gymnasium as gym


def main() -> None:
    env = gym.make("CartPole-v1", max_episode_steps=40)
    env.action_space.seed(7)
    episodes: list[dict[str, object]] = []
    steps: list[list[object]] = []
    for episode in range(6):
        obs, _ = env.reset(seed=100 + episode if episode % 2 == 0 else None)
        total, length, done = 0.0, 0, False
        while not done:
            action = env.action_space.sample() if episode else length % 2
            obs, reward, terminated, truncated, _ = env.step(action)
            if episode == 0:
                steps.append([int(action), float(reward), bool(terminated), bool(truncated), obs.tolist()])
            total += float(reward)
            length += 1
            done = terminated or truncated
        outcome = "terminated" if terminated else "truncated"
        seed = 100 + episode if episode % 2 == 0 else None
        episodes.append({"steps": length, "return": total, "outcome": outcome, "seed": seed})
    env.close()
    print("EXPECT", json.dumps({"episodes": episodes, "first_steps": steps, "metrics": []}), file=sys.stderr)


main()
