"""PPO in one file, for discrete actions. Saves nothing."""

import os
import random
import time
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
import tyro
from torch import nn
from torch.distributions.categorical import Categorical
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Args:
    """The whole configuration."""

    exp_name: str = os.path.basename(__file__)[: -len(".py")]
    """the name of this experiment"""
    seed: int = 1
    """seed of the experiment"""
    cuda: bool = True
    """if toggled, cuda will be enabled"""
    env_id: str = "CartPole-v1"
    """the id of the environment"""
    total_timesteps: int = 50000
    """total timesteps of the experiment"""
    learning_rate: float = 2.5e-3
    """the learning rate of the optimizer"""
    num_envs: int = 4
    """the number of parallel environments"""
    num_steps: int = 64
    """the number of steps in each environment per rollout"""
    gamma: float = 0.99
    """the discount factor"""
    gae_lambda: float = 0.95
    """the lambda of the general advantage estimation"""
    update_epochs: int = 2
    """how often each rollout is learned from"""
    clip_coef: float = 0.2
    """the surrogate clipping coefficient"""
    target_kl: float = None  # type: ignore[assignment]
    """the target KL divergence threshold"""
    batch_size: int = 0
    """the batch size (computed in runtime)"""


def make_env(env_id: str, idx: int, capture_video: bool, run_name: str) -> Any:
    def thunk() -> Any:
        assert not capture_video, f"no film of {run_name} {idx}"
        return gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))

    return thunk


def layers(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, outputs))


class Agent(nn.Module):  # type: ignore[misc]
    """What to do, and how good the place is."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        inputs = int(np.array(envs.single_observation_space.shape).prod())
        self.critic = layers(inputs, 1)
        self.actor = layers(inputs, int(envs.single_action_space.n))

    def get_value(self, x: Any) -> Any:
        return self.critic(x)

    def get_action_and_value(self, x: Any, action: Any = None) -> Any:
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


if __name__ == "__main__":
    args = tyro.cli(Args)
    args.batch_size = args.num_envs * args.num_steps
    run_name = f"{args.env_id}__{args.exp_name}__{args.seed}__{int(time.time())}"
    writer = SummaryWriter(f"runs/{run_name}")
    writer.add_text(
        "hyperparameters", "|param|value|\n|-|-|\n" + "\n".join(f"|{k}|{v}|" for k, v in vars(args).items())
    )
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() and args.cuda else "cpu")

    envs = gym.vector.SyncVectorEnv([make_env(args.env_id, i, False, run_name) for i in range(args.num_envs)])
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), (
        "only discrete action space is supported"
    )
    agent = Agent(envs).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    global_step = 0
    start_time = time.time()
    first, _ = envs.reset(seed=args.seed)
    next_obs, next_done = torch.Tensor(first).to(device), torch.zeros(args.num_envs).to(device)
    for _iteration in range(args.total_timesteps // args.batch_size):
        rows = []
        for _step in range(args.num_steps):
            global_step += args.num_envs
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            seen, done = next_obs, next_done
            found, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())
            next_obs = torch.Tensor(found).to(device)
            next_done = torch.Tensor(np.logical_or(terminations, truncations)).to(device)
            rows.append((seen, action, logprob, torch.Tensor(reward).to(device), value.flatten(), done))
            for info in infos.get("final_info", ()):
                if info and "episode" in info:
                    print(f"global_step={global_step}, episodic_return={info['episode']['r']}")
                    writer.add_scalar("charts/episodic_return", info["episode"]["r"], global_step)
                    writer.add_scalar("charts/episodic_length", info["episode"]["l"], global_step)
        obs, actions, logprobs, rewards, values, dones = (
            torch.stack(part) for part in zip(*rows, strict=True)
        )
        with torch.no_grad():
            advantages, ahead, alive = (
                torch.zeros_like(rewards),
                agent.get_value(next_obs).flatten(),
                1 - next_done,
            )
            running = torch.zeros(args.num_envs).to(device)
            for t in reversed(range(args.num_steps)):
                running = (
                    rewards[t]
                    + args.gamma * ahead * alive
                    - values[t]
                    + args.gamma * args.gae_lambda * alive * running
                )
                advantages[t], ahead, alive = running, values[t], 1 - dones[t]
        returns = (advantages + values).flatten()
        gains = advantages.flatten()
        for _epoch in range(args.update_epochs):
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(
                obs.flatten(0, 1), actions.flatten()
            )
            ratio = (newlogprob - logprobs.flatten()).exp()
            kept = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            pg_loss = -torch.min(ratio * gains, kept * gains).mean()
            v_loss = (newvalue.flatten() - returns).pow(2).mean()
            optimizer.zero_grad()
            (pg_loss + 0.5 * v_loss - 0.01 * entropy.mean()).backward()
            optimizer.step()
        writer.add_scalar("losses/policy_loss", pg_loss.item(), global_step)
        writer.add_scalar("losses/value_loss", v_loss.item(), global_step)
        writer.add_scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], global_step)
        writer.add_scalar("charts/SPS", int(global_step / (time.time() - start_time)), global_step)
    envs.close()
    writer.close()
