"""The deliberate breaks of G22: what one run's folder could do to the others."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["NEIGHBOUR_MUTANTS"]

_MATRIX = (
    "tests/proof/test_neighbours.py::"
    "test_whatever_lies_in_a_runs_folder_its_neighbours_live_as_if_it_were_not_there"
)

NEIGHBOUR_MUTANTS: list[Mutant] = [
    Mutant(
        name="a named pipe is waited for",
        guarantee="G22",
        file="mosaic_worker/common/opening.py",
        old="flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode",
        new="flags | os.O_CLOEXEC | os.O_NOFOLLOW, mode",
        proof=_MATRIX + "[pipe]",
    ),
    Mutant(
        name="a link leads out of the folder",
        guarantee="G22",
        file="mosaic_worker/common/opening.py",
        old="flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode",
        new="flags | os.O_CLOEXEC | os.O_NONBLOCK, mode",
        proof=_MATRIX + "[outside]",
    ),
    Mutant(
        name="any number is an exit code",
        guarantee="G22",
        file="mosaic/protocol/runs.py",
        old="_Code = Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]",
        new="_Code = int",
        proof=_MATRIX + "[numbers]",
    ),
    Mutant(
        name="a folder that cannot be read is not listed",
        guarantee="G22",
        file="mosaic/app/run_index.py",
        old="        return unreadable_row(run_id, str(error))\n",
        new="        return None\n",
        proof=_MATRIX + "[random]",
    ),
    Mutant(
        name="the bin is emptied as far as it goes easily",
        guarantee="G22",
        file="mosaic/daemon/janitor.py",
        old="        if not stat.S_ISDIR(os.lstat(binned, dir_fd=home).st_mode):\n",
        new="        if stat.S_ISREG(os.lstat(binned, dir_fd=home).st_mode):\n",
        proof=_MATRIX + "[loop]",
    ),
]
