"""Prints the episodes of a training with evaluation in between, cut ones, and one of no known role.

Says at its end that two hooks could not record everything.
"""

import json
from typing import Any


def say(**event: Any) -> None:
    print(json.dumps(event))


PLAYED = (
    ("train", 4, 10.0, "terminated"),
    ("eval", 9, 90.0, "terminated"),
    ("train", 6, 20.0, "truncated"),
    (None, 5, 30.0, "terminated"),
    ("eval", 9, 94.0, "terminated"),
    ("train", 2, 1.0, "cut"),
    ("train", 0, 0.0, "cut"),
)
for number, (role, steps, earned, outcome) in enumerate(PLAYED):
    one = {"episode_id": f"e{number}", "t": 100.0 + number}
    say(type="reset", **one, **({"role": role} if role else {}))
    say(type="episode", steps=steps, outcome=outcome, **{"return": earned}, **one)
say(type="config", env_id="Lake-v0")
say(type="bye", hook_errors={"gymnasium step": 1234, "sb3.save": 1})
