"""DQN in one file, in the idiom of research scripts: replay, target network, TensorBoard, a saved network.

Written for gymnasium 0.29 (`final_info`, `final_observation`). Says at its end what it counted itself.
"""

import json
import random
import sys
from collections import deque
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Args:
    """The whole configuration."""

    env_id: str = "CartPole-v1"
    seed: int = 1
    total_timesteps: int = 1200
    learning_starts: int = 200
    train_every: int = 10
    target_every: int = 200
    batch: int = 64
    lr: float = 2.5e-4
    gamma: float = 0.99


def network(inputs: int, outputs: int) -> Any:
    return nn.Sequential(nn.Linear(inputs, 48), nn.ReLU(), nn.Linear(48, outputs))


def loss_of(args: Args, net: Any, target: Any, rows: list[Any]) -> tuple[Any, Any]:
    obs, actions, rewards, following, terminated = (
        torch.tensor(np.array(column)) for column in zip(*rows, strict=True)
    )
    with torch.no_grad():
        ahead = target(following).max(dim=1).values * (1.0 - terminated.float())
    chosen = net(obs).gather(1, actions.unsqueeze(1)).squeeze(1)
    return nn.functional.mse_loss(chosen, rewards.float() + args.gamma * ahead), chosen.mean()


def main() -> None:
    args = Args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    writer = SummaryWriter(f"runs/{args.env_id}__dqn__{args.seed}")
    metrics: list[list[object]] = []
    episodes: list[dict[str, object]] = []
    length, total = 0, 0.0

    def scalar(name: str, value: Any, step: int) -> None:
        writer.add_scalar(name, value, step)
        metrics.append([name, float(np.asarray(value).item()), step])

    envs: Any = gym.vector.SyncVectorEnv(
        [lambda: gym.wrappers.RecordEpisodeStatistics(gym.make(args.env_id))]
    )
    inputs, outputs = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    net, target = network(inputs, outputs), network(inputs, outputs)
    target.load_state_dict(net.state_dict())
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    memory: deque[Any] = deque(maxlen=5000)
    obs, _ = envs.reset(seed=args.seed)
    for step in range(args.total_timesteps):
        if random.random() < max(0.1, 1.0 - step / 800):
            action = random.randrange(outputs)
        else:
            action = int(net(torch.tensor(obs)).argmax(dim=1).item())
        following, reward, terminated, truncated, infos = envs.step(np.array([action]))
        length, total = length + 1, total + float(reward[0])
        real = following[0]
        if terminated[0] or truncated[0]:
            told = infos["final_info"][0]["episode"]
            real = infos["final_observation"][0]
            outcome = "terminated" if terminated[0] else "truncated"
            episodes.append({"steps": length, "return": total, "outcome": outcome})
            length, total = 0, 0.0
            scalar("charts/episodic_return", told["r"], step)
            scalar("charts/episodic_length", told["l"], step)
        memory.append((obs[0], action, float(reward[0]), real, bool(terminated[0])))
        obs = following
        if step > args.learning_starts and step % args.train_every == 0:
            loss, mean_q = loss_of(args, net, target, random.sample(memory, min(args.batch, len(memory))))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scalar("losses/td_loss", loss.item(), step)
            scalar("losses/q_values", mean_q.item(), step)
        if step % args.target_every == 0:
            target.load_state_dict(net.state_dict())
    torch.save(net.state_dict(), "single_file_dqn.model")
    episodes.append({"steps": length, "return": total, "outcome": "cut"})
    envs.close()
    writer.close()
    found = {"episodes": episodes, "metrics": metrics, "checkpoints": ["single_file_dqn.model"]}
    print("EXPECT", json.dumps(found), file=sys.stderr)


main()
