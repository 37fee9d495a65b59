"""What a Python expression is worth when it is plain enough to be read. Refuses to run anything.

For defaults in other people's scripts, such as `2.5e-4`, `int(1e6)`, `-10`, `1024 * 8` or `("a", "b")`.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["UNKNOWN", "Unknown", "constant"]

_MAX_EXPONENT = 64
_MAX_DEPTH = 32


class Unknown:
    """The value of an expression that only running it would tell."""


UNKNOWN = Unknown()
_CALLS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def constant(node: ast.expr) -> Any:
    """The value of a plain expression, or `UNKNOWN`."""
    try:
        return _value(node, _MAX_DEPTH)
    except (_NotPlainError, ArithmeticError, TypeError, ValueError):
        return UNKNOWN


class _NotPlainError(Exception):
    """The expression needs running."""


def _value(node: ast.expr, depth: int) -> Any:
    if depth == 0:
        raise _NotPlainError
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, depth - 1) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, depth - 1))
    if isinstance(node, ast.BinOp):
        return _arithmetic(node, depth)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _CALLS
        and len(node.args) == 1
        and not node.keywords
    ):
        return _CALLS[node.func.id](_value(node.args[0], depth - 1))
    raise _NotPlainError


def _arithmetic(node: ast.BinOp, depth: int) -> Any:
    left, right = _value(node.left, depth - 1), _value(node.right, depth - 1)
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        raise _NotPlainError  # "a" * 10**9 is not what a default looks like
    if isinstance(node.op, ast.Pow):
        if abs(right) > _MAX_EXPONENT or abs(left) > 1 << _MAX_EXPONENT:
            raise _NotPlainError  # a script must not keep its reader busy
        return left**right
    if type(node.op) not in _BINARY:
        raise _NotPlainError
    return _BINARY[type(node.op)](left, right)
