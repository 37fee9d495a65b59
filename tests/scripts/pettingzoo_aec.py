"""Tic-tac-toe between two random players, agent by agent. Says at its end what it counted itself."""

import json
import sys

import numpy as np
from pettingzoo.classic import tictactoe_v3


def main() -> None:
    env = tictactoe_v3.env()
    rng = np.random.default_rng(5)
    episodes: list[dict[str, object]] = []
    first_steps: list[list[object]] = []
    for game in range(5):
        env.reset(seed=game)
        steps = dict.fromkeys(env.possible_agents, 0)
        returns = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, _ = env.last()
            returns[agent] += float(reward)
            if game == 0 and agent == "player_1" and steps[agent]:
                first_steps[-1][1:] = [float(reward), bool(terminated), bool(truncated)]
            if terminated or truncated:
                env.step(None)
                continue
            action = int(rng.choice(np.flatnonzero(obs["action_mask"])))
            if game == 0 and agent == "player_1":
                first_steps.append([action, None, None, None])
            env.step(action)
            steps[agent] += 1
        episodes += [
            {"agent_id": a, "steps": steps[a], "return": returns[a], "outcome": "terminated", "seed": game}
            for a in env.possible_agents
        ]
    env.close()
    print(
        "EXPECT",
        json.dumps({"episodes": episodes, "first_steps": first_steps, "metrics": []}),
        file=sys.stderr,
    )


main()
