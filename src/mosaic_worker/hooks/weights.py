"""Whether a file written with a tool for anything (numpy, pickle) holds a policy. Pure, and a rule of thumb.

`torch.save` is called to save weights; `np.save` and `pickle.dump` are called for everything: datasets,
caches, scores. Of these a file counts as a checkpoint when

- its name has a word for a policy in it (`policy`, `q_table`, `ckpt`), or its folder is one for policies
  (`checkpoints`), or what is saved in it is called so, or has weights of its own;
- and its name has no word for something else (`dataset`, `replay_buffer`, `policy_rewards`);
- and it does not lie in a hidden folder, such as a cache (below the folder the script runs in, or the run's,
  only hidden folders in there count).
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, FrozenSet, Iterable, Mapping, Set

__all__ = ["holds_policy", "is_hidden"]


def _set_of(words: str) -> FrozenSet[str]:
    return frozenset(words.split())


_POLICY = _set_of(
    "actor actors agent agents brain checkpoint checkpoints ckpt ckpts critic model models net "
    "network nets networks normalizer normalization param parameter parameters params policies "
    "policy q qnet qtable qvalues snapshot snapshots vecnormalize weight weights"
)
_OTHER = _set_of(
    "action actions arg args buffer buffers cache cached config curve curves data dataset datasets "
    "demo demos demonstrations eval evaluation evaluations experience experiences frames history "
    "info log logs loss losses memory metric metrics obs observation observations plot plots replay "
    "result results returns reward rewards rollout rollouts score scores settings stats trajectories "
    "trajectory transitions video"
)
_FOLDERS = _set_of("checkpoint checkpoints ckpt ckpts models policies snapshots weights")
"""Folders that are made for them. Not `agent` or `policy`, which whole projects are called."""
_SAVERS = ("state_dict", "get_weights", "get_parameters", "get_params", "named_parameters")
"""What objects that have weights can do: those of torch, Keras, SB3, scikit-learn."""
_MAX_NAMES = 64
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def holds_policy(path: str, value: Any = None, names: Iterable[str] = ()) -> bool:
    """Whether saving `value`, or arrays of these names, to `path` looks like saving a policy."""
    folder, name = posixpath.split(path)
    own = _words(posixpath.splitext(name)[0])
    if own & _OTHER:
        return False
    inside = _words(posixpath.basename(folder)) & _FOLDERS
    return bool(own & _POLICY or inside) or _has_weights(value, names)


def is_hidden(path: str, *, at_home: Iterable[str]) -> bool:
    """Whether a file lies in a hidden folder, seen from the first of the folders `at_home` that holds it."""
    folder = posixpath.dirname(path)
    for base in at_home:
        if folder == base or folder.startswith(base.rstrip("/") + "/"):
            folder = folder[len(base) :]
            break
    return any(part.startswith(".") for part in folder.split("/"))


def _has_weights(value: Any, names: Iterable[str]) -> bool:
    called = list(names)[:_MAX_NAMES]
    if isinstance(value, Mapping):
        called += [key for key in list(value)[:_MAX_NAMES] if isinstance(key, str)]
    elif any(callable(getattr(type(value), saver, None)) for saver in _SAVERS):
        return True
    return any(_words(one) & _POLICY for one in called)


def _words(text: str) -> Set[str]:
    found = {word.lower() for word in _WORD.findall(text)}
    return found | {"qtable"} if {"q", "table"} <= found else found
