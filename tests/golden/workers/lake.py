"""A few episodes of slippery FrozenLake, with hyperparameters and numbers of the script's own."""

import gymnasium as gym

import mosaic_worker as mosaic

run = mosaic.start()
run.config(algo="random", env_id="FrozenLake-v1", seed=3, learning_rate=0.5)
env = gym.make("FrozenLake-v1", is_slippery=True)
env.action_space.seed(3)
for episode in range(8):
    env.reset(seed=3 if episode == 0 else None)
    total, done = 0.0, False
    while not done:
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        total, done = total + float(reward), terminated or truncated
    run.metric("charts/episodic_return", total, step=episode)
run.note("eight episodes played")
env.close()
