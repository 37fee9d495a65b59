"""DQN in one file. Saves its network at the end, when asked to."""

import os
import random
import time
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
import tyro
from cleanrl_utils.memory import Memory  # type: ignore[import-not-found]
from torch import nn
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
    save_model: bool = False
    """whether to save the network into the `runs/{run_name}` folder"""
    env_id: str = "CartPole-v1"
    """the id of the environment"""
    total_timesteps: int = 50000
    """total timesteps of the experiment"""
    learning_rate: float = 1e-3
    """the learning rate of the optimizer"""
    buffer_size: int = int(1e4)
    """the size of the replay memory"""
    gamma: float = 0.99
    """the discount factor"""
    batch_size: int = 64
    """the size of a batch from the memory"""
    target_every: int = 200
    """steps between two updates of the target network"""
    learning_starts: int = 200
    """the step to start learning at"""
    train_frequency: int = 10
    """steps between two updates"""


def make_env(env_id: str, seed: int, idx: int, capture_video: bool, run_name: str) -> Any:
    def thunk() -> Any:
        assert not capture_video, f"no film of {run_name} {idx}"
        env: Any = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
        env.action_space.seed(seed)
        return env

    return thunk


class QNetwork(nn.Module):  # type: ignore[misc]
    """The value of each action."""

    def __init__(self, env: Any) -> None:
        super().__init__()
        inputs, outputs = int(np.array(env.single_observation_space.shape).prod()), env.single_action_space.n
        self.network = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, int(outputs)))

    def forward(self, x: Any) -> Any:
        return self.network(x)


if __name__ == "__main__":
    args = tyro.cli(Args)
    run_name = f"{args.env_id}__{args.exp_name}__{args.seed}__{int(time.time())}"
    writer = SummaryWriter(f"runs/{run_name}")
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() and args.cuda else "cpu")

    envs = gym.vector.SyncVectorEnv([make_env(args.env_id, args.seed, 0, False, run_name)])
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), (
        "only discrete action space is supported"
    )
    q_network = QNetwork(envs).to(device)
    optimizer = torch.optim.Adam(q_network.parameters(), lr=args.learning_rate)
    target_network = QNetwork(envs).to(device)
    target_network.load_state_dict(q_network.state_dict())
    memory = Memory(args.buffer_size)
    start_time = time.time()

    obs, _ = envs.reset(seed=args.seed)
    for global_step in range(args.total_timesteps):
        if random.random() < max(0.05, 1.0 - 2.0 * global_step / args.total_timesteps):
            actions: Any = np.array([envs.single_action_space.sample()])
        else:
            actions = q_network(torch.Tensor(obs).to(device)).argmax(dim=1).cpu().numpy()
        next_obs, rewards, terminations, truncations, infos = envs.step(actions)
        real_next_obs = next_obs[0]
        if "final_info" in infos:
            real_next_obs = infos["final_observation"][0]
            episode = infos["final_info"][0]["episode"]
            print(f"global_step={global_step}, episodic_return={episode['r']}")
            writer.add_scalar("charts/episodic_return", episode["r"], global_step)
            writer.add_scalar("charts/episodic_length", episode["l"], global_step)
        memory.add(obs[0], actions[0], np.float32(rewards[0]), real_next_obs, np.float32(terminations[0]))
        obs = next_obs
        if global_step > args.learning_starts and global_step % args.train_frequency == 0:
            seen, taken, reward, following, over = (
                part.to(device) for part in memory.sample(args.batch_size)
            )
            with torch.no_grad():
                target = reward + args.gamma * target_network(following).max(dim=1).values * (1 - over)
            old_val = q_network(seen).gather(1, taken.unsqueeze(1)).squeeze()
            loss = nn.functional.mse_loss(target, old_val)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if global_step % 100 == 0:
                writer.add_scalar("losses/td_loss", loss, global_step)
                writer.add_scalar("losses/q_values", old_val.mean().item(), global_step)
                writer.add_scalar("charts/SPS", int(global_step / (time.time() - start_time)), global_step)
        if global_step % args.target_every == 0:
            target_network.load_state_dict(q_network.state_dict())
    if args.save_model:
        torch.save(q_network.state_dict(), f"runs/{run_name}/{args.exp_name}.cleanrl_model")
    envs.close()
    writer.close()
