"""Which keys mean which actions, by environment: our table, what the environment says of itself, or digits.

Pure: an environment and a space in, a key map out (`mosaic.protocol.hands.KeyMap`). A user's own map is the
client's business: it sends actions, not keys. Keys are named as Qt names them: `Left`, `Space`, `A`, `7`.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from mosaic_worker.layers import layers
from mosaic_worker.session.fitting import as_json, fitted, nothing

__all__ = ["key_map", "rest_of"]

_MOST_ACTIONS = 64  # of an environment's own map, and of names
_AXES = (
    ("Left", "Right"),
    ("Down", "Up"),
    ("A", "D"),
    ("S", "W"),
    ("J", "L"),
    ("K", "I"),
    ("F", "H"),
    ("G", "T"),
)
_CODES = {
    # pygame's: of its second version, then of its first, which MountainCar still has
    1073741903: "Right", 1073741904: "Left", 1073741905: "Down", 1073741906: "Up",
    273: "Up", 274: "Down", 275: "Right", 276: "Left",
    8: "Backspace", 9: "Tab", 13: "Return", 32: "Space",
}  # fmt: skip
_MOVES = {"UP": "Up", "DOWN": "Down", "LEFT": "Left", "RIGHT": "Right", "FIRE": "Space"}
_VERSION = re.compile(r"[-_]v\d+\Z")


class _Keys(NamedTuple):
    """The keys of an environment that we know: action, name and key of each, and what stands for rest."""

    keys: Sequence[Tuple[Any, str, str]] = ()
    rest: Optional[Any] = None


class _Axes(NamedTuple):
    """The same for numbers of a continuous action: position, name, key, and what the key adds."""

    keys: Sequence[Tuple[int, str, str, float]] = ()


_STEER = ((0, "push left", "Left"), (2, "push right", "Right"))
_TABLE: Dict[str, _Keys] = {
    "CartPole": _Keys(((0, "push left", "Left"), (1, "push right", "Right")), rest=0),
    "MountainCar": _Keys(_STEER, rest=1),
    "Acrobot": _Keys(((0, "torque -1", "Left"), (2, "torque +1", "Right")), rest=1),
    "LunarLander": _Keys(
        ((1, "left engine", "Left"), (2, "main engine", "Up"), (3, "right engine", "Right")), rest=0
    ),
    "CarRacing": _Keys(
        ((1, "steer right", "Right"), (2, "steer left", "Left"), (3, "gas", "Up"), (4, "brake", "Down")),
        rest=0,
    ),
    "FrozenLake": _Keys(((0, "left", "Left"), (1, "down", "Down"), (2, "right", "Right"), (3, "up", "Up"))),
    "CliffWalking": _Keys(((0, "up", "Up"), (1, "right", "Right"), (2, "down", "Down"), (3, "left", "Left"))),
    "Taxi": _Keys(
        (
            (0, "south", "Down"),
            (1, "north", "Up"),
            (2, "east", "Right"),
            (3, "west", "Left"),
            (4, "pick up", "P"),
            (5, "drop off", "D"),
        )
    ),
    "Blackjack": _Keys(((0, "stick", "S"), (1, "hit", "H"))),
    "MiniGridEnv": _Keys(
        (
            (0, "turn left", "Left"),
            (1, "turn right", "Right"),
            (2, "forward", "Up"),
            (3, "pick up", "P"),
            (4, "drop", "D"),
            (5, "toggle", "Space"),
            (6, "done", "Return"),
        )
    ),
}
_TABLE["connect_four"] = _Keys(tuple((at, f"column {at + 1}", str(at + 1)) for at in range(7)))
# Its cells are numbered by columns; people count by rows.
_TABLE["tictactoe"] = _Keys(
    tuple(
        (column * 3 + row, f"row {row + 1}, column {column + 1}", str(row * 3 + column + 1))
        for row in range(3)
        for column in range(3)
    )
)
_CONTINUOUS: Dict[str, _Axes] = {
    "MountainCarContinuous": _Axes(((0, "push left", "Left", -1.0), (0, "push right", "Right", 1.0))),
    "Pendulum": _Axes(((0, "turn left", "Left", 2.0), (0, "turn right", "Right", -2.0))),
    "LunarLander": _Axes(
        ((0, "main engine", "Up", 1.0), (1, "left engine", "Left", -1.0), (1, "right engine", "Right", 1.0))
    ),
    "CarRacing": _Axes(
        (
            (0, "steer left", "Left", -1.0),
            (0, "steer right", "Right", 1.0),
            (1, "gas", "Up", 1.0),
            (2, "brake", "Down", 0.8),
        )
    ),
}


def key_map(env: Any, space: Any) -> Dict[str, Any]:
    """The keys of one actor.

    Looked for in this order: our table, the environment's `get_keys_to_action`, names of its actions, digits;
    for continuous actions our table, then arrows and letters by position.

    Args:
        env: the environment, wrapped or not.
        space: the actor's action space.
    """
    kind = type(space).__name__
    names = _names(env)
    if kind in ("Box", "MultiBinary") and len(space.shape) == 1:
        return _continuous(names, space)
    if kind != "Discrete":
        return {"bindings": []}
    actions = range(int(getattr(space, "start", 0)), int(getattr(space, "start", 0)) + int(space.n))
    for name in names:
        ours = _TABLE.get(name)
        if ours is not None and all(action in actions for action, _, _ in ours.keys):
            bindings = [_binding([key], action, said) for action, said, key in ours.keys]
            return _told(bindings, "table", rest=ours.rest)
    core = layers(env)[-1]
    for find, source in ((_own, "environment"), (_named, "names")):
        found = find(core, actions)
        if found:
            return _told(found, source, rest=_no_operation(core, actions))
    if len(actions) <= 10:
        return _told([_binding([str(action)], action, f"action {action}") for action in actions], "digits")
    return {"bindings": []}


def rest_of(keys: Mapping[str, Any], space: Any, *, ticks: bool) -> Any:
    """What is done under a tick while no key is held, as the space wants it; None where there is no such."""
    if keys.get("rest") is not None:
        return fitted(keys["rest"], space)
    # Real-time environments without an action for rest go on all the same, as gymnasium's own `play` does.
    return nothing(space) if ticks and keys["bindings"] else None


def _told(bindings: List[Dict[str, Any]], source: str, *, rest: Any = None) -> Dict[str, Any]:
    found: Dict[str, Any] = {"bindings": bindings, "source": source}
    return found if rest is None else {**found, "rest": rest}


def _binding(keys: List[str], action: Any, name: str) -> Dict[str, Any]:
    return {"keys": keys, "action": action, "name": name}


def _names(env: Any) -> List[str]:
    """What an environment may be known by: its id or PettingZoo's name without version, and its classes."""
    found = []
    metadata = getattr(layers(env)[-1], "metadata", None)
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if isinstance(name, str):
        found.append(_VERSION.sub("", name))
    for layer in layers(env):
        env_id = getattr(getattr(layer, "spec", None), "id", None)
        if isinstance(env_id, str):
            found.append(_VERSION.sub("", env_id.split("/")[-1].split(":")[-1]))
            break
    return [*found, *(kind.__name__ for kind in type(layers(env)[-1]).__mro__)]


def _continuous(names: Sequence[str], space: Any) -> Dict[str, Any]:
    size = int(space.shape[0])
    rest = [0.0] * size
    for name in names:
        ours = _CONTINUOUS.get(name)
        if ours is not None and all(axis < size for axis, *_ in ours.keys):
            bindings = [
                {"keys": [key], "name": said, "axis": axis, "value": value}
                for axis, said, key, value in ours.keys
            ]
            return _told(bindings, "table", rest=rest)
    low, high = getattr(space, "low", [0.0] * size), getattr(space, "high", [1.0] * size)
    bindings = []
    for axis, keys in enumerate(_AXES[:size]):
        for key, bound, sign in zip(keys, (low[axis], high[axis]), (-1.0, 1.0)):  # noqa: B905
            value = float(bound) if abs(float(bound)) < 1e6 else sign
            if value:  # a pedal has one direction only
                bindings.append({"keys": [key], "name": f"{axis}: {value:+g}", "axis": axis, "value": value})
    return _told(bindings, "axes", rest=rest)


def _own(core: Any, actions: range) -> List[Dict[str, Any]]:
    """What the environment says itself."""
    ask = getattr(core, "get_keys_to_action", None)
    try:
        told = ask() if callable(ask) else None
    except Exception:  # noqa: BLE001  (a stranger's code; there are other ways to a key map)
        told = None
    if not isinstance(told, dict):
        return []
    meanings = _meanings(core)
    found = []
    for keys, meant in list(told.items())[:_MOST_ACTIONS]:
        named = [_key(key) for key in (keys if isinstance(keys, (tuple, list)) else str(keys))]
        action = as_json(meant) if hasattr(meant, "tolist") else meant
        if named and all(named) and isinstance(action, int) and action in actions:
            name = meanings.get(action, f"action {action}")
            found.append(_binding([key for key in named if key], action, name))
    return found


def _key(key: Any) -> str:
    """A key as pygame or gymnasium writes it, by Qt's name; empty where it has none."""
    if isinstance(key, int):
        return _CODES.get(key) or (chr(key).upper() if 33 <= key < 127 else "")
    key = str(key)
    return "Space" if key == " " else key.upper() if len(key) == 1 else key.capitalize()


def _named(core: Any, actions: range) -> List[Dict[str, Any]]:
    """By the names of the actions: those of moves by arrows and Space, others by their first letters."""
    meanings = _meanings(core)
    taken = set()
    found = []
    for action, name in list(meanings.items())[:_MOST_ACTIONS]:
        if action not in actions or name == "NOOP":
            continue
        keys = tuple(sorted(_MOVES[word] for word in _split(name)))
        if not keys:
            letters = [letter.upper() for letter in name if letter.isalpha()]
            keys = next(((letter,) for letter in letters if (letter,) not in taken), ())
        if keys and keys not in taken:
            taken.add(keys)
            found.append(_binding(list(keys), action, name.lower().replace("_", " ")))
    return found


def _split(name: str) -> List[str]:
    """`UPRIGHTFIRE` as its moves; nothing where something else is left."""
    words = re.findall("|".join(_MOVES), name.upper())
    return words if "".join(words) == name.upper() else []


def _meanings(core: Any) -> Dict[int, str]:
    """The names of an environment's actions: ALE's `get_action_meanings`, or an enum `actions`."""
    ask = getattr(core, "get_action_meanings", None)
    try:
        if callable(ask):
            return {number: str(name) for number, name in enumerate(ask())}
        return {int(one.value): str(one.name) for one in getattr(core, "actions", ())}
    except Exception:  # noqa: BLE001  (as above)
        return {}


def _no_operation(core: Any, actions: range) -> Optional[int]:
    for action, name in _meanings(core).items():
        if name.upper() in ("NOOP", "NOTHING", "STILL", "STAY") and action in actions:
            return action
    return None
