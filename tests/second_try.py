"""Run pytest; what fails is tried once more, alone; list what passed only then, fail if that is much.

    python tests/second_try.py -n 2 --dist loadfile -m "not heavy"

All words go to pytest. What passes only at the second try is a defect of a test or of MOSAIC: each is
listed at the end, and more than `MOST` of them fail the whole. Nothing is tried a third time, and a run that
pytest could not carry out (interrupted, a wrong option, a file it cannot import) is not tried again at all.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

__all__ = ["MOST", "Outcome", "judge", "main"]

MOST = 3
"""So many may pass only at the second try; a longer list means that nobody mends them."""

SOME_FAILED = 1  # pytest's own exit code for it


class Outcome(NamedTuple):
    """What two runs of pytest come to: an exit code, and the tests that needed the second one."""

    code: int
    second: list[str]
    text: str


def judge(failed: set[str], failed_again: set[str], *, code_again: int, most: int = MOST) -> Outcome:
    """Pure: what failed first, what of it failed alone, and pytest's second exit code in; the outcome out."""
    second = sorted(failed - failed_again)
    lines = [f"passed only at the second try: {len(second)} (at most {most} may)"]
    lines += [f"  {name}" for name in second]
    if failed_again or code_again:
        lines += [f"failed twice: {len(failed_again)}", *(f"  {name}" for name in sorted(failed_again))]
        return Outcome(code_again or SOME_FAILED, second, "\n".join(lines))
    if len(second) > most:
        lines += ["That is too much to be chance: mend these tests, or what they test."]
        return Outcome(SOME_FAILED, second, "\n".join(lines))
    return Outcome(0, second, "\n".join(lines))


def main(words: list[str], *, most: int = MOST) -> int:
    """Run, try again what failed, and say so. The exit code."""
    with TemporaryDirectory() as cache:  # an earlier run's failures are not to be tried
        code = _pytest([*words, "-o", f"cache_dir={cache}"])
        if code != SOME_FAILED:
            return code
        failed = _failed(Path(cache))
        if not all(".py" in name for name in failed):  # a worker, not a test: they collected different tests
            return code
        print(f"\n{len(failed)} failed; each is tried once more, alone and in order\n", flush=True)
        # -n 0 takes a parallel run back; with nothing to run, pytest's exit code says so
        again = ["-n", "0", "--last-failed", "--last-failed-no-failures", "none"]
        code = _pytest([*words, *again, "-o", f"cache_dir={cache}"])
        outcome = judge(failed, _failed(Path(cache)), code_again=code, most=most)
    print(f"\n{outcome.text}", flush=True)
    return outcome.code


def _pytest(words: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode


def _failed(cache: Path) -> set[str]:
    """What pytest remembers as failed in its latest run, by node id."""
    kept = cache / "v" / "cache" / "lastfailed"
    return set(json.loads(kept.read_text())) if kept.exists() else set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
