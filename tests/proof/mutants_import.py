"""The deliberate breaks of G24: bringing a packed run in."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["IMPORT_MUTANTS"]

_UNPACK = "tests/exporting/test_unpack.py::"
_LIES = _UNPACK + "test_a_lie_is_refused_and_leaves_nothing_behind"

IMPORT_MUTANTS: list[Mutant] = [
    Mutant(
        name="a record may be a folder",
        guarantee="G24",
        file="mosaic/exporting/archive.py",
        old="    if top in _RECORDS:\n        return range(1, 2)\n",
        new="",
        proof=_LIES,
    ),
    Mutant(
        name="what a segment holds is not counted",
        guarantee="G24",
        file="mosaic/exporting/unpack.py",
        old="    if sealed.over_limit:\n",
        new="    if False:\n",
        proof=_UNPACK + "test_a_line_of_gigabytes_in_a_small_sealed_segment_is_refused",
    ),
    Mutant(
        name="any spelling of an id is good enough",
        guarantee="G24",
        file="mosaic/exporting/unpack.py",
        old="runs.is_run_id(manifest.run_id)",
        new="runs.is_run_id(manifest.run_id.upper())",
        proof=_UNPACK + "test_a_lie_about_the_run_id_in_both_manifests_is_refused_too",
    ),
    Mutant(
        name="a running unpack is swept",
        guarantee="G24",
        file="mosaic/runs/staging.py",
        old="    except BlockingIOError:\n        return False\n",
        new="    except BlockingIOError:\n        pass\n",
        proof="tests/runs/test_staging.py::test_a_running_one_stays_and_a_killed_one_goes",
    ),
]
