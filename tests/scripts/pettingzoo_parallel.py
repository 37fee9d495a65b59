"""Rock, paper, scissors between two random players, both at once. Says at its end what it counted itself."""

import json
import sys

from pettingzoo.classic import rps_v2


def main() -> None:
    env = rps_v2.parallel_env(max_cycles=15)
    episodes: list[dict[str, object]] = []
    first_steps: list[list[object]] = []
    for game in range(4):
        env.reset(seed=game)
        for number, agent in enumerate(env.agents):
            env.action_space(agent).seed(2 * game + number)
        players = list(env.agents)
        steps, returns = dict.fromkeys(players, 0), dict.fromkeys(players, 0.0)
        while env.agents:
            actions = {agent: int(env.action_space(agent).sample()) for agent in env.agents}
            _, rewards, terminations, truncations, _ = env.step(actions)
            for agent, action in actions.items():
                steps[agent] += 1
                returns[agent] += float(rewards[agent])
                if game == 0 and agent == players[0]:
                    flags = [bool(terminations[agent]), bool(truncations[agent])]
                    first_steps.append([action, float(rewards[agent]), *flags])
        episodes += [
            {"agent_id": a, "steps": steps[a], "return": returns[a], "outcome": "truncated", "seed": game}
            for a in players
        ]
    env.close()
    print(
        "EXPECT",
        json.dumps({"episodes": episodes, "first_steps": first_steps, "metrics": []}),
        file=sys.stderr,
    )


main()
