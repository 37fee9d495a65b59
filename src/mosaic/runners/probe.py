"""Asking a disposable child what an interpreter can do: imports, environment, spaces, drawing, GPU.

The child runs the user's packages; nothing it does, a crash included, does more than leave findings out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic import worker_site
from mosaic.protocol.ready import ready
from mosaic.runners.children import run_child

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EnvFound", "Findings", "SpaceFound", "probe"]

_LAST_LINES = 3


class SpaceFound(msgspec.Struct, frozen=True, kw_only=True):
    """A space as the interpreter knows it."""

    kind: str
    text: str = ""
    bytes: int = 0
    n: int | None = None


class EnvFound(msgspec.Struct, frozen=True, kw_only=True):
    """What making the environment came to.

    `kind` is `ok`, `unknown`, `rom`, `dependency`, `no_gymnasium` or `error`; `near` is what may be meant.
    """

    kind: str
    text: str = ""
    id: str = ""
    near: str | None = None
    module: str = ""
    agents: list[str] = []
    render_modes: list[str] = []


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found out. What is None was not asked, or not reached."""

    python: list[int] = []
    missing: dict[str, str] = {}
    """Modules that could not be imported, and why."""
    env: EnvFound | None = None
    action: SpaceFound | None = None
    observation: SpaceFound | None = None
    masks: bool | None = None
    steps: int = 0
    step_error: str = ""
    render: bool | None = None
    render_text: str = ""
    gpu: bool | None = None
    gpu_text: str = ""
    trouble: str = ""
    """How the child ended when it did not end well, with its last words."""


def probe(
    python: str,
    *,
    env_id: str = "",
    kwargs: Mapping[str, Any] | None = None,
    imports: list[str] | None = None,
    steps: int = 0,
    gpu: bool = False,
    torch: bool = False,
    cwd: str | None = None,
    timeout_secs: float = 180.0,
) -> Findings:
    """Find out what `python` can do.

    Args:
        python: the interpreter.
        env_id: an environment to make, step and draw.
        kwargs: arguments for its constructor.
        imports: modules that must be importable.
        steps: how many random steps to make.
        gpu: whether to look for a GPU.
        torch: whether torch is what must be able to use it.
        cwd: where the child runs; modules of the user's are found there.
        timeout_secs: when it is given up and killed.
    """
    request = {
        "env_id": env_id,
        "kwargs": dict(kwargs or {}),
        "imports": imports or [],
        "steps": steps,
        "gpu": gpu,
        "torch": torch,
    }
    program = worker_site.PACKAGE / "probe.py"
    try:
        ended = run_child(
            [python, str(program)], given=msgspec.json.encode(request), cwd=cwd, timeout_secs=timeout_secs
        )
    except OSError as error:
        return Findings(trouble=f"{python} cannot be started: {error.strerror}")
    trouble = ""
    if ended.how:
        words = [line for line in ended.err.splitlines() if line.strip()][-_LAST_LINES:]
        trouble = f"{python} {ended.how}" + (f": {' | '.join(words)}" if words else "")
    return _read(ended.out, trouble)


def _read(out: bytes, trouble: str) -> Findings:
    found: dict[str, Any] = {"missing": {}, "trouble": trouble}
    for line in out.splitlines():
        try:
            answer = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError:
            break  # it was ended in the middle of a line
        _take(answer, found)
    try:
        return msgspec.convert(found, Findings)
    except msgspec.ValidationError as error:
        return Findings(trouble=f"the probe answered what no probe answers: {error}")


def _take(answer: dict[str, Any], found: dict[str, Any]) -> None:
    about = answer.pop("about", "")
    if about == "python":
        found["python"] = answer.get("version")
    elif about == "import" and "error" in answer:
        found["missing"][str(answer.get("name"))] = answer["error"]
    elif about == "env":
        found["env"] = answer
    elif about == "spaces":
        found |= answer
    elif about == "masks":
        found["masks"] = answer.get("there")
    elif about == "steps":
        found |= {"steps": answer.get("done", 0), "step_error": answer.get("error", "")}
    elif about == "render":
        found |= {"render": answer.get("ok"), "render_text": answer.get("text", "")}
    elif about == "gpu":
        found |= {"gpu": answer.get("usable"), "gpu_text": answer.get("text", "")}


ready(Findings)
