"""`python -m tests.mutation`: break modules of `src/`, one line at a time, and see which tests notice.

    python -m tests.mutation --count 200 --seed 1                 a sample over everything
    python -m tests.mutation --module mosaic.store --count 40     of one package or module
    python -m tests.mutation --since main                         of lines changed since then only
    python -m tests.mutation --module mosaic.text --list          what would be tried; runs nothing

Prints the kill rate of each package, every hang and every survivor. Exit code 1 when the rate is below
`--floor`.
"""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutation.report import report
from tests.mutation.sample import candidates, changed_lines, sample
from tests.mutation.trial import Limits, Mutant, Outcome, Workspace

ROOT = Path(__file__).parents[2]


def main(words: list[str]) -> int:
    """Sample, try, report."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutation", description="Break one line, run the tests."
    )
    parser.add_argument("--count", type=int, default=200, help="how many at most")
    parser.add_argument("--seed", type=int, default=1, help="another number, another sample")
    parser.add_argument("--module", action="append", default=[], help="a module or package; may be repeated")
    parser.add_argument("--since", help="only lines that changed since this revision")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--mirror-secs", type=float, default=240.0)
    parser.add_argument("--ring-secs", type=float, default=240.0, help="0: the mirror alone decides")
    parser.add_argument(
        "--framework-secs", type=float, default=1800.0, help="for a module that needs a framework"
    )
    parser.add_argument("--floor", type=float, default=0.0, help="the least kill rate in percent")
    parser.add_argument("--list", action="store_true", help="print the sample and stop")
    asked = parser.parse_args(words)

    lines = changed_lines(ROOT, asked.since) if asked.since else None
    chosen = sample(
        ROOT, candidates(ROOT, modules=asked.module, lines=lines), count=asked.count, seed=asked.seed
    )
    if asked.list:
        print("\n".join(map(str, chosen)))
        return 0
    if not chosen:
        print("nothing to break there")
        return 0
    limits = Limits(
        mirror_secs=asked.mirror_secs, ring_secs=asked.ring_secs, framework_secs=asked.framework_secs
    )
    outcomes = try_all(chosen, workers=asked.workers, limits=limits)
    text, rate = report(outcomes)
    print(text)
    if rate < asked.floor:
        print(f"the kill rate {rate:.1f} % is below the floor of {asked.floor:.1f} %")
        return 1
    return 0


def try_all(mutants: list[Mutant], *, workers: int, limits: Limits, root: Path = ROOT) -> list[Outcome]:
    """The outcome of each, printed as it comes."""
    with (
        tempfile.TemporaryDirectory(prefix="mosaic-mutants-") as scratch,
        ThreadPoolExecutor(workers) as pool,
    ):
        free: queue.SimpleQueue[Workspace] = queue.SimpleQueue()  # at most `workers` entries
        healthy: dict[str, bool] = {}  # at most one entry for each test
        for number in range(workers):
            place = Path(scratch) / str(number)
            place.mkdir()
            free.put(Workspace(root, place, limits=limits, healthy=healthy))

        def judge(mutant: Mutant) -> Outcome:
            workspace = free.get()
            try:
                return workspace.judge(mutant)
            finally:
                free.put(workspace)

        outcomes = []
        for done in as_completed([pool.submit(judge, mutant) for mutant in mutants]):
            outcome = done.result()
            outcomes.append(outcome)
            print(f"{len(outcomes):4d} {outcome.verdict:9s} {outcome.mutant}  [{outcome.by}]", flush=True)
        return outcomes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
