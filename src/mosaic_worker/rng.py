"""The state of a numpy random generator as plain JSON values, and back. Reading it never moves the stream.

An Atari emulator draws from a generator of its own, which outlives a reset: its state goes along, and where
it cannot be had the record says so (`lost`).
"""

from __future__ import annotations

import base64
import sys
import zlib
from typing import Any, Dict, Optional

__all__ = ["capture", "capture_env", "restore", "restore_env"]


def capture(generator: Any) -> Optional[Dict[str, Any]]:
    """The state of a `Generator` or `RandomState`, or None for anything else.

    Integers over 53 bits (PCG64 has 128) are hexadecimal strings, arrays (MT19937's key) carry their bits.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(generator, numpy.random.Generator):
        return {"kind": "Generator", "state": _plain(generator.bit_generator.state)}
    if isinstance(generator, numpy.random.RandomState):
        return {"kind": "RandomState", "state": _plain(generator.get_state(legacy=False))}
    return None


def restore(saved: Dict[str, Any], generator: Any = None) -> Any:
    """A generator in exactly the saved state: the one given, or a new one of the saved kind.

    Raises:
        ValueError: the saved state is of no kind we know.
    """
    import numpy as np

    state = _live(saved["state"])
    if saved["kind"] == "Generator":
        if generator is None:
            generator = np.random.Generator(getattr(np.random, state["bit_generator"])())
        generator.bit_generator.state = state
        return generator
    if saved["kind"] == "RandomState":
        if generator is None:
            generator = np.random.RandomState()
        generator.set_state(state)
        return generator
    raise ValueError(f"expected the state of a Generator or RandomState, got {saved['kind']!r}")


def capture_env(core: Any) -> Optional[Dict[str, Any]]:
    """The state of everything an innermost environment draws from, as far as we know how to ask."""
    found = capture(getattr(core, "np_random", None))
    emulator: Any = getattr(core, "ale", None)
    if found is not None and hasattr(emulator, "cloneState"):
        try:
            data = emulator.cloneState(include_rng=True).serialize()
        except (ValueError, TypeError, RuntimeError, AttributeError):
            # Before ALE 0.12 the bytes were taken for text: UnicodeDecodeError. The generator is still good.
            found["lost"] = ["ale"]
        else:
            found["ale"] = base64.b64encode(zlib.compress(data, 1)).decode()
    return found


def restore_env(saved: Dict[str, Any], core: Any) -> None:
    """Put an innermost environment's generator, and an emulator's, into a state that `capture_env` gave.

    Raises:
        ValueError: the saved state is of no kind we know.
    """
    generator = getattr(core, "np_random", None)
    try:
        fitting = capture(generator)
        same = fitting is not None and _kind(fitting) == _kind(saved)
        restored = restore(saved, generator if same else None)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no state of a generator: {str(saved)[:60]}") from error
    if restored is not generator:
        core.np_random = restored
    if "ale" in saved and hasattr(core, "ale"):
        from ale_py import ALEState

        core.ale.restoreState(ALEState(zlib.decompress(base64.b64decode(saved["ale"]))))


def _kind(saved: Dict[str, Any]) -> Any:
    return saved["kind"], saved["state"].get("bit_generator")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "dtype") and value.shape != ():
        return {
            "nd": value.dtype.str,
            "shape": list(value.shape),
            "b64": base64.b64encode(value.tobytes()).decode(),
        }
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    number = int(value)
    return number if abs(number) < (1 << 53) else hex(number)


def _live(value: Any) -> Any:
    if isinstance(value, dict):
        if "nd" in value:
            import numpy as np

            data = np.frombuffer(base64.b64decode(value["b64"]), dtype=value["nd"])
            return data.reshape(value["shape"]).copy()
        if "float" in value:
            return float.fromhex(value["float"])
        return {key: _live(item) for key, item in value.items()}
    if isinstance(value, str) and value.startswith("0x"):
        return int(value, 16)
    return value
