"""One-line breaks of a source text: every small change that a test should notice. Pure.

Works on the syntax tree, so that a change always parses. What no test could notice, or should have to, is not
broken: docstrings, texts and numbers of errors and of the log, annotations, `__all__`, type-checking blocks,
assertions, decorators, waiting times, sizes written as powers of two, and how a widget looks.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Change", "changed", "changes", "differs"]

_FLIPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_LOGS = {"log", "_log", "logger", "logging"}
_SAME_EITHER_WAY = {"min", "max", "isinstance", "issubclass", "cast"}
_LOOKS = {
    "addSpacing", "addStretch", "resize", "setAccessibleName", "setAlignment", "setAntialiasing",
    "setAutoFillBackground", "setBrush", "setColumnStretch", "setContentsMargins", "setCursor",
    "setFixedHeight", "setFixedSize", "setFixedWidth", "setFont", "setFrameShape", "setHandleWidth",
    "setIcon", "setIconSize", "setLineWidth", "setMargin", "setMaximumHeight", "setMaximumWidth",
    "setMinimumHeight", "setMinimumSize", "setMinimumWidth", "setObjectName", "setPen",
    "setPlaceholderText", "setRowStretch", "setSizePolicy", "setSpacing", "setStretch",
    "setStretchFactor", "setStyleSheet", "setTextFormat", "setToolTip", "setWindowTitle", "setWordWrap",
    "sizeHint",
}  # fmt: skip
_WAITS = ("_secs", "_ms", "_nanos", "timeout", "delay", "interval")


@dataclass(frozen=True)
class Change:
    """Replace the bytes from `start` to `end` by `new`. `context` is the first line it changes."""

    line: int
    context: str
    what: str
    start: int
    end: int
    new: str


def changed(source: bytes, change: Change) -> bytes:
    """The source with the break in it."""
    return source[: change.start] + change.new.encode() + source[change.end :]


def changes(source: bytes) -> list[Change]:
    """Every break of a module, in order of their places."""
    return sorted(_Breaker(source).module(), key=lambda change: (change.start, change.end, change.new))


def differs(source: bytes, change: Change) -> bool:
    """Whether the break parses and says something else than the source does."""
    try:
        broken = ast.parse(changed(source, change))
    except SyntaxError:
        return False
    return ast.dump(broken) != ast.dump(ast.parse(source))


class _Breaker:
    """Walks one module; each method yields the breaks of one kind of node and of what lies below it."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [0]
        self._lines = source.splitlines(keepends=True)
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def module(self) -> Iterator[Change]:
        yield from self._block(ast.parse(self._source).body, inside="")

    # -- statements ------------------------------------------------------------------------------------------

    def _block(self, body: list[ast.stmt], *, inside: str) -> Iterator[Change]:
        for statement in body:
            yield from self._statement(statement, inside=inside)

    def _statement(self, node: ast.stmt, *, inside: str) -> Iterator[Change]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any("overload" in ast.unparse(decorator) for decorator in node.decorator_list):
                return
            named = [*node.args.posonlyargs, *node.args.args]
            defaults = zip(reversed(named), reversed(node.args.defaults), strict=False)
            keyword = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            for argument, default in (*defaults, *keyword):
                if default is not None and not _waits(argument.arg):
                    yield from self._expression(default)
            yield from self._block(node.body, inside=node.name)
        elif isinstance(node, ast.ClassDef):
            yield from self._block(node.body, inside="")
        elif isinstance(node, ast.If) and _fixed(node.test):
            return
        elif not isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
            yield from self._removed(node, inside=inside)
            yield from self._parts(node, inside=inside)

    def _removed(self, node: ast.stmt, *, inside: str) -> Iterator[Change]:
        """The statement left out. Not where only a missing name would follow: any test notices that."""
        target = (
            node.targets[0] if isinstance(node, ast.Assign | ast.Delete) else getattr(node, "target", None)
        )
        kept = isinstance(target, ast.Attribute | ast.Subscript) and inside not in ("__init__", "")
        if isinstance(node, ast.Expr):
            call = node.value.value if isinstance(node.value, ast.Await) else node.value
            gone = isinstance(call, ast.Call) and not _unseen(call) and inside != ""
        elif isinstance(node, ast.Assign | ast.Delete):
            gone = kept
        else:
            gone = isinstance(node, ast.AugAssign | ast.Raise | ast.Continue)
        if gone:
            yield self._change(node, "pass", f"without `{_short(node)}`")

    def _parts(self, node: ast.stmt, *, inside: str) -> Iterator[Change]:
        if isinstance(node, ast.Raise) or _is_all(node):
            return
        if isinstance(node, ast.Return) and node.value is not None and not _is(node.value, None):
            yield self._change(node.value, "None", f"`return {_short(node.value)}` returns None")
        if isinstance(node, ast.If):
            yield from self._decided(node.test)
        if isinstance(node, ast.While) and not isinstance(node.test, ast.Constant):
            yield self._change(node.test, "False", f"`while {_short(node.test)}` never")
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params") or _waits(_named(node)):
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.stmt):
                    yield from self._statement(part, inside=inside)
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    yield from self._block(part.body, inside=inside)
                elif isinstance(part, ast.withitem):
                    yield from self._expression(part.context_expr)
                elif isinstance(part, ast.expr) and not (
                    isinstance(node, ast.Expr) and isinstance(part, ast.Constant)
                ):
                    yield from self._expression(part)

    # -- expressions -----------------------------------------------------------------------------------------

    def _expression(self, node: ast.expr) -> Iterator[Change]:
        if isinstance(node, ast.JoinedStr) or _fixed(node):
            return  # places inside an f-string are told wrongly before Python 3.12
        if isinstance(node, ast.Call) and _unseen(node):
            return
        yield from self._of_kind(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                if child.arg != "strict" and not _waits(child.arg or ""):  # a zip that cannot be uneven
                    yield from self._expression(child.value)
            elif isinstance(child, ast.comprehension):
                yield from self._expression(child.iter)
                for test in child.ifs:
                    yield from self._decided(test)
                    yield from self._expression(test)
            elif isinstance(child, ast.expr):
                yield from self._expression(child)

    def _of_kind(self, node: ast.expr) -> Iterator[Change]:
        if isinstance(node, ast.Compare):
            yield from self._compared(node)
        elif isinstance(node, ast.BoolOp):
            broken = copy.deepcopy(node)
            broken.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield self._swap(node, broken)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield self._swap(node, node.operand)
        elif isinstance(node, ast.IfExp):
            yield from self._decided(node.test)
        elif isinstance(node, ast.BinOp):
            if type(node.op) in _OTHER and not _is_text(node.left) and not _is_text(node.right):
                broken_sum = copy.deepcopy(node)
                broken_sum.op = _OTHER[type(node.op)]()
                yield self._swap(node, broken_sum)
        elif isinstance(node, ast.Call):
            yield from self._crossed(node)
        elif isinstance(node, ast.Subscript) and _is_text(node.slice):
            yield self._change(node.slice, "'?'", f"`{_short(node)}` under another key")
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)

    def _compared(self, node: ast.Compare) -> Iterator[Change]:
        for place, op in enumerate(node.ops):
            for other in _FLIPPED[type(op)]:
                broken = copy.deepcopy(node)
                broken.ops[place] = other()
                yield self._swap(node, broken)
        for side in (node.left, *node.comparators):
            if _is_text(side):
                yield self._change(side, "'?'", f"`{_short(node)}` with another text")

    def _crossed(self, node: ast.Call) -> Iterator[Change]:
        """Two neighbours of the same kind in each other's place."""
        if ast.unparse(node.func) in _SAME_EITHER_WAY:
            return
        for place in range(len(node.args) - 1):
            one, two = node.args[place], node.args[place + 1]
            if type(one) is type(two) and isinstance(one, ast.Name | ast.Attribute):
                broken = copy.deepcopy(node)
                broken.args[place], broken.args[place + 1] = broken.args[place + 1], broken.args[place]
                yield self._swap(node, broken)

    def _constant(self, node: ast.Constant) -> Iterator[Change]:
        if isinstance(node.value, bool):
            yield self._change(node, repr(not node.value), f"{node.value} is {not node.value}")
        elif isinstance(node.value, int | float):
            yield self._change(node, repr(node.value + 1), f"{node.value} is {node.value + 1}")

    def _decided(self, test: ast.expr) -> Iterator[Change]:
        if not _fixed(test):
            yield self._change(test, "True", f"`if {_short(test)}` always")
            yield self._change(test, "False", f"`if {_short(test)}` never")

    # -- making ----------------------------------------------------------------------------------------------

    def _swap(self, node: ast.expr, broken: ast.expr) -> Change:
        return self._change(node, f"({ast.unparse(broken)})", f"`{_short(node)}` is `{_short(broken)}`")

    def _change(self, node: ast.stmt | ast.expr, new: str, what: str) -> Change:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        context = self._lines[node.lineno - 1].decode().strip()
        return Change(line=node.lineno, context=context, what=what, start=start, end=end, new=new)


def _short(node: ast.AST, *, longest: int = 70) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("__all__", "__slots__")


def _fixed(test: ast.expr) -> bool:
    """Decided by the interpreter or the platform, or a size: not for a test of ours to tell."""
    if isinstance(test, ast.BinOp) and isinstance(test.op, ast.LShift):
        return True
    text = ast.unparse(test) if isinstance(test, ast.Name | ast.Compare | ast.Attribute) else ""
    return any(word in text for word in ("TYPE_CHECKING", "__name__ ==", "version_info", "sys.platform"))


def _named(node: ast.AST) -> str:
    target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
    return ast.unparse(target) if isinstance(target, ast.expr) else ""


def _waits(name: str) -> bool:
    return name.lower().endswith(_WAITS)


def _unseen(call: ast.Call) -> bool:
    """A line for the log, or how a widget looks."""
    func = call.func
    if not isinstance(func, ast.Attribute):
        return False
    return func.attr in _LOOKS or ast.unparse(func.value).rpartition(".")[2] in _LOGS
