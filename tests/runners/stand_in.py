"""A runner from a package of somebody else, made on the spot: an entry point on the path, not installed."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PLAIN", "offer"]

PLAIN = '''
from mosaic.protocol.cards import Algorithm, Capabilities, Parameter, RunnerCard
from mosaic.runners.runner import driver_words

TRAINER = """
import sys
import gymnasium
words = sys.argv[1:]
flags = dict(zip(words[1::2], words[2::2])) if words else {}
env = gymnasium.make(flags["--env"])
env.action_space.seed(int(flags.get("--seed", 0)))
env.reset(seed=int(flags.get("--seed", 0)))
for _ in range(int(flags["--steps"])):
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        env.reset()
print("trained", *words)
"""

class Plain:
    card = RunnerCard(
        id="plain",
        title="Plain random",
        algorithms=[
            Algorithm(
                id="random",
                title="Random",
                actions=["Discrete"],
                default_steps=60,
                parameters=[
                    Parameter(name="learning_rate", type="float", default=0.1, minimum=0.001),
                    Parameter(name="batch_size", type="int", default=32, minimum=1, maximum=1024),
                    Parameter(name="normalize", type="bool", default=False),
                    Parameter(name="shape", type="choice", default="linear", choices=["linear", "flat"]),
                    Parameter(name="target", type="float", default=None, optional=True),
                ],
            ),
            Algorithm(id="masked", title="Masked", needs_action_masks=True),
        ],
        capabilities=Capabilities(supports_vector=True),
        imports=["gymnasium"],
    )

    def command(self, job, *, python):
        return [python, "-c", TRAINER, *driver_words(job)]

RUNNER = Plain()
'''
"""A runner that trains for real, by acting at random."""


def offer(folder: Path, name: str, source: str, *, value: str = "") -> None:
    """Put a package with one runner into a folder that is (or will be) on the path."""
    module = f"runner_{name}"
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(textwrap.dedent(source))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mosaic-runner-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mosaic.runners]\n{name} = {value or f'{module}:RUNNER'}\n")
