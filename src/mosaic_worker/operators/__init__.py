"""Who decides for an actor of a session. An operator imports its framework when it runs, never before."""

from __future__ import annotations

from mosaic_worker.operators.actions import Actions
from mosaic_worker.operators.policy import Policy
from mosaic_worker.operators.random import Random
from mosaic_worker.session.operator import Choice, Learner, Operator, Seat, seed_of

__all__ = ["Actions", "Choice", "Learner", "Operator", "Policy", "Random", "Seat", "seed_of"]
