"""What `mosaic doctor` says of the runners: whether each can be used, and on request really trying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.cli.checks import Check
from mosaic.errors import MosaicError
from mosaic.runners import environments, registry
from mosaic.runners.building import prove
from mosaic.settings import load

if TYPE_CHECKING:
    from mosaic.paths import DataRoot

__all__ = ["runner_checks"]


def runner_checks(root: DataRoot, *, really: bool = False) -> list[Check]:
    """One line for each runner.

    Args:
        root: the data root.
        really: whether each that can be used is tried: imports, an environment, some hundred steps.
    """
    try:
        settings = load(root)
    except MosaicError:
        return []  # the check of the settings says why
    return [_look(root, one, really=really) for one in registry.listed(settings)]


def _look(root: DataRoot, one: registry.Listed, *, really: bool) -> Check:
    name = f"runner {one.id}"
    if one.runner is None:
        return Check(
            name=name, status="warn", text=f"broken: {one.problem}", fix=f"remove {one.package or one.id}"
        )
    card = one.runner.card
    ready = environments.readiness(root, card)
    if ready.python is None:
        status = "warn" if ready.state == "broken" else "ok"
        return Check(name=name, status=status, text=f"not installed: {ready.text}", fix=ready.remedy)
    if really and (card.needs_env or card.imports):
        try:
            tried = prove(card, ready.python)
        except MosaicError as error:
            fix = f"mosaic runners install {card.id} --force" if card.requirements else ready.remedy
            return Check(name=name, status="fail", text=str(error), fix=fix)
        return Check(name=name, status="ok", text=f"{ready.text}; {tried or 'its imports'} tried and fine")
    return Check(name=name, status="ok", text=ready.text)
