"""Columns of steps as the rows readers get. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.protocol.rows import StepRow
from mosaic.store.chunks import TERMINATED, TRUNCATED

if TYPE_CHECKING:
    from mosaic.store.chunks import Steps

__all__ = ["step_rows"]


def step_rows(steps: Steps) -> list[StepRow]:
    """One row per step, in their order."""
    plain = zip(
        steps.step.tolist(),
        steps.action.objects(),
        steps.reward.tolist(),
        (steps.flags & TERMINATED).astype(bool).tolist(),
        (steps.flags & TRUNCATED).astype(bool).tolist(),
        steps.obs.objects(),
        steps.t.tolist(),
        steps.agent.objects(),
        steps.turn.objects(),
        steps.rewards.objects(),
        steps.seq.tolist(),
        strict=True,
    )
    return [
        StepRow(
            step=step,
            action=action,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            obs=obs,
            t=t,
            agent_id=agent,
            turn=turn,
            rewards=rewards,
            seq=seq,
        )
        for step, action, reward, terminated, truncated, obs, t, agent, turn, rewards, seq in plain
    ]
