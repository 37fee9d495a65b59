"""The role that the owner of a vector environment tells its members in other processes: one shared byte.

A member's callers are all in its own process, and know nothing of training. So whoever resets the whole says
there what its callers say, and a member looks at the beginning of each episode. Linux; elsewhere nothing is
told, and the name of the whole decides as before.
"""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple

from mosaic_worker import report, roles

__all__ = ["Told", "tell", "telling"]

_NAME = "_mosaic_told"
_CODES = {None: b"\0", roles.TRAIN: b"t", roles.EVAL: b"e", roles.NEITHER: b"n"}
_ROLES = {code: role for role, code in _CODES.items()}


class Told:
    """A byte in memory. Forked children have it as it is; it is handed to others as they are started."""

    def __init__(self, fd: Optional[int] = None) -> None:
        self._fd = os.memfd_create("mosaic-role") if fd is None else fd

    def say(self, role: Optional[str]) -> None:
        """From here on, episodes have this role; None: nobody knows it."""
        os.pwrite(self._fd, _CODES[role], 0)

    @property
    def role(self) -> Optional[str]:
        """What was said last."""
        return _ROLES.get(os.pread(self._fd, 1, 0))

    def __reduce__(self) -> Tuple[Any, ...]:
        from multiprocessing import context, reduction

        if context.get_spawning_popen() is None:
            return type(None), ()  # not on its way to a child: a descriptor means nothing elsewhere
        return _received, (reduction.DupFd(self._fd),)

    def __deepcopy__(self, _: Any) -> Told:
        return self

    def __del__(self) -> None:
        with report.guard("closing what members are told"):
            os.close(self._fd)


def _received(sent: Any) -> Told:
    return Told(sent.detach())


def telling(env: Any) -> Optional[Told]:
    """A byte for the members of a vector environment that is being made; None where none can be shared."""
    if not hasattr(os, "memfd_create"):
        return None
    told = env.__dict__[_NAME] = Told()
    return told


def tell(env: Any, role: Optional[str]) -> None:
    """Tell the members of a vector environment, or of the one that this is wrapped around, their role."""
    for _ in range(16):  # VecNormalize and its kind wrap one another
        own = getattr(env, "__dict__", {})
        if own.get(_NAME) is not None:
            own[_NAME].say(role)
            return
        env = own.get("venv")
