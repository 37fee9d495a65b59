"""Single-file scripts in CleanRL's idiom: run as they are, saved at the end and on stop; played.

`python -m mosaic_worker.drivers.cleanrl train SCRIPT.py -- FLAGS…` runs the file as `__main__`, unmodified,
in the run's folder. The scripts save at the end or not at all, so what their globals hold (`agent`,
`q_network`, `actor`) is saved here: networks, arguments, and the statistics of observations that are
normalised. `eval …` plays such a checkpoint, or one of the script's own, with the script's own classes; so
does `play …`, in a session of another interpreter.
"""

from __future__ import annotations

import os
import signal
import sys
import types
from typing import IO, TYPE_CHECKING, Any, Dict, List, Optional

import mosaic_worker
from mosaic_worker import report
from mosaic_worker.drivers.cleanrl import playing, single_file
from mosaic_worker.drivers.kit import command, evaluating
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.drivers.kit.serving import serve
from mosaic_worker.drivers.kit.stopping import Stop
from mosaic_worker.operators import Policy

if TYPE_CHECKING:
    from mosaic_worker.drivers.kit.command import Words
    from mosaic_worker.session.played import Episode

__all__ = ["main", "train"]

_HOLDS = ["weights"]
_LACKS = ["optimiser", "replay buffer", "random generators", "environment state"]


class _Stopped(KeyboardInterrupt):
    """Somebody asked to stop, by SIGINT or SIGTERM: what a script does on Ctrl-C, it does now."""


def main(words: List[str]) -> int:
    """Do one job: 0 when it went well, 2 with a sentence when it cannot be done as asked."""
    if words[:1] != ["train"]:
        return command.main(_work, words)
    rest = words[1:]
    if len(rest) < 1 or rest[1:2] not in ([], ["--"]):
        sys.stderr.write("usage: train SCRIPT.py -- FLAGS of the script\n")
        return 2
    return train(rest[0], rest[2:])


# ---- training ----


def train(script: str, flags: List[str]) -> int:
    """Run a script to its end or until it is told to stop, then save the network in its globals."""
    path = os.path.abspath(script)
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
    except OSError as error:
        sys.stderr.write(f"cannot read {path}: {error.strerror}\n")
        return 2
    except (SyntaxError, ValueError) as error:
        sys.stderr.write(f"{path} is not Python: {error}\n")
        return 2
    asked: List[int] = []

    def on_signal(number: int, _: Any) -> None:
        asked.append(number)
        raise _Stopped

    module = _as_main(path, flags)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    ended: Any = 0
    try:
        ended = _run(code, module)
    except _Stopped:
        ended = None  # asked again while it was on its way out
    except Exception:
        # What was learned until then may be all there is: many scripts fail in what follows the training.
        _keep(module.__dict__, path, reason="stop", what="failed")
        raise
    if asked:
        _keep(module.__dict__, path, reason="stop", what="stopped")
        with report.guard("flushing the script's own log"):  # the end of the process would lose its tail
            getattr(module.__dict__.get("writer"), "flush", lambda: None)()
        return 128 + asked[0]
    if ended is None or ended == 0:
        _keep(module.__dict__, path, reason="final", what="done")
        return 0
    if isinstance(ended, int):
        return ended
    sys.stderr.write(f"{ended}\n")  # as the interpreter does for sys.exit("a sentence")
    return 1


def _run(code: types.CodeType, module: types.ModuleType) -> Any:
    """Run the script; what it exits with, None when it was stopped."""
    try:
        exec(code, module.__dict__)  # noqa: S102  (running the user's script is the job)
    except _Stopped:
        return None
    except SystemExit as error:
        return error.code
    return 0


def _as_main(path: str, flags: List[str]) -> types.ModuleType:
    """What `python path flags…` would have made: main module, words, search path; and a folder to work in."""
    folder = os.path.dirname(path)
    sys.argv = [path, *flags]
    single_file.search(folder)
    run = os.environ.get("MOSAIC_RUN_DIR")
    if run:  # what the script writes by relative names belongs to the run
        files = os.path.join(run, "files")
        os.makedirs(files, mode=0o700, exist_ok=True)
        os.chdir(files)
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    return module


def _keep(found: Dict[str, Any], path: str, *, reason: str, what: str) -> None:
    """Save what a script's globals hold. Signals change nothing here: what is being written is finished."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    networks = single_file.networks(found)
    if not networks:
        text = f"nothing saved: {os.path.basename(path)} has no network among its globals yet"
        mosaic_worker.note(text, "warning")
        command.say(text)
        return
    import torch

    args = single_file.arguments(found.get("args"))
    statistics = single_file.statistics(found.get("envs"))
    step = found.get("global_step")
    step = step if isinstance(step, int) else 0
    algorithm = os.path.splitext(os.path.basename(path))[0]
    held = {
        "format": single_file.FORMAT,
        "script": algorithm,
        "step": step,
        "args": args,
        "networks": {name: network.state_dict() for name, network in networks.items()},
        "observations": statistics,
    }

    def write(file: IO[bytes]) -> None:
        torch.save(held, file)

    saver = Saver(
        suffix=".pt",
        kind="cleanrl",
        about={
            "runner": "cleanrl",
            "algorithm": algorithm,
            "env_id": args.get("env_id", ""),
            "seed": args.get("seed"),
            "script": path,
            "holds": _HOLDS + (["observation normaliser"] if statistics else []),
            "lacks": _LACKS,
        },
    )
    metrics = single_file.recent_returns(found.get("envs"))
    saved = saver.save(write, step=step, reason=reason, metrics=metrics)
    command.say(f"{what} at step {step}; saved {saved}")


# ---- evaluation ----


def _returned(episode: Episode) -> float:
    """An episode's return as the environment counted it itself, before its rewards were scaled."""
    told = episode.info.get("episode")
    return episode.returned if told is None else single_file.number(told["r"])


def _work(words: Words) -> Optional[int]:
    if words.kind == "play":
        return serve(words, playing.seated)
    return _evaluate(words)


def _evaluate(words: Words) -> int:
    Stop()
    loaded = playing.loaded(words)
    held = loaded.held
    env = single_file.environment(loaded.module, loaded.env_id, held)
    try:
        act = single_file.policy(loaded.module, env, held)
        args = {"checkpoint": words.checkpoint, "script": loaded.path}
        mosaic_worker.config(algo=words.algo, env_id=loaded.env_id, seed=words.seed, args=args)
        import torch

        torch.manual_seed(0 if words.seed is None else words.seed)
        evaluating.evaluate(
            env,
            Policy(lambda view: act(view.observation)[0]),
            seed=words.seed,
            episodes=words.episodes,
            step=held.step,
            returned=_returned,
        )
    finally:
        env.close()
    return 0
