"""The deliberate breaks of G21: what a person did, who has a seat, and what is written of it."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["SESSION_MUTANTS"]

_KILLS = (
    "tests/proof/test_sessions.py::test_whoever_is_killed_in_a_session_it_goes_on_and_its_record_is_exact"
)
_BRANCH = (
    "tests/proof/test_sessions.py::"
    "test_a_branch_whose_person_is_killed_waits_for_another_and_replays_after_its_own_death"
)
_LEDGER = "mosaic_worker/session/ledger.py"

SESSION_MUTANTS: list[Mutant] = [
    Mutant(
        name="a decision is written after its step",
        guarantee="G21",
        file="mosaic_worker/session/loop.py",
        old="            world.step(table.ask(due))\n",
        new=(
            "            table._ledger, late = None, table._ledger\n"
            "            world.step(table.ask(due))\n"
            "            table._ledger = late\n"
            "            for actor in due:\n"
            "                seat = table.seats[actor]\n"
            "                late.decided(world.env_of(actor), actor, seat.operator.name, seat.choice)\n"
        ),
        proof=_KILLS,
    ),
    Mutant(
        name="the proposal is recorded as executed",
        guarantee="G21",
        file=_LEDGER,
        old='{"executed": choice.action, **_TAKEN}',
        new='{"executed": taken.action, **_TAKEN}',
        proof=_KILLS,
    ),
    Mutant(
        name="what a person did is recorded as proposed",
        guarantee="G21",
        file=_LEDGER,
        old="            proposed=choice.action if taken is None else taken.action,\n",
        new="            proposed=choice.action,\n",
        proof=_KILLS,
    ),
    Mutant(
        name="only the first correction is written",
        guarantee="G21",
        file=_LEDGER,
        old="        if taken is None and not data and last == now:\n",
        new="        if last == (standing.episode_id, PERSON) and taken is not None:\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a dead client's key stays down",
        guarantee="G21",
        file="mosaic_worker/session/control.py",
        old="        hand.owner = None\n        hand.let_go()\n",
        new="        hand.owner = None\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a dead client keeps its seat",
        guarantee="G21",
        file="mosaic_worker/session/hands.py",
        old="            client.door.close()\n            self.control.left(client.number)\n",
        new="            client.door.close()\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a seat that was given back is waited for",
        guarantee="G21",
        file="mosaic_worker/session/hands.py",
        old="            while hand.played and found is NOTHING:\n",
        new="            while found is NOTHING:\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a dead operator ends the session",
        guarantee="G21",
        file="mosaic_worker/session/failing.py",
        old="        if self._instead is None:\n",
        new="        if self._instead is None or self.failures:\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a person's own seat is never free again",
        guarantee="G21",
        file="mosaic_worker/session/control.py",
        old="        if hand.owner is not None and hand.owner.client != owner.client:\n",
        new="        if hand.owner is not None or (hand.person and hand.step > 0):\n",
        proof=_BRANCH,
    ),
    Mutant(
        name="an episode that was cut counts as played",
        guarantee="G21",
        file="mosaic_worker/drivers/session.py",
        old="                    if cut.quit:\n                        return\n",
        new="                    if cut.quit:\n                        return\n                    break\n",
        proof=(
            "tests/worker/session/test_attended.py::"
            "test_a_reset_begins_anew_with_another_seed_and_the_cut_episode_stays_in_the_record"
        ),
    ),
]
