"""The launch form: every algorithm keeps its texts, outdated answers are dropped, a launch says why not."""

from __future__ import annotations

import msgspec
import pytest

from mosaic.app.training import Plan
from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Capabilities, Check, Job, Parameter, RunnerCard
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model import basics
from mosaic.ui.launch.model import launch as launch_model
from mosaic.ui.launch.model.catalog import Catalog, Entry
from mosaic.ui.launch.model.launch import Launch
from mosaic.ui.launch.model.memory import Memory
from mosaic_worker.common.words import Field, asked

GAMMA = Parameter(name="gamma", type="float", default=0.99, minimum=0, maximum=1)
ABLE = Capabilities(supports_eval=True, supports_warmstart=True, supports_resume=True)
TABULAR = RunnerCard(
    id="tabular",
    title="Tabular",
    algorithms=[Algorithm(id="q", parameters=[GAMMA], default_env="FrozenLake-v1"), Algorithm(id="sarsa")],
    capabilities=ABLE,
)
SB3 = RunnerCard(id="sb3", title="SB3", algorithms=[Algorithm(id="ppo")], requirements=["x"])
ENTRIES = [
    Entry(id="tabular", card=TABULAR, state="ready"),
    Entry(id="sb3", card=SB3, state="missing", text="not installed"),
    Entry(id="bad", card=None, state="broken", text="no such module"),
    Entry(id="script", card=RunnerCard(id="script", title="Any command", needs_env=False), state="ready"),
]


def launch(memory: Memory | None = None) -> Launch:
    catalog = Catalog()
    made = Launch(catalog, convert=convert, memory=memory)
    catalog.show(ENTRIES)
    return made


def plan(checks: list[Check], command: list[str]) -> Plan:
    return Plan(job=Job(runner="tabular"), command=command, checks=checks)


def number(made: Launch) -> int:
    asked = made.ask()
    assert asked is not None
    return asked[0]


def test_the_built_in_runner_is_shown_at_the_first_start() -> None:
    made = launch()
    assert (made.runner, made.algorithm and made.algorithm.id, made.page) == ("tabular", "q", "train")


def test_what_was_chosen_last_is_shown_again() -> None:
    made = launch(Memory(runner="sb3"))
    assert made.runner == "sb3"
    gone = launch(Memory(runner="uninstalled"))
    assert gone.runner == "tabular"


def test_every_algorithm_keeps_what_was_typed_for_it() -> None:
    made = launch()
    made.basics.set("env_id", "Taxi-v4")
    made.parameters.set("gamma", "0.5")
    made.pick("tabular", "sarsa")
    assert made.basics.text("env_id") == "CartPole-v1"
    made.pick("script")
    made.pick("tabular", "q")
    assert made.basics.text("env_id") == "Taxi-v4"
    assert made.parameters.text("gamma") == "0.5"
    kept = made.remembered.drafts["tabular/q"]
    assert (kept.basics, kept.parameters) == ({"env_id": "Taxi-v4"}, {"gamma": "0.5"})
    again = launch(made.remembered)
    assert again.parameters.text("gamma") == "0.5"


def test_a_runner_is_shown_with_the_algorithm_chosen_last() -> None:
    made = launch()
    made.pick("tabular", "sarsa")
    made.pick("script")
    made.pick("tabular")
    assert made.algorithm is not None
    assert made.algorithm.id == "sarsa"


def test_train_new_and_use_trained_are_remembered_by_runner() -> None:
    made = launch()
    made.show("trained")
    made.pick("sb3")
    assert (made.page, made.offers_trained) == ("train", False)
    made.pick("tabular")
    assert made.page == "trained"


def test_what_is_typed_becomes_a_job() -> None:
    made = launch()
    made.basics.set("seeds", "4-6")
    made.basics.set("steps", "1e3")
    made.basics.set("arguments", "--x 'a b'")
    made.basics.set("init", "/some/file")
    made.parameters.set("gamma", "0.9")
    assert made.seeds == [4, 5, 6]
    assert made.job() == Job(
        runner="tabular",
        algorithm="q",
        env_id="FrozenLake-v1",
        seed=4,
        steps=1000,
        parameters={"gamma": 0.9},
        arguments=["--x", "a b"],
        init="/some/file",
    )


def test_a_typed_zero_is_a_number_and_an_empty_field_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    zero = Field("episodes", "--episodes", int, asked=("form",), minimum=0, label="Episodes")
    for module in (basics, launch_model):
        monkeypatch.setattr(module, "asked", lambda where: [*asked(where), zero])
    made = launch()
    assert made.job().episodes is None
    made.basics.set("episodes", "0")
    assert made.job().episodes == 0
    assert (made.job().init, made.job().resume) == (None, None)


def test_a_field_that_cannot_be_taken_blocks_with_its_name_and_reason() -> None:
    made = launch()
    made.basics.set("seeds", "one")
    assert made.blocked.startswith("Seeds: ")
    assert made.ask() is None
    with pytest.raises(UsageError, match="Seeds"):
        made.job()
    made.basics.reset("seeds")
    made.parameters.set("gamma", "2")
    assert made.blocked == "gamma is a number >= 0 and <= 1, not 2.0"


def test_a_launch_is_blocked_until_the_preflight_has_passed() -> None:
    made = launch()
    assert made.blocked == "Checking whether this can work…"
    made.answer(number(made), plan=plan([Check(name="env", level="fail", text="there is none")], ["x"]))
    assert made.blocked == "env: there is none"
    made.basics.set("steps", "5")
    made.answer(number(made), plan=plan([Check(name="env", level="warn", text="slow")], ["x", "y"]))
    assert (made.blocked, made.command) == ("", ["x", "y"])


def test_an_answer_to_what_was_typed_before_is_dropped() -> None:
    made = launch()
    old = number(made)
    made.basics.set("steps", "5")
    made.answer(old, plan=plan([], ["old"]))
    made.preview(old, ["old"])
    assert made.checking
    assert made.command == []


def test_a_plan_of_what_was_typed_before_is_forgotten() -> None:
    made = launch()
    made.answer(number(made), plan=plan([], ["old"]))
    assert made.plan is not None
    made.parameters.set("gamma", "0.5")
    assert made.plan is None


def test_a_preflight_that_could_not_look_says_so() -> None:
    made = launch()
    made.answer(number(made), failed="no child")
    assert made.blocked == "The check could not be made: no child"


def test_runners_that_are_not_ready_say_why() -> None:
    made = launch()
    made.pick("sb3")
    assert made.blocked == "SB3 is not installed yet: install it above."
    made.catalog.begin("sb3")
    assert made.blocked == "SB3 is being installed."
    made.pick("bad")
    assert made.blocked == "bad is broken: no such module"
    assert Launch(Catalog(), convert=convert).blocked == "Looking for runners…"


def test_a_runner_that_becomes_ready_is_checked_with_what_was_typed_meanwhile() -> None:
    made = launch()
    made.pick("sb3")
    made.catalog.begin("sb3")
    made.basics.set("steps", "123")
    made.catalog.end("sb3")
    made.catalog.show([Entry(id="sb3", card=SB3, state="ready")])
    assert made.basics.text("steps") == "123"
    assert made.checking


def test_there_is_no_second_launch_while_one_is_under_way_and_a_refusal_keeps_the_form() -> None:
    made = launch()
    made.answer(number(made), plan=plan([], []))
    made.parameters.set("gamma", "0.5")
    made.answer(number(made), plan=plan([], []))
    made.launch_began()
    assert made.blocked == "Starting…"
    made.launch_ended(problem="the disk is full")
    assert (made.problem, made.blocked, made.parameters.text("gamma")) == ("the disk is full", "", "0.5")
    made.parameters.reset("gamma")
    assert made.problem == ""


def test_another_job_fills_the_form() -> None:
    made = launch()
    made.parameters.set("gamma", "0.1")
    job = Job(runner="tabular", algorithm="q", env_id="Taxi-v4", seed=9, steps=55)
    assert made.fill_job(job)
    assert (made.job().env_id, made.job().seed, made.job().steps) == ("Taxi-v4", 9, 55)
    assert made.job().parameters == {}
    assert not made.fill_job(Job(runner="gone"))
    assert not made.fill("gone")


def test_plain_commands_need_no_form_here() -> None:
    made = launch()
    made.pick("script")
    assert made.is_script
    assert made.ask() is None
    assert made.blocked == ""


def test_arguments_of_the_environment_are_typed_and_come_back_from_a_job() -> None:
    made = launch()
    made.basics.set("env_arguments", "is_slippery=false map_name=8x8")
    job = made.job()
    assert job.parameters == {"env.is_slippery": False, "env.map_name": "8x8"}
    made.basics.reset("env_arguments")
    made.fill_job(job)
    assert made.job().parameters == job.parameters
    made.basics.set("env_arguments", "slippery")
    assert made.blocked.startswith("Environment arguments: write key=value")


def test_a_run_is_resumed_up_to_its_end_unless_steps_are_named() -> None:
    made = launch()
    made.basics.set("resume", "some-run")
    assert (made.job().resume, made.job().steps) == ("some-run", None)
    assert "up to the steps" in made.note
    made.basics.set("steps", "500")
    assert made.job().steps == 500
    assert "this many more steps" in made.note


def test_what_a_runner_trained_is_offered_where_it_can_play() -> None:
    made = launch()
    assert made.offer("tabular", "sarsa")
    assert made.page == "trained"
    assert not made.offer("sb3", "ppo")
    assert not made.offer("gone", "")


def test_a_runner_that_finds_its_algorithms_in_a_folder_asks_for_it_and_passes_it_on() -> None:
    made = launch()
    bare = RunnerCard(id="cleanrl", title="CleanRL")
    made.catalog.show([Entry(id="cleanrl", card=bare, state="ready", discovers=True)])
    made.pick("cleanrl")
    assert made.blocked == "CleanRL: name the folder of your checkout above."
    made.checkouts["cleanrl"] = "/somewhere"
    found = RunnerCard(id="cleanrl", title="CleanRL", algorithms=[Algorithm(id="ppo")])
    made.catalog.show([Entry(id="cleanrl", card=found, state="ready", discovers=True)])
    assert (made.job().algorithm, made.job().checkout) == ("ppo", "/somewhere")


def test_an_algorithm_whose_card_changed_gets_new_fields_and_keeps_what_was_typed() -> None:
    made = launch()
    made.parameters.set("gamma", "0.5")
    rate = Parameter(name="rate", type="float", default=0.1)
    other = RunnerCard(
        id="tabular", title="Tabular", algorithms=[Algorithm(id="q", parameters=[GAMMA, rate])]
    )
    made.catalog.show([Entry(id="tabular", card=other, state="ready")])
    assert made.parameters.names == ("gamma", "rate")
    assert made.parameters.text("gamma") == "0.5"


def test_looking_again_and_finding_the_same_asks_for_no_new_preflight() -> None:
    made = launch()
    before = number(made)
    made.catalog.show(list(ENTRIES))
    assert number(made) == before


def test_the_runner_shown_at_the_first_start_needs_no_package_whatever_else_is_ready() -> None:
    heavy = msgspec.structs.replace(TABULAR, id="heavy", title="A first one", requirements=["torch==1"])
    catalog = Catalog()
    made = Launch(catalog, convert=convert)
    catalog.show([Entry(id="heavy", card=heavy, state="ready"), *ENTRIES])
    assert made.runner == "tabular"


def test_a_copy_of_a_job_starts_from_the_beginning() -> None:
    made = launch()
    job = Job(runner="tabular", algorithm="q", env_id="Taxi-v4", steps=55, init="/old.npz")
    assert made.fill_job(job)
    assert (made.job().init, made.job().steps, made.job().seed) == (None, 55, None)
