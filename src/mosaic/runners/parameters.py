"""An algorithm's parameters from what people type. Pure: texts in, typed values or the reason out."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any

from mosaic.errors import UsageError
from mosaic_worker.common.literals import ENV_PREFIX, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mosaic.protocol.cards import Algorithm, Parameter

__all__ = ["bounds", "convert", "env_arguments", "near", "parse"]

_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})
_NONE = frozenset({"none", "null", ""})


def parse(algorithm: Algorithm, words: Mapping[str, Any]) -> dict[str, Any]:
    """Typed values by parameter name, without those that are the default anyway.

    Args:
        algorithm: whose parameters they are.
        words: what was typed (or a value already), by name; `learning-rate` means `learning_rate`.
            `env.KEY` is an argument of the environment itself and stays as it is.

    Raises:
        UsageError: there is no such parameter (with the nearest one), or a value cannot be one.
    """
    known = {parameter.name: parameter for parameter in algorithm.parameters}
    found: dict[str, Any] = {}
    for word, given in words.items():
        if word.startswith(ENV_PREFIX) and len(word) > len(ENV_PREFIX):
            found[word] = literal(given) if isinstance(given, str) else given  # only the environment knows
            continue
        name = word if word in known else word.replace("-", "_")
        if name not in known:
            raise UsageError(
                f"{algorithm.id} has no parameter {word!r}.{near(name, known)}"
                + ("" if known else " It has none at all.")
            )
        if name in found:
            raise UsageError(f"{name} is given twice")
        found[name] = convert(known[name], given)
    return {
        name: value
        for name, value in found.items()
        if name not in known or not _same(value, known[name].default)
    }


def env_arguments(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What of a job's parameters goes to the environment's constructor."""
    return {
        name[len(ENV_PREFIX) :]: value for name, value in parameters.items() if name.startswith(ENV_PREFIX)
    }


def convert(parameter: Parameter, given: Any) -> Any:
    """One value, typed and within its bounds.

    Raises:
        UsageError: it cannot be one; says why and what could.
    """
    text = given.strip() if isinstance(given, str) else given
    if text is None or (parameter.type != "str" and isinstance(text, str) and text.lower() in _NONE):
        if parameter.optional:
            return None
        raise UsageError(f"{parameter.name} needs a value: {bounds(parameter)}")
    if parameter.type == "str":
        if parameter.optional and isinstance(text, str) and text.lower() in ("none", "null"):
            return None
        return text if isinstance(text, str) else str(text)
    if parameter.type == "bool":
        return _bool(parameter, text)
    if parameter.type == "choice":
        return _choice(parameter, str(text))
    value = _number(parameter, text)
    _check_bounds(parameter, value)
    return value


def bounds(parameter: Parameter) -> str:
    """What a value may be, in words: `a number > 0 and <= 1`."""
    what = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "text"}
    if parameter.type == "choice":
        text = "one of " + ", ".join(parameter.choices)
    else:
        limits = []
        if parameter.minimum is not None:
            limits.append(f"{'>' if parameter.exclusive_minimum else '>='} {parameter.minimum:g}")
        if parameter.maximum is not None:
            limits.append(f"<= {parameter.maximum:g}")
        text = " ".join([what[parameter.type], " and ".join(limits)]).strip()
    return f"{text}, or none" if parameter.optional else text


def near(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?`, when something is near; else what there is."""
    names = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), names, n=1)
    if found:
        return f" Did you mean {names[found[0]]!r}?"
    return f" Known: {', '.join(sorted(names.values()))}." if names else ""


def _bool(parameter: Parameter, given: Any) -> bool:
    word = str(given).lower()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise UsageError(f"{parameter.name} is {bounds(parameter)}, not {given!r}")


def _choice(parameter: Parameter, word: str) -> str:
    if word in parameter.choices:
        return word
    same = [choice for choice in parameter.choices if choice.lower() == word.lower()]
    if len(same) == 1:
        return same[0]
    raise UsageError(f"{parameter.name} cannot be {word!r}.{near(word, parameter.choices)}")


def _number(parameter: Parameter, given: Any) -> int | float:
    refused = UsageError(f"{parameter.name} is {bounds(parameter)}, not {given!r}")
    if isinstance(given, bool):
        raise refused
    try:
        if parameter.type == "int":
            try:
                return int(given) if isinstance(given, str | int) else _whole(float(given))
            except ValueError:
                return _whole(float(given))  # 1e6
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise refused from None


def _whole(value: float) -> int:
    if not value.is_integer():
        raise ValueError(value)
    return int(value)


def _check_bounds(parameter: Parameter, value: float) -> None:
    low, high = parameter.minimum, parameter.maximum
    below = low is not None and (value <= low if parameter.exclusive_minimum else value < low)
    if below or (high is not None and value > high) or math.isnan(value):
        raise UsageError(f"{parameter.name} is {bounds(parameter)}, not {value!r}")


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default
