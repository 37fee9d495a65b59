"""A few short episodes of CartPole with seeded random actions."""

import gymnasium as gym

env = gym.make("CartPole-v1", max_episode_steps=25)
env.action_space.seed(7)
for episode in range(5):
    env.reset(seed=100 + episode if episode % 2 == 0 else None)
    done = False
    while not done:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        done = terminated or truncated
env.close()
