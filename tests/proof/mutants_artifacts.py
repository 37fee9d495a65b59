"""The deliberate breaks of G11 and G12: checkpoints, whole and harmless."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["ARTIFACT_MUTANTS"]

_SAVES = (
    "tests/proof/test_checkpoints.py::test_a_save_killed_at_any_call_is_not_listed_and_harms_none_before[all]"
)
_HOSTILE = "tests/proof/test_hostile_checkpoints.py::"

ARTIFACT_MUTANTS: list[Mutant] = [
    Mutant(
        name="a checkpoint has its name before it is whole",
        guarantee="G11",
        file="mosaic_worker/drivers/kit/saving.py",
        old='temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")',
        new="temporary = path",
        proof=_SAVES,
    ),
    Mutant(
        name="a listed checkpoint is written over",
        guarantee="G11",
        file="mosaic_worker/drivers/kit/saving.py",
        old="while os.path.exists(path):",
        new="while False:",
        proof=_SAVES,
    ),
    Mutant(
        name="all of the earlier checkpoints go",
        guarantee="G11",
        file="mosaic_worker/drivers/kit/saving.py",
        old="if saved.entry in gone]:",
        new="]:",
        proof=_SAVES,
    ),
    Mutant(
        name="tables may hold pickles",
        guarantee="G12",
        file="mosaic_worker/drivers/tabular.py",
        old="np.load(file, allow_pickle=False)",
        new="np.load(file, allow_pickle=True)",
        proof=_HOSTILE + "test_the_tabular_driver_refuses_every_pickle",
    ),
    Mutant(
        name="nobody asks whether a file is trusted",
        guarantee="G12",
        file="mosaic/app/starting_points.py",
        old="if card.pickled_checkpoints and not known.trusted",
        new="if not card.pickled_checkpoints and not known.trusted",
        proof=_HOSTILE + "test_nothing_in_a_file_runs_because_it_is_listed_verified_packed_or_refused",
    ),
    Mutant(
        name="the file is opened again after it was hashed",
        guarantee="G12",
        file="mosaic_worker/drivers/kit/loading.py",
        old="        copy.seek(0)\n        yield copy",
        new="        with open(path, 'rb') as again:\n            yield again",
        proof=_HOSTILE + "test_what_is_loaded_is_what_was_hashed_even_if_the_file_changes_in_between",
    ),
    Mutant(
        name="a run that was brought in is ours",
        guarantee="G12",
        file="mosaic/exporting/unpack.py",
        old="        trust.forget_run(root, folder.run_id)",
        new="        trust.own_run(root, folder.run_id)",
        proof=_HOSTILE + "test_a_run_that_was_brought_in_is_a_strangers_also_under_an_id_of_ours",
    ),
]
