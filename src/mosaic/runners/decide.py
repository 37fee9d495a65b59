"""Whether a job can work, as far as the job, its card and gathered facts tell. Pure.

A `fail` means the launch is refused; a `warn` is said and does not stop it. Every line says the way out.
`mosaic.runners.preflight` gathers the facts and asks here.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.protocol.cards import Check
from mosaic.protocol.sessions import EVERYBODY
from mosaic.runners.forecast import disk_need, memory_need
from mosaic.runners.parameters import near, parse
from mosaic.text import size
from mosaic_worker.common.words import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.protocol.cards import Algorithm, Job, RunnerCard
    from mosaic.runners.facts import Facts
    from mosaic.runners.probe import Findings, SpaceFound

__all__ = ["asked", "decide", "passed"]

_MULTI_AGENT = "this runner trains one agent; see `mosaic runners ls` for one that trains several"

_PACKAGES = {
    "box2d": "gymnasium[box2d]",
    "mujoco": "gymnasium[mujoco]",
    "ale/": "ale-py",
    "ale_py": "ale-py",
    "minigrid": "minigrid",
    "pettingzoo": "pettingzoo[classic]",
    "pygame": "pygame",
}
"""Words of an error or an id, and the package that is missing then."""


def passed(checks: list[Check]) -> bool:
    """Whether nothing speaks against the launch."""
    return all(check.level != "fail" for check in checks)


def decide(card: RunnerCard, chosen: Algorithm | None, job: Job, facts: Facts) -> list[Check]:
    """What the facts mean for a job. Pure."""
    checks = [*_interpreter(card, facts)]
    if facts.found is not None and card.needs_env:
        checks += [*_env(card, job, facts.found), *_spaces(card, chosen, facts.found)]
        checks += [*_masks(chosen, facts.found), *_seats(job, facts.found), *_rendering(facts.found)]
    checks += [*_gpu(card, facts), *_services(facts)]
    return [*checks, _disk(card, job, facts), *_memory(card, chosen, job, facts)]


def _check(name: str, level: str, text: str, remedy: str = "") -> Check:
    assert level in ("ok", "warn", "fail")  # noqa: S101  (narrows the type)
    return Check(name=name, level=level, text=text, remedy=remedy)  # type: ignore[arg-type]


def asked(card: RunnerCard, job: Job, chosen: Algorithm | None, *, problem: str = "") -> list[Check]:
    """What can be said from the job and the card alone.

    Args:
        card: the runner's.
        job: what is asked.
        chosen: its algorithm.
        problem: why there is no such algorithm.
    """
    if not card.needs_env and not card.algorithms:
        return [*_untold(card, job)]
    checks, can = [_parameters(card, job, chosen, problem)], card.capabilities
    for wanted, able, flag, what in (
        (job.envs > 1, can.supports_vector, "--envs", "trains in one environment at a time"),
        (job.resume, can.supports_resume, "--resume", "cannot resume a stopped training"),
        (job.init, can.supports_warmstart, "--init", "cannot start from a checkpoint"),
        (job.kind == "eval", can.supports_eval, "eval", "cannot evaluate a checkpoint"),
    ):
        if wanted and not able:
            checks.append(_check("capability", "fail", f"{card.title} {what}", f"leave {flag} out"))
    if card.needs_env and not job.env_id:
        example = chosen.default_env if chosen else "CartPole-v1"
        checks.append(
            _check("environment", "fail", "no environment is named", f"name one, such as {example}")
        )
    if (job.steps is not None and job.steps < 1) or job.envs < 1:
        checks.append(_check("steps", "fail", f"{job.steps} steps in {job.envs} environments are too few"))
    return checks


def _untold(card: RunnerCard, job: Job) -> Iterator[Check]:
    """A command of the user's own is run as it stands: nothing else that is asked for reaches it."""
    if job.kind == "eval":
        return  # it is told what to play
    said = [
        field.flag
        for field in FIELDS
        if field.name != "seed" and getattr(job, field.name) not in (None, "", field.default)
    ]
    said += [f"{name}={value}" for name, value in job.parameters.items()]
    if said:  # but for the seed, which is recorded with the run
        text = f"{card.title} is run as it stands and cannot be told {', '.join(said)}"
        yield _check("command", "fail", text, "say it in the command itself, after '--'")


def _parameters(card: RunnerCard, job: Job, chosen: Algorithm | None, problem: str) -> Check:
    try:
        if chosen is not None:
            parse(chosen, job.parameters)
    except UsageError as error:
        problem = str(error)
    if problem:
        return _check("parameters", "fail", problem, f"mosaic runners show {card.id}")
    changed = ", ".join(f"{name}={value}" for name, value in job.parameters.items())
    return _check("parameters", "ok", f"{changed}; the rest by default" if changed else "all by default")


def _interpreter(card: RunnerCard, facts: Facts) -> Iterator[Check]:
    ready = facts.readiness
    if not ready.usable:
        yield _check("interpreter", "fail", f"{card.title}: {ready.text}", ready.remedy)
        return
    missing = facts.found.missing if facts.found else {}
    if missing:
        why = "; ".join(f"{name}: {text}" for name, text in missing.items())
        yield _check("interpreter", "fail", f"{ready.python} cannot import {why}", _how_to_get(card, facts))
        return
    version = ".".join(str(part) for part in facts.found.python) if facts.found else ""
    yield _check("interpreter", "ok", f"{ready.text}{f' (Python {version})' if version else ''}")


def _how_to_get(card: RunnerCard, facts: Facts) -> str:
    if card.requirements:
        return f"mosaic runners install {card.id} --force, or name another interpreter with --python"
    return f"{facts.readiness.python} -m pip install {' '.join(card.imports)}"


def _env(card: RunnerCard, job: Job, found: Findings) -> Iterator[Check]:
    env = found.env
    if env is None:
        why = found.trouble or "the interpreter could not be asked"
        yield _check(
            "environment", "fail", f"{job.env_id} could not be tried: {why}", "try another environment"
        )
        return
    if env.kind != "ok":
        text, remedy = _why_not(card, job.env_id, found)
        yield _check("environment", "fail", text, remedy)
        return
    if env.agents and not card.capabilities.multi_agent:
        text = f"{job.env_id} has {len(env.agents)} agents ({', '.join(env.agents[:4])})"
        yield _check("environment", "fail", text, _MULTI_AGENT)
        return
    if found.step_error:
        text = f"{job.env_id} can be made but not stepped: {found.step_error}"
        yield _check("environment", "fail", text, "try another environment")
        return
    if found.steps == 0 and not env.agents:
        text = f"{job.env_id} can be made, but stepping it fails: {found.trouble or 'no answer'}"
        yield _check("environment", "fail", text, "try another environment")
        return
    yield _check("environment", "ok", f"{env.id or job.env_id} was made and stepped")


def _how_to_add(card: RunnerCard, env_id: str, text: str) -> str:
    said = f"{env_id} {text}".lower()
    package = next((name for word, name in _PACKAGES.items() if word in said), "PACKAGE")
    if card.requirements:
        return f'mosaic runners install {card.id} --with "{package}"'
    return f'{sys.executable} -m pip install "{package}", or name another interpreter with --python'


def _why_not(card: RunnerCard, env_id: str, found: Findings) -> tuple[str, str]:
    env = found.env
    kind, text = (env.kind, env.text) if env else ("error", "")
    if env and kind == "unknown":
        if env.near is None and re.match(r"ALE/|MiniGrid-|BabyAI-", env_id):
            return f"{env_id} needs a package that is not there: {text}", _how_to_add(card, env_id, text)
        hint = (
            f"did you mean {env.near}?" if env.near else "a module of yours registers it? Write module:Id-v0"
        )
        return f"there is no environment {env_id!r} ({text})", hint
    if kind == "rom":
        return (
            f"{env_id}: its game ROM is missing ({text})",
            "reinstall ale-py in that environment: its wheels bring the ROMs",
        )
    if kind == "no_gymnasium":
        return (
            f"the interpreter has no gymnasium ({text})",
            "pip install gymnasium there, or name another --python",
        )
    if kind == "dependency":
        return f"{env_id} needs a package that is not there: {text}", _how_to_add(card, env_id, text)
    return f"{env_id} cannot be made: {text}", "correct the id, or try another environment"


def _spaces(card: RunnerCard, chosen: Algorithm | None, found: Findings) -> Iterator[Check]:
    if chosen is None or found.env is None or found.env.kind != "ok":
        return
    for what, allowed, space in (
        ("action", chosen.actions, found.action),
        ("observation", chosen.observations, found.observation),
    ):
        if space is None or not allowed:
            continue
        if space.kind not in allowed:
            yield _check("spaces", "fail", _misfit(chosen, what, allowed, space), _fitting(card, what, space))
            return
    if found.action is not None and found.observation is not None:
        text = f"actions {found.action.text}, observations {found.observation.text}"
        yield _check("spaces", "ok", " ".join(text.split()))


def _misfit(chosen: Algorithm, what: str, allowed: list[str], space: SpaceFound) -> str:
    return (
        f"{chosen.title or chosen.id} takes {what}s from {' or '.join(allowed)}, "
        f"and this environment's are {' '.join(space.text.split())}"
    )


def _fitting(card: RunnerCard, what: str, space: SpaceFound) -> str:
    able = [
        one.id
        for one in card.algorithms
        if not (names := one.actions if what == "action" else one.observations) or space.kind in names
    ]
    if able:
        return f"of {card.id}, these do: {', '.join(able)}"
    return "choose another environment, or another runner: mosaic runners ls"


def _masks(chosen: Algorithm | None, found: Findings) -> Iterator[Check]:
    if chosen is None or not chosen.needs_action_masks or found.masks is None:
        return
    if found.masks:
        yield _check("action masks", "ok", "the environment says which actions are allowed")
    else:
        yield _check(
            "action masks",
            "fail",
            f"{chosen.title or chosen.id} must know which actions are allowed; this environment does not say",
            "give it an `action_masks()` method or `action_mask` in its info, or use another algorithm",
        )


def _seats(job: Job, found: Findings) -> Iterator[Check]:
    """Whether a session's seats are those of the environment's agents, and nobody is left without one."""
    if job.session is None or found.env is None or not found.env.agents:
        return
    if job.session.seatings:
        text = f"{len(job.session.seats)} operators change seats: {len(job.session.seatings)} seatings"
        yield _check("seats", "ok", text)
        return
    agents, named = found.env.agents, [actor for actor in job.session.seats if actor != EVERYBODY]
    for actor in named:
        if actor not in agents:
            text = f"{job.env_id} has no agent {actor!r}"
            yield _check("seats", "fail", text, f"{near(actor, agents).strip()} Correct --seat {actor}=…")
            return
    left = [agent for agent in agents if agent not in named]
    if left and EVERYBODY not in job.session.seats:
        text = f"nobody decides for {', '.join(left)}"
        yield _check("seats", "fail", text, f"add --seat {left[0]}=random, or --operator for all of them")
        return
    told = job.session.seats
    seated = [f"{agent}: {(told.get(agent) or told[EVERYBODY]).name}" for agent in agents]
    yield _check("seats", "ok", ", ".join(seated))


def _rendering(found: Findings) -> Iterator[Check]:
    if found.render is None:
        return
    if found.render:
        yield _check("rendering", "ok", found.render_text or "it can be watched")
    else:
        why = found.render_text + (f" ({found.trouble})" if found.trouble else "")
        yield _check(
            "rendering", "warn", f"it cannot be watched: {why}", "training and recording work without"
        )


def _gpu(card: RunnerCard, facts: Facts) -> Iterator[Check]:
    wanted = card.capabilities.gpu
    if wanted == "no" or facts.found is None or facts.found.gpu is None:
        return
    usable, text = facts.found.gpu, facts.found.gpu_text
    if usable:
        yield _check("gpu", "ok", text)
    elif wanted == "required":
        yield _check("gpu", "fail", f"{card.title} needs a GPU: {text}", "run it on a machine that has one")
    else:
        yield _check("gpu", "ok", f"CPU: {text}")


def _services(facts: Facts) -> Iterator[Check]:
    for name, answers in facts.services.items():
        if answers:
            yield _check("service", "ok", f"{name} answers")
        elif answers is None:
            yield _check(
                "service", "warn", f"it needs {name}, which cannot be checked from here", "start it first"
            )
        else:
            yield _check("service", "fail", f"it needs {name}, and nothing answers there", "start it first")


def _disk(card: RunnerCard, job: Job, facts: Facts) -> Check:
    need = disk_need(card, job, facts)
    text = f"{size(facts.disk_free)} free; this run may take {size(need)}; reserve {size(facts.disk_reserve)}"
    remedy = "make room, move MOSAIC_HOME to a larger disk, lower disk_reserve_mib, or train for fewer steps"
    if facts.disk_free < need + facts.disk_reserve:
        return _check("disk", "fail", text, remedy)
    if facts.disk_free < 2 * need + facts.disk_reserve:
        return _check("disk", "warn", text, remedy)
    return _check("disk", "ok", text)


def _memory(card: RunnerCard, chosen: Algorithm | None, job: Job, facts: Facts) -> Iterator[Check]:
    if facts.memory_available is None:
        return
    need = memory_need(card, chosen, job, facts)
    text = f"{size(facts.memory_available)} available; this run may take {size(need)}"
    if need > facts.memory_available:
        remedy = "close other programs, lower buffer_size, or use fewer --envs"
        yield _check("memory", "warn", f"{text}: the system may end it", remedy)
    else:
        yield _check("memory", "ok", text)
