"""The deliberate breaks, one list. Each names the promise it betrays and the proof that must notice."""

from __future__ import annotations

from tests.proof.mutants_artifacts import ARTIFACT_MUTANTS
from tests.proof.mutants_frames import FRAME_MUTANTS
from tests.proof.mutants_golden import GOLDEN_MUTANTS
from tests.proof.mutants_import import IMPORT_MUTANTS
from tests.proof.mutants_neighbours import NEIGHBOUR_MUTANTS
from tests.proof.mutants_process import PROCESS_MUTANTS
from tests.proof.mutants_quotas import QUOTA_MUTANTS
from tests.proof.mutants_sessions import SESSION_MUTANTS
from tests.proof.mutants_storage import STORAGE_MUTANTS
from tests.proof.mutation import Mutant

MUTANTS: list[Mutant] = [
    *STORAGE_MUTANTS,
    *PROCESS_MUTANTS,
    *FRAME_MUTANTS,
    *ARTIFACT_MUTANTS,
    *GOLDEN_MUTANTS,
    *IMPORT_MUTANTS,
    *NEIGHBOUR_MUTANTS,
    *QUOTA_MUTANTS,
    *SESSION_MUTANTS,
]
