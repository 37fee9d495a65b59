"""Whether a runner is one: the public check for runners of any package. Ours pass it too.

    from mosaic.testing import check_runner
    def test_my_runner(): assert check_runner(RUNNER) == []

It reads the card, imports the runner in a process of its own to see that no framework comes along, builds the
commands, and on request trains for real. It repairs nothing.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import MosaicError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Algorithm, Job
from mosaic.runners import cards, registry
from mosaic.runners.parameters import convert
from mosaic.runners.runner import Runner, driver_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.protocol.cards import Parameter

__all__ = ["check_runner"]

_FRAMEWORKS = (
    "gym", "gymnasium", "pettingzoo", "torch", "jax", "tensorflow", "stable_baselines3", "sb3_contrib", "sbx",
    "ray", "tianshou", "torchrl", "xuance", "d3rlpy", "transformers",
)  # fmt: skip
_LOOK = """
import importlib, sys
module, _, attribute = sys.argv[1].partition(":")
found = importlib.import_module(module)
for part in filter(None, attribute.split(".")):
    found = getattr(found, part)
found.card
print(*[name for name in sys.argv[2:] if name in sys.modules])
"""
_SEED, _STEPS = 4711, 7919
"""Numbers that turn up in a command only when they were put there."""


def check_runner(
    runner: Runner,
    *,
    entry_point: str = "",
    train_on: str = "",
    algorithm: str = "",
    checkout: str = "",
    steps: int = 500,
    home: str | Path | None = None,
    python: str | None = None,
    timeout_secs: float = 300.0,
) -> list[str]:
    """What is wrong with a runner, as sentences; an empty list when it is right.

    Args:
        runner: the object its entry point names.
        entry_point: `module:object`; by default that of the group `mosaic.runners` with the card's id.
        train_on: an environment to train on for real, through a daemon; empty: no training.
        algorithm: what to train with; by default the first.
        checkout: where its scripts lie, for a runner that finds its algorithms in a checkout.
        steps: how long to train.
        home: the data root to train in; needed with `train_on`.
        python: the interpreter to train with; by default the runner's own environment.
        timeout_secs: how long the training may take.
    """
    if not isinstance(runner, Runner):
        return [f"a {type(runner).__name__} has no 'card' and 'command'"]
    wrong = cards.problems(runner.card)
    if wrong:
        return wrong
    wrong += _imports(runner, entry_point)
    wrong += _commands(runner, checkout)
    if train_on and not wrong:
        if home is None:
            raise UsageError("say in which data root to train: check_runner(..., home=tmp_path)")
        job = Job(
            runner=runner.card.id,
            algorithm=algorithm or _first(runner),
            env_id=train_on,
            seed=1,
            steps=steps,
            checkout=checkout,
        )
        wrong += _training(DataRoot(Path(home).absolute()), job, python, timeout_secs)
    return wrong


def _first(runner: Runner) -> str:
    return runner.card.algorithms[0].id if runner.card.algorithms else ""


def _imports(runner: Runner, entry_point: str) -> Iterator[str]:
    card = runner.card
    if not entry_point:
        points = importlib.metadata.entry_points(group=registry.GROUP, name=card.id)
        if not points:
            yield f"no entry point of the group {registry.GROUP} is called {card.id!r}"
            return
        entry_point = next(iter(points)).value
    own = [name.partition(".")[0] for name in card.imports]
    done = subprocess.run(
        [sys.executable, "-c", _LOOK, entry_point, *dict.fromkeys((*_FRAMEWORKS, *own))],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        yield f"{entry_point} cannot be imported: {last[0]}"
    elif loaded := done.stdout.split():
        yield f"importing {entry_point} imports {', '.join(loaded)}: only the driver may do that"


def _commands(runner: Runner, checkout: str) -> Iterator[str]:
    card = runner.card
    if not card.capabilities.supports_train:
        return
    if not card.algorithms:
        if not card.needs_env:
            yield from _command(runner, Job(runner=card.id, arguments=["true"]), must_name=["true"])
        return
    for one in card.algorithms:
        yield from _of_algorithm(runner, one, checkout)


def _of_algorithm(runner: Runner, one: Algorithm, checkout: str) -> Iterator[str]:
    card = runner.card
    env_id = one.default_env if card.needs_env else ""
    job = Job(runner=card.id, algorithm=one.id, env_id=env_id, seed=_SEED, steps=_STEPS, checkout=checkout)
    must_name = [str(_SEED), str(_STEPS), *([env_id] if env_id else [])]
    for text in _command(runner, job, must_name=must_name):
        yield f"algorithm {one.id!r}: {text}"
    for parameter in one.parameters:
        value = _another(parameter)
        if value is None:
            continue
        word = driver_words(Job(runner=card.id, parameters={parameter.name: value}))[-1].partition("=")[2]
        if convert(parameter, word) != value:
            yield f"algorithm {one.id!r}: {parameter.name}={value!r} is not read back as it was written"
        changed = msgspec.structs.replace(job, parameters={parameter.name: value})
        try:
            if runner.command(changed, python="python") == runner.command(job, python="python"):
                yield f"algorithm {one.id!r}: {parameter.name} does not reach the command"
        except Exception as error:  # noqa: BLE001  (a stranger's code: whatever it raises is the finding)
            yield f"algorithm {one.id!r}: no command with {parameter.name}={value!r}: {error!r}"


def _command(runner: Runner, job: Job, *, must_name: list[str]) -> Iterator[str]:
    try:
        words: Any = runner.command(job, python="/the/python")
    except Exception as error:  # noqa: BLE001  (as above)
        yield f"its command cannot be built: {error!r}"
        return
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        yield f"its command is {words!r}, not a list of words"
        return
    for text in must_name:
        if not any(text in word for word in words):
            yield f"its command does not say {text}: {' '.join(words)}"
    if runner.command(job, python="/the/python") != words:
        yield "its command is another one the second time"


def _another(parameter: Parameter) -> Any:
    """A value that is allowed and not the default; None when there is none to be found."""
    default = parameter.default
    special: dict[str, list[Any]] = {
        "bool": [not default],
        "choice": [choice for choice in parameter.choices if choice != default],
        "str": ["another"],
    }
    numbers = [1, 2, 0.5, 0.25, parameter.minimum, parameter.maximum, 1000]
    for value in special.get(parameter.type, numbers):
        try:
            found = convert(parameter, value)
        except UsageError:
            continue
        if found is not None and found != default:
            return found
    return None


def _training(root: DataRoot, job: Job, python: str | None, timeout_secs: float) -> Iterator[str]:
    from mosaic.app import training  # noqa: PLC0415
    from mosaic.rpc.launch import connect, daemon_running, wait_until_gone  # noqa: PLC0415  (gRPC is slow)
    from mosaic.sdk.run import Run  # noqa: PLC0415

    ran = daemon_running(root)
    try:
        run = Run(root, training.train(root, job, python=python))
        end = run.wait(timeout_secs=timeout_secs)
        if end is None or end.code != 0:
            tail = run.logs(stderr=True).strip().splitlines()[-5:]
            yield f"training on {job.env_id} ended {run.state} ({run.reason}): {' | '.join(tail)}"
        found = run.summary()
        if not found.steps or not found.episodes:
            yield f"training on {job.env_id} recorded {found.episodes} episodes and {found.steps} steps"
    except (MosaicError, TimeoutError) as error:
        yield f"training on {job.env_id}: {error}"
    finally:
        if not ran and daemon_running(root):
            with connect(root, start=False) as client:
                client.shutdown()
            wait_until_gone(root)
