"""The program of a branch: plays a recorded episode up to a step, then goes on. Recorded like any script.

Its one argument is a JSON file that says which environment, which units, how far, and who decides then.
Refuses to go on from a state that is not the recorded one.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Dict, List, Optional

if TYPE_CHECKING:
    from mosaic_worker.session.worlds import World

_HERE = os.path.dirname(os.path.abspath(__file__))


def main(path: str) -> int:
    """Run the branch a file describes; the file is gone afterwards."""
    with open(path, "rb") as file:
        plan = json.load(file)
    os.unlink(path)
    import mosaic_worker
    from mosaic_worker.replay.build import Builder
    from mosaic_worker.replay.stage import make_sim
    from mosaic_worker.replay.units import Unit

    mosaic_worker.config(algo="branch", seed=plan["seed"], branch=plan["told"])
    builder = Builder(plan["env"], allowed=plan["allowed"], path=plan["path"], frames=False)
    units = [Unit.from_json(unit) for unit in plan["units"]]
    sim = make_sim(builder)
    for unit in units[:-1]:
        sim.reset(unit)
        while sim.turn < len(unit.turns):
            sim.step(unit)
    unit = units[-1]
    found = sim.reset(unit)
    while sim.turn < plan["turn"] and not found:
        found = sim.step(unit)
    if found:
        whose, one = found[0]
        sys.stderr.write(
            f"cannot branch here: turn {sim.turn} differs from the record{' of ' + whose if whose else ''}: "
            f"{one['what']} was {one['recorded']}, is {one['now']}\n"
        )
        return 1
    taken = _go_on(sim.world, plan)
    sim.close()
    sys.stdout.write(f"played {plan['turn']} steps as recorded, then {taken} more\n")
    return 0


def _go_on(world: World, plan: Dict[str, Any]) -> int:
    """Play from where the recorded part left the world. How many steps more."""
    from mosaic_worker.operators import Actions, Random
    from mosaic_worker.replay.decode import live
    from mosaic_worker.session.fitting import fitted
    from mosaic_worker.session.loop import Until, play

    actions: Optional[List[Any]] = plan["actions"]
    if world.over:
        return 0
    if actions is None:
        until = Until(episodes=None if world.restarts else 1, ticks=plan["most"])
        return play(world, defaultdict(Random), until=until, seed=plan["seed"], reset=False).ticks
    space = world.action_space()
    given = Actions(fitted(live(action, space), space) for action in actions)
    return play(world, given, until=Until(episodes=1, ticks=len(given)), reset=False).ticks


if __name__ == "__main__":
    # Started as a file: what lies beside it must not be found as top-level modules.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != _HERE]
    sys.exit(main(sys.argv[1]))
