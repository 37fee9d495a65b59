"""Several `config` events as one: what a run was told, in the end. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mosaic.protocol.events import Config

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["flat", "merge"]


def flat(config: Config) -> dict[str, str]:
    """Everything a config says as texts: the fields that are set, then `args`. Untrusted text."""
    named = {"algo": config.algo, "env_id": config.env_id, "seed": config.seed}
    told: dict[str, Any] = {name: value for name, value in named.items() if value is not None} | config.args
    # Numbers in full: a hyperparameter that is shown rounded is another one.
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in told.items()
    }


def merge(told: Iterable[object]) -> Config:
    """All of them in one: later ones add to earlier ones, name by name. What is no `Config` is left out.

    `t` is that of the last one; it has no `seq`, since it is no line of the journal.
    """
    whole = Config()
    for one in told:
        if not isinstance(one, Config):
            continue
        for name in ("run_id", "algo", "env_id", "seed"):
            if getattr(one, name) is not None:
                setattr(whole, name, getattr(one, name))
        whole.args = {**whole.args, **one.args}
        whole.t = one.t
    return whole
