"""What the tests noticed, package by package, and what they did not. Pure."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath

from tests.mutation.trial import Outcome

__all__ = ["report"]


def report(outcomes: list[Outcome]) -> tuple[str, float]:
    """The report, and the share of mutants killed in percent."""
    tried, killed, hung = Counter[str](), Counter[str](), Counter[str]()
    for outcome in outcomes:
        package = _package(outcome.mutant.module)
        tried[package] += 1
        killed[package] += outcome.killed
        hung[package] += outcome.verdict == "timeout"
    rate = 100 * killed.total() / tried.total() if tried else 100.0
    lines = [f"{'PACKAGE':32s} MUTANTS  KILLED  BY TIMEOUT   RATE"]
    for package in sorted(tried):
        share = 100 * killed[package] / tried[package]
        lines.append(
            f"{package:32s} {tried[package]:7d} {killed[package]:7d} {hung[package]:11d} {share:5.0f} %"
        )
    lines.append(f"{'all':32s} {tried.total():7d} {killed.total():7d} {hung.total():11d} {rate:5.1f} %")
    ordered = sorted(outcomes, key=lambda outcome: (outcome.mutant.module, outcome.mutant.change.line))
    for verdict, heading in (("timeout", "noticed only because they hang:"), ("survived", "survived:")):
        found = [f"  {outcome.mutant}  [{outcome.by}]" for outcome in ordered if outcome.verdict == verdict]
        lines += ["", heading, *found] if found else []
    return "\n".join(lines), rate


def _package(module: str) -> str:
    return ".".join(PurePosixPath(module).parent.parts[1:])
