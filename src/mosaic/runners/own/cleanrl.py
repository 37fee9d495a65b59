"""CleanRL's single-file scripts, unmodified, from the user's own checkout.

Algorithms and parameters are read from the scripts' source. A launcher in the worker runs the script as it
is and saves the network it finds when training ends or is stopped. Refuses scripts that take no environment
id, and checkouts that hold no scripts; imports none of them.
"""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Capabilities, Check, RunnerCard
from mosaic.runners.own.cleanrl_scripts import Script, ScriptError, imported, read_script, words
from mosaic.runners.runner import driver_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.protocol.cards import Job
    from mosaic.settings import Settings

__all__ = ["RUNNER", "CleanRL", "folder_of"]

_MODULE = "mosaic_worker.drivers.cleanrl"
_MAX_SCRIPT_BYTES = 1 << 20
_LOOK_SECS = 60.0
_FIND = (
    "import importlib.util, json, sys\n"
    "sys.path.insert(0, sys.argv[1])\n"
    "print(json.dumps([n for n in sys.argv[2:] if importlib.util.find_spec(n) is None]))\n"
)
_CARD = RunnerCard(
    id="cleanrl",
    title="CleanRL",
    help="The published single-file scripts of your checkout, unmodified. Name it with --checkout PATH, or "
    "name it under [checkouts] in settings.toml. The network is saved at the end and on stop.",
    capabilities=Capabilities(
        supports_checkpoint=True, supports_eval=True, supports_play=True, supports_vector=True, gpu="optional"
    ),
    requirements=[
        "gymnasium[classic-control]==0.29.1",
        "tensorboard==2.21.0",
        "tyro==1.0.5",
        "moviepy==1.0.3",  # what gymnasium 0.29 films with: --capture-video, --save-model
    ],
    torch=True,
    imports=["torch", "gymnasium", "tensorboard", "tyro"],
    pickled_checkpoints=False,
    url="https://docs.cleanrl.dev",
)


class CleanRL:
    """The runner `cleanrl`: its algorithms are the scripts of the checkout a user names."""

    card = _CARD

    def discover(self, settings: Settings) -> list[Algorithm]:
        """One algorithm per script; files that are none are left out. Empty when no checkout is named.

        Raises:
            UsageError: the folder named holds no such scripts.
        """
        checkout = settings.checkouts.get(self.card.id, "")
        if not checkout:
            return []
        folder = folder_of(checkout)
        scripts: list[Script] = []
        reasons: list[str] = []
        for path in sorted(folder.glob("*.py")):
            try:
                scripts.append(_read(path))
            except ScriptError as error:  # noqa: PERF203  (one bad file costs that file)
                reasons.append(str(error))
        if not scripts:
            why = "; ".join(reasons) or "there is no Python file in it"
            raise UsageError(f"{folder} holds no training script: {why}.")
        return [_algorithm(script) for script in scripts]

    def command(self, job: Job, *, python: str) -> list[str]:
        """The command for one job: the launcher, the script, and the script's own flags after `--`.

        Raises:
            UsageError: the job names no script of the checkout, or a setting the script does not have.
        """
        path, script = _script_of(job)
        if job.kind in ("eval", "play"):
            return [python, "-m", _MODULE, *driver_words(job)]
        asked = {"env_id": job.env_id or None, "seed": job.seed, "total_timesteps": job.steps}
        if job.envs > 1:
            asked["num_envs"] = job.envs
        given = {name: value for name, value in asked.items() if value is not None} | job.parameters
        flags: list[str] = []
        for name, value in given.items():
            flag = script.flags.get(name)
            if flag is None:
                raise UsageError(f"{path} takes no {name!r}. It takes: {', '.join(sorted(script.flags))}.")
            if value is not None:
                flags += words(flag, value)
        return [python, "-m", _MODULE, "train", str(path), "--", *flags, *job.arguments]

    def checks(self, job: Job, *, python: str) -> list[Check]:
        """Whether that interpreter has what the script imports, and what a stop leaves."""
        path, _ = _script_of(job)
        wanted = sorted(set(_needed(path, path.parent.parent, seen=set())))
        try:
            done = subprocess.run(
                [python, "-c", _FIND, str(path.parent.parent), *wanted],
                capture_output=True,
                text=True,
                timeout=_LOOK_SECS,
                check=True,
            )
            missing = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            return [Check(name="script", level="fail", text=f"{python} could not be asked: {error}")]
        if missing:
            return [
                Check(
                    name="script",
                    level="fail",
                    text=f"{path.name} imports {', '.join(missing)}, which {python} does not have",
                    remedy="add it with `mosaic runners install cleanrl --with PACKAGE`, or name an "
                    "interpreter that has it with --python",
                )
            ]
        return [Check(name="script", level="ok", text=f"{path}, unmodified")]


def _script_of(job: Job) -> tuple[Path, Script]:
    if not job.checkout:
        raise UsageError(
            f"The job names no checkout. Use --checkout PATH, or name it as {_CARD.id} under [checkouts] in "
            "settings.toml."
        )
    path = folder_of(job.checkout) / f"{job.algorithm}.py"
    try:
        return path, _read(path)
    except ScriptError as error:
        raise UsageError(f"{error}.") from error


def folder_of(checkout: str) -> Path:
    """The folder with the scripts: `cleanrl` inside a checkout, or the folder itself.

    Raises:
        UsageError: there is no such folder.
    """
    folder = Path(checkout).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. A checkout of CleanRL holds `cleanrl/ppo.py`.")
    inside = folder / "cleanrl"
    return inside if inside.is_dir() else folder


def _read(path: Path) -> Script:
    try:
        if path.stat().st_size > _MAX_SCRIPT_BYTES:
            raise ScriptError(f"{path.name} is larger than {_MAX_SCRIPT_BYTES >> 20} MiB")
        return read_script(path.read_bytes(), name=path.stem)
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}") from error


def _algorithm(script: Script) -> Algorithm:
    return Algorithm(
        id=script.name,
        title=script.name,
        help=script.help,
        parameters=script.parameters,
        actions=script.actions,
        observations=["Box"],
        default_steps=script.default_steps or Algorithm(id="").default_steps,
        default_env=script.default_env or Algorithm(id="").default_env,
    )


def _needed(path: Path, checkout: Path, *, seen: set[Path]) -> Iterator[str]:
    """The packages a script imports, also through modules of its own checkout."""
    if path in seen:
        return
    seen.add(path)
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for name in imported(tree):
        inside = checkout.joinpath(*name.split("."))
        local = [path for path in (inside.with_suffix(".py"), inside / "__init__.py") if path.is_file()]
        if local:
            yield from _needed(local[0], checkout, seen=seen)
        else:
            yield name.partition(".")[0]


RUNNER = CleanRL()
