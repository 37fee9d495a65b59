"""The script that defines an environment, as a module, without running the script again.

Of its statements only those are executed that the environment needs: its class, what that refers to, and so
on down to imports and constants. While one of them runs, a reset, a step, a training, another process and a
written file stop it; only imports may do what imports do.
Refuses, with the way out, a script whose environment cannot be had in this way.
"""

from __future__ import annotations
import __future__

import ast
import dis
import os
import sys
import types
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Sequence, Set

__all__ = ["ScriptError", "load", "needed"]

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_PLAYING = frozenset({"reset", "step"})
_TRAINING = frozenset({"learn", "train", "fit"})
_FORBIDDEN = (
    "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.spawn",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link", "os.symlink",
    "os.kill", "shutil.", "socket.connect", "socket.bind", "ftplib.", "smtplib.", "urllib.Request",
)  # fmt: skip
_WAY_OUT = "Define the environment in a module of its own and import that."


class ScriptError(Exception):
    """The environment cannot be had from its script without running it; says why and what to do."""


# ---- which statements ----


def needed(tree: ast.Module, names: Sequence[str], *, registered: Optional[str] = None) -> List[ast.stmt]:
    """The statements of a script that the given names need, in their order. Pure.

    Args:
        tree: the script.
        names: what is wanted of it.
        registered: an id: the calls that register it are wanted too, wherever they stand.
    """
    statements = list(_flat(tree.body))
    filled = _containers(statements)
    given = [_bound(statement) | _fills(statement, filled) for statement in statements]
    used = [_read(statement, _flags_of(tree)) for statement in statements]
    wanted: Set[str] = set(names)
    chosen = {index for index, statement in enumerate(statements) if _always(statement)}
    if registered is not None:
        chosen |= {index for index, statement in enumerate(statements) if _registers(statement, registered)}
    while True:
        for index in chosen:
            wanted |= used[index]
        more = {index for index in range(len(statements)) if given[index] & wanted} - chosen
        if not more:
            return [statements[index] for index in sorted(chosen)]
        chosen |= more


def _flags_of(tree: ast.Module) -> int:
    """How the pieces of a script are compiled: what it imports from the future holds for all of it."""
    found = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for name in statement.names:
                found |= getattr(__future__, name.name).compiler_flag
    return found


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements a module consists of; those of a guard `if __name__ == "__main__"` one by one."""
    for statement in body:
        if isinstance(statement, ast.If) and _is_guard(statement.test):
            for inner in _flat(statement.body):
                yield inner
        else:
            yield statement


def _is_guard(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return any(
        isinstance(side, ast.Name) and side.id == "__name__" for side in (test.left, *test.comparators)
    )


def _always(statement: ast.stmt) -> bool:
    """What is for the whole script: imports for the future, imports of everything, where imports look."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__" or any(name.name == "*" for name in statement.names)
    called: Any = statement.value.func if _is_call(statement) else None  # type: ignore[attr-defined]
    path = called.value if isinstance(called, ast.Attribute) else None
    return isinstance(path, ast.Attribute) and path.attr == "path" and _root(path) == "sys"


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _bound(statement: ast.stmt) -> Set[str]:
    """The names a statement gives a value to in the module, or changes the value of."""
    found = _names(compile(ast.Module([statement], []), "", "exec", dont_inherit=True), ("STORE_NAME",))
    for node in ast.walk(statement):
        if isinstance(node, (ast.Assign, ast.AugAssign)):  # CONFIG["size"] = 5, args.size = 5
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                _root(target) for target in targets if isinstance(target, (ast.Attribute, ast.Subscript))
            }
    return found


def _fills(statement: ast.stmt, filled: Set[str]) -> Set[str]:
    """The containers and parsers that a call as a statement puts something into: `LEVELS.append(5)`."""
    called: Any = statement.value.func if _is_call(statement) else None  # type: ignore[attr-defined]
    held = called.value if isinstance(called, ast.Attribute) else None
    return {held.id} & filled if isinstance(held, ast.Name) else set()


def _containers(statements: Sequence[ast.stmt]) -> Set[str]:
    """Names of lists, dictionaries, sets and parsers of arguments."""
    found = set()
    for statement in statements:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            value = statement.value
            called = value.func if isinstance(value, ast.Call) else None
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)) or (
                name in ("list", "dict", "set", "defaultdict", "OrderedDict") or name.endswith("Parser")
            ):
                found |= _bound(statement)
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _read(statement: ast.stmt, flags: int) -> Set[str]:
    """The names of the module that a statement uses, in the functions and classes it defines as well."""
    code = compile(ast.Module([statement], []), "", "exec", dont_inherit=True, flags=flags)
    return _names(code, ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"), inside=True)


def _names(code: types.CodeType, loading: Sequence[str], *, inside: bool = False) -> Set[str]:
    found = {one.argval for one in dis.get_instructions(code) if one.opname in loading}
    if inside:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                found |= _names(constant, loading, inside=True)
    return found


def _registers(statement: ast.stmt, env_id: str) -> bool:
    if isinstance(statement, _DEFINITIONS):
        return False
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            given = [*node.args[:1], *(one.value for one in node.keywords if one.arg == "id")]
            if name == "register" and any(
                isinstance(one, ast.Constant) and one.value == env_id for one in given
            ):
                return True
    return False


# ---- executing them ----


def load(
    file: str,
    names: Sequence[str],
    *,
    registered: Optional[str] = None,
    package: Optional[str] = None,
    argv: Sequence[str] = (),
) -> types.ModuleType:
    """What a script defines under some names, as the module `__main__`, which it replaces.

    Args:
        file: the script.
        names: what is wanted of it.
        registered: an id whose registration is wanted too.
        package: the package it belonged to (`python -m package.script`).
        argv: what it was called with.

    Raises:
        ScriptError: it cannot be had without running the script.
    """
    try:
        with open(file, "rb") as opened:
            tree = ast.parse(opened.read(), file)
    except (OSError, SyntaxError, ValueError) as error:
        raise ScriptError(
            f"the environment is defined in the script, and {file} cannot be read: {error}"
        ) from error
    module = types.ModuleType("__main__")
    module.__file__ = file
    module.__package__ = package
    sys.argv = [file, *argv]
    sys.modules["__main__"] = module  # `entry_point="__main__:Env"` and pickles look for it there
    for statement in needed(tree, names, registered=registered):
        _execute(statement, module, file, _flags_of(tree))
    return module


def _execute(statement: ast.stmt, module: types.ModuleType, file: str, flags: int) -> None:
    code = compile(ast.Module([statement], []), file, "exec", dont_inherit=True, flags=flags)
    try:
        if _only_imports(statement):
            exec(code, vars(module))  # noqa: S102  (the user allowed this script)
        else:
            with _sandbox():
                exec(code, vars(module))  # noqa: S102  (the user allowed this script)
    except _StoppedError as stopped:
        raise ScriptError(
            f"line {statement.lineno} of {os.path.basename(file)} is needed for the environment and would "
            f"{stopped}; a replay does not run a script again. {_WAY_OUT}"
        ) from stopped
    except (Exception, SystemExit) as error:
        raise ScriptError(
            f"line {statement.lineno} of {os.path.basename(file)}, which the environment needs, failed: "
            f"{type(error).__name__}: {error}. {_WAY_OUT}"
        ) from error


def _only_imports(statement: ast.stmt) -> bool:
    """Whether it only imports, perhaps trying one module and then another.

    Modules write caches and start helpers while they are imported; they did so when the run was recorded.
    """
    if isinstance(statement, (ast.If, ast.Try)):
        inner = [node for node in ast.walk(statement) if isinstance(node, ast.stmt) and node is not statement]
        return all(isinstance(node, (*_IMPORTS, ast.Pass)) or _is_constant(node) for node in inner)
    return isinstance(statement, _IMPORTS)


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)


class _StoppedError(BaseException):
    """Stops a statement, whatever the script catches. The message is what it was about to do."""


_active = [False]
_hooked: List[bool] = []


@contextmanager
def _sandbox() -> Iterator[None]:
    """What runs in here trains nothing, starts nothing and writes nothing."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_audit)  # there is no taking it off: it does nothing while not `_active`
    before, bytecode = sys.getprofile(), sys.dont_write_bytecode
    _active[0] = sys.dont_write_bytecode = True
    sys.setprofile(_profile)
    try:
        yield
    finally:
        sys.setprofile(before)
        _active[0], sys.dont_write_bytecode = False, bytecode


def _profile(frame: types.FrameType, event: str, arg: Any) -> None:
    del arg
    if event != "call":
        return
    name = frame.f_code.co_name
    if name in _TRAINING:
        raise _StoppedError(f"call {name}()")
    if name in _PLAYING and all(hasattr(type(frame.f_locals.get("self")), method) for method in _PLAYING):
        raise _StoppedError(f"call {name}() of an environment")


def _audit(event: str, args: Any) -> None:
    if not _active[0]:
        return
    if event.startswith(_FORBIDDEN):
        raise _StoppedError(f"do more than define something ({event})")
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        raise _StoppedError(f"write {args[0]}")
    if event == "open" and args[1] is None and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise _StoppedError(f"write {args[0]}")
