"""Tabular Q-learning on FrozenLake: an ordinary training script that knows nothing of MOSAIC.

`python examples/q_learning.py --episodes 600`, or the same with `mosaic run --` in front.
"""

import argparse

import gymnasium as gym
import numpy as np


def train(*, episodes: int, seed: int, slippery: bool) -> list[float]:
    """Learn a table of action values; return the return of every episode."""
    env = gym.make("FrozenLake-v1", is_slippery=slippery)
    rng = np.random.default_rng(seed)
    table = np.zeros((env.observation_space.n, env.action_space.n))
    returns = []
    for episode in range(episodes):
        state, _ = env.reset(seed=seed if episode == 0 else None)
        exploration = max(0.05, 1.0 - 2.0 * episode / episodes)
        total, done = 0.0, False
        while not done:
            best = np.flatnonzero(table[state] == table[state].max())
            explore = rng.random() < exploration
            action = int(rng.integers(env.action_space.n)) if explore else int(rng.choice(best))
            after, reward, terminated, truncated, _ = env.step(action)
            target = reward + 0.95 * table[after].max() * (not terminated)
            table[state, action] += 0.5 * (target - table[state, action])
            state, done, total = after, terminated or truncated, total + reward
        returns.append(total)
        if (episode + 1) % 100 == 0:
            print(f"episode {episode + 1:5d}  mean return {np.mean(returns[-100:]):.2f}")
    env.close()
    return returns


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slippery", action="store_true")
    args = parser.parse_args()
    returns = train(episodes=args.episodes, seed=args.seed, slippery=args.slippery)
    print(f"done: {sum(returns):.0f} of {len(returns)} episodes reached the goal")
