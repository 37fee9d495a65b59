"""What reaches the journal from RLlib's algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_numbers_of_a_result_are_recorded_at_the_algorithms_own_iteration(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from ray.rllib.algorithms.algorithm import PPO
        algorithm = PPO()
        algorithm.train()
        algorithm.train()
        """,
    )
    assert [(m["name"], m["value"], m["step"], m["source"]) for m in done.of("metric")] == [
        (name, value, step, "rllib")
        for step in (1, 2)
        for name, value in (("training_iteration", step), ("env_runners/return_mean", 21.5))
    ]
    assert done.hook_errors == {}


def test_a_folder_it_saves_to_is_one_checkpoint(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from ray.rllib.algorithms.algorithm import PPO
        algorithm = PPO()
        algorithm.train()
        algorithm.save_to_path("a")
        algorithm.save("b")
        """,
    )
    found = [(c["path"], c["kind"], c["step"], c["bytes"], c["meta"]) for c in done.of("checkpoint")]
    assert found == [
        (str(tmp_path / "a"), "rllib", 1, 7, {"files": 1}),
        (str(tmp_path / "b"), "rllib", 1, 9, {"files": 2}),
    ]
    assert done.hook_errors == {}


def test_who_wraps_a_hooked_method_can_pickle_what_it_copied_of_it(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import functools, cloudpickle
        from ray.rllib.algorithms.algorithm import PPO
        @functools.wraps(PPO.save_to_path)
        def traced(*args):
            return None
        del traced.__wrapped__
        traced.__qualname__ = "traced"  # found nowhere by that name: pickled by value, as Ray does
        cloudpickle.loads(cloudpickle.dumps(traced))
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_hooked_method_that_was_inherited_is_still_pickled_by_name(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import pickle
        from ray.rllib.algorithms.algorithm import Algorithm
        for method in (Algorithm.train, Algorithm.save, Algorithm.save_to_path):
            assert pickle.loads(pickle.dumps(method)) is method
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
