"""PPO in one file, in the idiom of research scripts: a vector environment, TensorBoard, a saved network.

Written for gymnasium 0.29, where a vector environment resets in the step that ends an episode and
`final_info` carries what it was. Says at its end, on stderr, what it counted itself.
"""

import json
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Args:
    """The whole configuration."""

    env_id: str = "CartPole-v1"
    seed: int = 1
    total_timesteps: int = 1024
    num_envs: int = 4
    rollout: int = 64
    epochs: int = 2
    minibatch: int = 64
    lr: float = 2.5e-4
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2


def make_env(env_id: str) -> Callable[[], Any]:
    return lambda: gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))


class Policy(nn.Module):  # type: ignore[misc]
    """Actor and critic, apart."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, outputs))
        self.critic = nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, obs: Any) -> tuple[Any, Any]:
        return Categorical(logits=self.actor(obs)), self.critic(obs).squeeze(-1)


class Books:
    """What the script itself counts, and where it logs."""

    def __init__(self, args: Args) -> None:
        self.writer = SummaryWriter(f"runs/{args.env_id}__ppo__{args.seed}")
        table = "\n".join(f"|{key}|{value}|" for key, value in asdict(args).items())
        self.writer.add_text("hyperparameters", "|param|value|\n|-|-|\n" + table)
        self.metrics: list[list[object]] = []
        self.episodes: list[dict[str, object]] = []
        self.length, self.total = [0] * args.num_envs, [0.0] * args.num_envs

    def scalar(self, name: str, value: Any, step: int) -> None:
        self.writer.add_scalar(name, value, step)
        self.metrics.append([name, float(np.asarray(value).item()), step])

    def stepped(
        self, rewards: Any, terminated: Any, truncated: Any, infos: dict[str, Any], step: int
    ) -> None:
        for i in range(len(rewards)):
            self.length[i] += 1
            self.total[i] += float(rewards[i])
            if not (terminated[i] or truncated[i]):
                continue
            told = infos["final_info"][i]["episode"]
            assert int(told["l"].item()) == self.length[i]
            outcome = "terminated" if terminated[i] else "truncated"
            found = {"env_index": i, "steps": self.length[i], "return": self.total[i], "outcome": outcome}
            self.episodes.append(found)
            self.length[i], self.total[i] = 0, 0.0
            self.scalar("charts/episodic_return", told["r"], step)
            self.scalar("charts/episodic_length", told["l"], step)

    def close(self, checkpoints: list[str]) -> None:
        for i, length in enumerate(self.length):
            self.episodes.append({"env_index": i, "steps": length, "return": self.total[i], "outcome": "cut"})
        self.writer.close()
        found = {"episodes": self.episodes, "metrics": self.metrics, "checkpoints": checkpoints}
        print("EXPECT", json.dumps(found), file=sys.stderr)


def advantages(args: Args, rewards: Any, values: Any, dones: Any, last_value: Any, last_done: Any) -> Any:
    found, running = torch.zeros_like(rewards), torch.zeros(args.num_envs)
    for t in reversed(range(args.rollout)):
        final = t == args.rollout - 1
        alive = 1.0 - (last_done if final else dones[t + 1])
        ahead = last_value if final else values[t + 1]
        running = (
            rewards[t] + args.gamma * ahead * alive - values[t] + args.gamma * args.lam * alive * running
        )
        found[t] = running
    return found


def improve(args: Args, policy: Policy, optimizer: Any, batch: list[Any]) -> tuple[Any, Any]:
    obs, actions, old_log_probs, gains, targets = batch
    for _ in range(args.epochs):
        for rows in torch.randperm(len(obs)).split(args.minibatch):
            spread, value = policy(obs[rows])
            ratio = (spread.log_prob(actions[rows]) - old_log_probs[rows]).exp()
            gain = gains[rows]
            surrogate = torch.min(ratio * gain, ratio.clamp(1 - args.clip, 1 + args.clip) * gain).mean()
            value_loss = (value - targets[rows]).pow(2).mean()
            loss = -surrogate + 0.5 * value_loss - 0.01 * spread.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return -surrogate, value_loss


def main() -> None:
    args = Args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    books = Books(args)
    envs: Any = gym.vector.SyncVectorEnv([make_env(args.env_id) for _ in range(args.num_envs)])
    policy = Policy(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.lr)
    step = 0
    obs, _ = envs.reset(seed=args.seed)
    obs, done = torch.tensor(obs), torch.zeros(args.num_envs)
    while step < args.total_timesteps:
        rows = []
        for _ in range(args.rollout):
            step += args.num_envs
            with torch.no_grad():
                spread, value = policy(obs)
            action = spread.sample()
            following, reward, terminated, truncated, infos = envs.step(action.numpy())
            books.stepped(reward, terminated, truncated, infos, step)
            rows.append(
                (obs, action, spread.log_prob(action), torch.tensor(reward, dtype=torch.float32), value, done)
            )
            obs, done = torch.tensor(following), torch.tensor(terminated | truncated, dtype=torch.float32)
        seen, actions, log_probs, rewards, values, dones = (
            torch.stack(column) for column in zip(*rows, strict=True)
        )
        with torch.no_grad():
            last_value = policy(obs)[1]
        gains = advantages(args, rewards, values, dones, last_value, done)
        flat = [part.flatten(0, 1) for part in (seen, actions, log_probs, gains, gains + values)]
        policy_loss, value_loss = improve(args, policy, optimizer, flat)
        books.scalar("losses/policy_loss", policy_loss.item(), step)
        books.scalar("losses/value_loss", value_loss.detach(), step)
        books.scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], step)
    torch.save(policy.state_dict(), "single_file_ppo.model")
    envs.close()
    books.close(["single_file_ppo.model"])


main()
