"""A policy gradient in one file, for continuous actions and normalised observations. Older command line."""

import argparse
import time
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions.normal import Normal
from torch.utils.tensorboard import SummaryWriter


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1, help="seed of the experiment")
    parser.add_argument("--env-id", type=str, default="Pendulum-v1", help="the id of the environment")
    parser.add_argument(
        "--total-timesteps", type=int, default=20000, help="total timesteps of the experiment"
    )
    parser.add_argument(
        "--learning-rate", type=float, default=3e-4, help="the learning rate of the optimizer"
    )
    parser.add_argument("--gamma", type=float, default=0.99, help="the discount factor")
    parser.add_argument("--num-steps", type=int, default=200, help="the number of steps per rollout")
    parser.add_argument("--quiet", action="store_true", help="whether to print nothing")
    return parser.parse_args()


def make_env(env_id: str, idx: int, capture_video: bool, run_name: str, gamma: float) -> Any:
    def thunk() -> Any:
        assert not capture_video, f"no film of {run_name} {idx}"
        env: Any = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
        env = gym.wrappers.NormalizeObservation(gym.wrappers.ClipAction(env))
        return gym.wrappers.NormalizeReward(env, gamma=gamma)

    return thunk


class Agent(nn.Module):  # type: ignore[misc]
    """A mean action and a spread."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        inputs = int(np.array(envs.single_observation_space.shape).prod())
        outputs = int(np.prod(envs.single_action_space.shape))
        self.actor_mean = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, outputs))
        self.actor_logstd = nn.Parameter(torch.zeros(1, outputs))

    def get_action_and_value(self, x: Any, action: Any = None) -> Any:
        mean = self.actor_mean(x)
        probs = Normal(mean, self.actor_logstd.expand_as(mean).exp())
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), mean.sum(1)


if __name__ == "__main__":
    args = parse_args()
    run_name = f"{args.env_id}__ppo_continuous_action__{args.seed}__{int(time.time())}"
    writer = SummaryWriter(f"runs/{run_name}")
    torch.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv([make_env(args.env_id, 0, False, run_name, args.gamma)])
    assert isinstance(envs.single_action_space, gym.spaces.Box), "only continuous action space is supported"
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate)
    global_step = 0
    obs: Any = envs.reset(seed=args.seed)[0]
    while global_step < args.total_timesteps:
        logprobs, rewards = [], []
        for _step in range(args.num_steps):
            global_step += 1
            action, logprob, _, _ = agent.get_action_and_value(torch.Tensor(obs))
            obs, reward, _, _, infos = envs.step(action.numpy())
            logprobs.append(logprob)
            rewards.append(float(reward[0]))
            for info in infos.get("final_info", ()):
                if info and "episode" in info:
                    writer.add_scalar("charts/episodic_return", info["episode"]["r"], global_step)
                    if not args.quiet:
                        print(f"global_step={global_step}, episodic_return={info['episode']['r']}")
        togo = torch.Tensor(np.cumsum(rewards[::-1])[::-1].copy())
        loss = -(torch.cat(logprobs) * (togo - togo.mean()) / (togo.std() + 1e-8)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        writer.add_scalar("losses/policy_loss", loss.item(), global_step)
    envs.close()
    writer.close()
