"""Plans as Python files with two literals, `operators` and `execution`. Read by their syntax, never executed.

Literals and `range(...)` of literals are understood, and nothing else: a name, a call or an operation is
refused with its line. Operators of other types than `baseline` and `rl` are refused by name.
"""

from __future__ import annotations

import ast
from typing import Any

from mosaic.errors import UsageError

__all__ = ["told_of"]

_NAMES = ("operators", "execution")
_BASELINES = {"random": "random", "noop": "noop", "still": "noop"}
_MOST_SEEDS = 100_000


def told_of(text: str, path: str) -> dict[str, Any]:
    """What a script asks for, as the fields of a plan.

    Raises:
        UsageError: it is not such a script, or asks for what cannot be had; says where.
    """
    found = _literals(text, path)
    operators = found["operators"]
    execution = found.get("execution") or {}
    if (
        not isinstance(operators, list)
        or not operators
        or not all(isinstance(one, dict) for one in operators)
    ):
        raise UsageError(f"{path}: `operators` is a list of at least one dict")
    if not isinstance(execution, dict):
        raise UsageError(f"{path}: `execution` is a dict")
    tasks = {str(one.get("task") or one.get("env_name") or "") for one in operators}
    if len(tasks) != 1 or "" in tasks:
        raise UsageError(
            f"{path}: all operators play one `task`, such as MiniGrid-Empty-8x8-v0; found {sorted(tasks)}"
        )
    sides = [_side(one, number, path) for number, one in enumerate(operators)]
    names = [name for name, _ in sides]
    if len(set(names)) != len(names):
        raise UsageError(f"{path}: two operators have the id {max(names, key=names.count)!r}")
    told: dict[str, Any] = {"env": tasks.pop(), **_seeds(execution, path), **_bounds(operators, execution)}
    if len(sides) == 1:
        return {**told, "operator": sides[0][1]}
    return {**told, "copies": True, "seats": dict(sides)}


def _literals(text: str, path: str) -> dict[str, Any]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno}: not Python: {error.msg}") from None
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and target.id in _NAMES:
                found[target.id] = _value(value, path)
    if "operators" not in found:
        raise UsageError(f"{path} is not a plan: it has no `operators = [...]`")
    return found


def _value(node: ast.expr, path: str) -> Any:
    """A literal, or a range of literals."""
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, path) for item in node.elts]
    if isinstance(node, ast.Dict):
        if any(key is None for key in node.keys):
            raise UsageError(f"{path}:{node.lineno}: `**` cannot be read here: write all entries out")
        return {
            _value(key, path): _value(value, path)
            for key, value in zip(node.keys, node.values, strict=True)
            if key
        }
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "list"):
        given = [_value(item, path) for item in node.args]
        if node.func.id == "list" and len(given) == 1 and isinstance(given[0], list) and not node.keywords:
            return given[0]
        if node.func.id == "range" and 1 <= len(given) <= 3 and all(type(one) is int for one in given):
            numbers = range(*given) if 0 not in given[2:] else range(0)
            if 0 < len(numbers) <= _MOST_SEEDS:
                return list(numbers)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise UsageError(
            f"{path}:{node.lineno}: {ast.unparse(node)[:60]!r} is not a literal: a plan is read, never "
            "executed. Write the value itself, or range(...)"
        ) from None


def _side(told: dict[str, Any], number: int, path: str) -> tuple[str, str]:
    name = str(told.get("id") or told.get("name") or f"operator_{number}")
    workers = told.get("workers")
    if (
        not isinstance(workers, dict)
        or len(workers) != 1
        or not isinstance(next(iter(workers.values())), dict)
    ):
        raise UsageError(f"{path}: operator {name!r} has `workers` with one agent; several are not read here")
    worker = next(iter(workers.values()))
    kind = worker.get("type")
    if kind == "baseline":
        behaviour = str(worker.get("behavior", "random"))
        if behaviour in _BASELINES:
            return name, _BASELINES[behaviour]
        raise UsageError(
            f"{path}: operator {name!r}: no behavior {behaviour!r}; there are: {', '.join(_BASELINES)}"
        )
    if kind == "rl":
        policy = worker.get("policy_path")
        if isinstance(policy, str) and policy:
            return name, policy
        raise UsageError(f"{path}: operator {name!r} is of type 'rl' and has no `policy_path`")
    raise UsageError(
        f"{path}: operator {name!r} is of type {kind!r}, which cannot sit here; baseline and rl can"
    )


def _seeds(execution: dict[str, Any], path: str) -> dict[str, Any]:
    """One seed for each episode: `fixed` plays the first again and again, `procedural` the next each time."""
    count, seeds = execution.get("num_episodes"), execution.get("seeds")
    if count is not None and (type(count) is not int or count < 1):
        raise UsageError(f"{path}: `num_episodes` is a whole number from 1, got {count!r}")
    if seeds is None:
        return {"episodes": count or 1}
    listed = seeds if isinstance(seeds, list) else [seeds]
    if not listed or not all(type(one) is int for one in listed):
        raise UsageError(f"{path}: `seeds` are whole numbers, got {seeds!r}")
    if execution.get("environment_mode") == "fixed":
        listed = [listed[0]] * (count or 1)
    elif count is not None:
        if count > len(listed):
            raise UsageError(f"{path}: {count} episodes, and only {len(listed)} seeds")
        listed = listed[:count]
    return {"seeds": listed}


def _bounds(operators: list[dict[str, Any]], execution: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    steps = [one["max_steps"] for one in operators if isinstance(one.get("max_steps"), int)]
    if steps:
        found["max_steps"] = max(steps)
    delay = execution.get("step_delay_ms")
    if isinstance(delay, int | float) and delay > 0:
        found["fps"] = 1000.0 / delay
    return found
