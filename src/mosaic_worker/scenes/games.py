"""What board games of PettingZoo have in common: whose turn it is, who won, and how that is said.

Reads the environment's own tables; never calls `observe`, because what is observed is recorded.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from mosaic_worker.common.scene import Hot, printable

__all__ = ["Standing", "standing"]


class Standing(NamedTuple):
    """How a game of two stands.

    Args:
        turn: the agent that moves now; empty when the game is over.
        mover: 0 or 1: its number.
        mine: whether the one who looks may move.
        headline: a sentence: who moves, or who has won.
        side: a word for the mover (`red`).
    """

    turn: str
    mover: int
    mine: bool
    headline: str
    side: str

    @property
    def over(self) -> bool:
        """Whether nobody moves any more."""
        return not self.turn

    def refusal(self, width: float, height: float) -> List[Hot]:
        """What every click is answered with when there is no move for the one who looks."""
        if self.mine:
            return []
        why = self.headline if self.over else f"It is {self.side}'s turn."
        return [Hot(0, 0, width, height, why=why)]


def standing(core: Any, actor: Any, sides: Sequence[str]) -> Standing:
    """How the game stands, for the eyes of `actor` (None: of whoever moves)."""
    agents = list(core.possible_agents)
    ended = [name for name in agents if core.terminations.get(name) or core.truncations.get(name)]
    if ended or not core.agents:
        return Standing("", 0, False, _result(core, agents, sides), "")
    turn = core.agent_selection
    mover = agents.index(turn)
    side = sides[mover]
    headline = f"{side.capitalize()} to move ({printable(turn, 60)})."
    return Standing(printable(turn), mover, actor is None or actor == turn, headline, side)


def _result(core: Any, agents: List[Any], sides: Sequence[str]) -> str:
    # The last rewards stay while the dead are stepped out; the first of them may be gone by then.
    if not core.rewards:
        return "The game is over."
    rewards = [float(core.rewards.get(name, 0)) for name in agents]
    winner: Optional[str] = None
    for side, reward in zip(sides, rewards):  # noqa: B905  (Python 3.8)
        if reward > 0 or (reward == 0 and any(other < 0 for other in rewards)):
            winner = side
    return f"The game is over: {winner} has won." if winner else "The game is over: a draw."
