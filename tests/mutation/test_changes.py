"""The breaks of a source text: each parses, differs and stands where it says; looks and texts are left."""

from __future__ import annotations

import textwrap

import pytest

from mosaic import text as any_module
from tests.mutation.changes import changed, changes, differs


def broken(source: str) -> set[str]:
    """The bodies that come out, without the lines that stay."""
    data = textwrap.dedent(source).encode()
    return {changed(data, change).decode().strip() for change in changes(data) if differs(data, change)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"(a <= b)", "(a >= b)"}),
        ("a in b", {"(a not in b)"}),
        ("a is None", {"(a is not None)"}),
        ("a and b", {"(a or b)"}),
        ("not a", {"(a)"}),
        ("a + b", {"(a - b)"}),
        ("7", {"8"}),
        ("True", {"False"}),
        ("f(a, b)", {"(f(b, a))"}),
        ("f(a.x, 'b')", set()),
        ("a['key']", {"a['?']"}),
        ("a == 'stop'", {"(a != 'stop')", "a == '?'"}),
        ("1 << 20", set()),
        ("f(timeout_secs=3)", set()),
        ("zip(a, strict=True)", set()),
        ("'text' + a", set()),
        ("f'{1 + 1}'", set()),
        ("min(a, b)", set()),
    ],
)
def test_an_expression_breaks_in_these_ways(source: str, expected: set[str]) -> None:
    assert broken(f"x = {source}") == {f"x = {text}" for text in expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a", {"return None"}),
        ("return None", set()),
        ("a.append(b)", {"pass"}),
        ("await a.close()", {"pass"}),
        ("self.a = b", {"pass"}),
        ("a = b", set()),
        ("a += b", {"pass"}),
        ("raise ValueError(f'{a} is not 3')", {"pass"}),
        ("log.warning('at %s', 3)", set()),
        ("self.log.warning('at %s', 3)", set()),
        ("label.setToolTip(str(3))", set()),
        ("assert a is not None", set()),
        ("if a: return", {"if True: return", "if False: return"}),
        ("while a: f", {"while False: f"}),
        ("a: int = 3", {"a: int = 4"}),
    ],
)
def test_a_statement_breaks_in_these_ways(body: str, expected: set[str]) -> None:
    head = "async def f(self, a, b):\n    "
    assert broken(head + body) == {head + text for text in expected}


def test_defaults_are_changed_but_not_those_that_only_say_how_long_to_wait() -> None:
    assert broken("def f(a=1, *, b=True, wait_secs=3): ...") == {
        "def f(a=2, *, b=True, wait_secs=3): ...",
        "def f(a=1, *, b=False, wait_secs=3): ...",
    }


def test_what_nobody_could_notice_is_not_broken() -> None:
    source = '''
        """1 < 2"""
        __all__ = ["a"]
        if TYPE_CHECKING:
            x: "1 < 2" = 1 < 2
        if sys.version_info >= (3, 12):
            y = 1
        class A:
            """1 < 2"""
            __slots__ = ("a",)
            def __init__(self) -> None:
                """1 < 2"""
                self.a = b
    '''
    assert broken(source) == set()


def test_every_break_of_a_real_module_stands_on_the_line_it_names() -> None:
    path = any_module.__file__
    with open(path, "rb") as file:
        source = file.read()
    lines = source.decode().splitlines()
    found = changes(source)
    assert len(found) > 50
    for change in found:
        assert lines[change.line - 1].strip() == change.context
        assert differs(source, change), change
