"""What a single-file training script says of itself: flags, defaults, action space, what it imports.

Read from its source with `ast`. The script is never imported or run: a checkout is other people's code.
Two idioms are understood: a dataclass `Args` given to `tyro.cli`, and calls of `parser.add_argument`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from mosaic.protocol.cards import Parameter
from mosaic.runners.own.constants import UNKNOWN, constant

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Flag", "Script", "ScriptError", "imported", "read_script", "words"]

Style = Literal["value", "switch", "word", "on", "off"]

_SCALARS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}
_EXPERIMENT = frozenset(
    {
        "exp_name",
        "torch_deterministic",
        "cuda",
        "track",
        "wandb_project_name",
        "wandb_entity",
        "capture_video",
        "save_model",
        "upload_model",
        "hf_entity",
    }
)
_OF_THE_JOB = frozenset({"env_id", "seed", "total_timesteps"})
_FILLED_LATER = "computed in runtime"
_SPACES = ("Discrete", "Box", "MultiDiscrete", "MultiBinary")


class ScriptError(Exception):
    """A file that cannot be offered as an algorithm; says why."""


class Flag(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of a script and how its command line spells it."""

    option: str
    style: Style = "value"
    """`switch`: --x and --no-x. `word`: --x true. `on`, `off`: there or not."""
    parameter: Parameter


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One script, read."""

    name: str
    help: str = ""
    flags: dict[str, Flag] = {}
    left_out: list[str] = []
    """Flags of types that are not plain values; they can still be passed as words."""
    imports: list[str] = []
    actions: list[str] = []
    default_env: str = ""
    default_steps: int | None = None

    @property
    def parameters(self) -> list[Parameter]:
        """What a user may set besides environment, seed and number of steps."""
        return [flag.parameter for name, flag in self.flags.items() if name not in _OF_THE_JOB]


def read_script(source: str | bytes, *, name: str) -> Script:
    """Read one script.

    Raises:
        ScriptError: it is not Python, has no settings we can read, or takes no environment id.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ScriptError(f"{name}.py is not Python that can be read: {error}") from error
    left_out: list[str] = []
    flags = dict(_dataclass_flags(tree, left_out)) or dict(_argparse_flags(tree, left_out))
    if not flags:
        raise ScriptError(f"{name}.py has neither a dataclass Args nor calls of add_argument")
    if "env_id" not in flags:
        raise ScriptError(f"{name}.py takes no --env-id")
    steps = flags["total_timesteps"].parameter.default if "total_timesteps" in flags else None
    return Script(
        name=name,
        help=(ast.get_docstring(tree) or "").partition("\n")[0],
        flags=flags,
        left_out=left_out,
        imports=sorted(imported(tree)),
        actions=_actions(tree, name),
        default_env=str(flags["env_id"].parameter.default or ""),
        default_steps=steps if isinstance(steps, int) and steps > 0 else None,
    )


def words(flag: Flag, value: Any) -> list[str]:
    """One setting as the script's command line takes it."""
    if flag.style == "switch":
        return [flag.option if value else "--no-" + flag.option[2:]]
    if flag.style in ("on", "off"):
        return [flag.option] if bool(value) == (flag.style == "on") else []
    if isinstance(value, bool):
        return [flag.option, "true" if value else "false"]
    shown = repr(value) if isinstance(value, float) else str(value)
    # A value that starts with a dash would be read as a flag.
    return [f"{flag.option}={shown}"] if shown.startswith("-") else [flag.option, shown]


# ---- a dataclass Args ----


def _dataclass_flags(tree: ast.Module, left_out: list[str]) -> Iterator[tuple[str, Flag]]:
    for node in tree.body:
        if not (isinstance(node, ast.ClassDef) and node.name == "Args"):
            continue
        for index, line in enumerate(node.body):
            if not (isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)):
                continue
            name = line.target.id
            help_text = _text_after(node.body, index)
            if name.startswith("_") or _FILLED_LATER in help_text:
                continue
            default = UNKNOWN if line.value is None else constant(line.value)
            parameter = _parameter(name, line.annotation, default, help_text)
            if parameter is None:
                left_out.append(name)
                continue
            style: Style = "switch" if parameter.type == "bool" else "value"
            yield name, Flag(option="--" + name.replace("_", "-"), style=style, parameter=parameter)


def _text_after(body: list[ast.stmt], index: int) -> str:
    """The string that stands alone under a field: its documentation."""
    if index + 1 < len(body):
        following = body[index + 1]
        if (
            isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
            and isinstance(following.value.value, str)
        ):
            return " ".join(following.value.value.split())
    return ""


def _parameter(name: str, annotation: ast.expr, default: Any, help_text: str) -> Parameter | None:
    kind, choices, optional = _type_of(annotation)
    if kind is None:
        return None
    return _built(name, kind, default, help_text=help_text, choices=choices, optional=optional)


def _type_of(annotation: ast.expr) -> tuple[str | None, list[str], bool]:
    """The plain type an annotation names, its choices, and whether it may be None."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            return None, [], False
    if isinstance(annotation, ast.Name):
        return _SCALARS.get(annotation.id), [], False
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _union([annotation.left, annotation.right])
    return _subscript(annotation) if isinstance(annotation, ast.Subscript) else (None, [], False)


def _subscript(annotation: ast.Subscript) -> tuple[str | None, list[str], bool]:
    """`Optional[X]`, `Union[X, None]` and `Literal["a", "b"]`."""
    outer, inner = annotation.value, annotation.slice
    name = outer.attr if isinstance(outer, ast.Attribute) else getattr(outer, "id", "")
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in ("Optional", "Union"):
        return _union([*items, ast.Constant(None)] if name == "Optional" else items)
    found = [constant(item) for item in items]
    plain = name == "Literal" and all(isinstance(item, str) for item in found)
    return ("choice", found, False) if plain and found else (None, [], False)


def _union(items: list[ast.expr]) -> tuple[str | None, list[str], bool]:
    others = [item for item in items if not (isinstance(item, ast.Constant) and item.value is None)]
    if len(others) != 1:
        return None, [], False
    kind, choices, _ = _type_of(others[0])
    return kind, choices, len(others) < len(items)


def _built(
    name: str, kind: str, default: Any, *, help_text: str, choices: list[str], optional: bool
) -> Parameter | None:
    """A parameter whose default fits its type; a default that must be computed counts as none."""
    if kind == "float" and isinstance(default, int) and not isinstance(default, bool):
        default = float(default)
    if kind == "int" and isinstance(default, float) and default.is_integer():
        default = int(default)
    fits = {"int": int, "float": float, "bool": bool, "str": str, "choice": str}[kind]
    if default is None or default is UNKNOWN:
        if kind == "bool":
            return None  # there would be no way to leave it as it is
        default, optional = None, True
    elif not isinstance(default, fits) or (kind == "int" and isinstance(default, bool)):
        return None
    if kind == "choice" and default is not None and default not in choices:
        return None
    return msgspec.convert(
        {
            "name": name,
            "type": kind,
            "default": default,
            "help": help_text,
            "group": "Experiment" if name in _EXPERIMENT else "Algorithm",
            "advanced": name in _EXPERIMENT,
            "choices": choices,
            "optional": optional,
        },
        Parameter,
    )


# ---- calls of add_argument ----


def _argparse_flags(tree: ast.Module, left_out: list[str]) -> Iterator[tuple[str, Flag]]:
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add_argument"
    ]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        options = [constant(word) for word in call.args]
        long = [word for word in options if isinstance(word, str) and word.startswith("--")]
        if not long:
            continue  # a positional word is nothing to set by name
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        dest = constant(given["dest"]) if "dest" in given else None
        name = dest if isinstance(dest, str) else long[0].lstrip("-").replace("-", "_")
        if _FILLED_LATER in _text(given.get("help")):
            continue
        flag = _argparse_flag(name, long[0], given)
        if flag is None:
            left_out.append(name)
        else:
            yield name, flag


def _argparse_flag(name: str, option: str, given: dict[str, ast.expr]) -> Flag | None:
    help_text = _text(given.get("help"))
    action = _text(given.get("action"))
    if action in ("store_true", "store_false"):
        style: Style = "on" if action == "store_true" else "off"
        default: Any = action == "store_false"
        kind: str | None = "bool"
    elif action in ("", "store"):
        style = "value"
        default = constant(given["default"]) if "default" in given else None
        kind = _argparse_type(given.get("type"), default)
        if kind == "bool":
            style = "word"
    else:
        return None
    choices: list[str] = []
    if "choices" in given:
        found = constant(given["choices"])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found) or kind != "str":
            return None
        kind, choices = "choice", found
    if kind is None:
        return None
    parameter = _built(name, kind, default, help_text=help_text, choices=choices, optional=False)
    return None if parameter is None else Flag(option=option, style=style, parameter=parameter)


def _argparse_type(node: ast.expr | None, default: Any) -> str | None:
    if node is None:
        return "str"
    if isinstance(node, ast.Name) and node.id != "bool":  # bool("false") is true: never what was meant
        return _SCALARS.get(node.id)
    # `lambda x: bool(strtobool(x))` is the idiom for a flag that takes a word
    return "bool" if isinstance(default, bool) and "strtobool" in ast.dump(node) else None


def _text(node: ast.expr | None) -> str:
    found = None if node is None else constant(node)
    return " ".join(found.split()) if isinstance(found, str) else ""


# ---- what it needs and what it can act on ----


def imported(tree: ast.Module) -> set[str]:
    """The modules a script imports whenever it runs, by their full names. What stands under `if` is not."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def _actions(tree: ast.Module, name: str) -> list[str]:
    """The action spaces a script asserts; else what its name says."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and "action_space" in ast.dump(node.test):
            named = {part.attr for part in ast.walk(node.test) if isinstance(part, ast.Attribute)}
            named |= {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
            asserted = [space for space in _SPACES if space in named]
            if asserted:
                return asserted
    return ["Box"] if "continuous_action" in name else ["Discrete"]
