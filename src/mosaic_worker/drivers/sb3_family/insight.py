"""What a model of this family knows of a decision: probabilities, action values, state value, entropy.

Asked of the networks themselves, and only where they have it: a policy with a distribution, or one with a
Q-network. Anything else knows nothing, which is no error.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

__all__ = ["insight"]


def insight(model: Any, observation: Any) -> Optional[Dict[str, Any]]:
    """The figures for one observation; None where the framework has none."""
    policy = getattr(model, "policy", None)
    if policy is None or not hasattr(policy, "obs_to_tensor"):
        return None  # not torch's: sbx has networks of another kind
    import torch

    with torch.no_grad():
        seen, _ = policy.obs_to_tensor(observation)
        if hasattr(policy, "q_net"):
            return _of_values(policy.q_net(seen)[0])
        if hasattr(policy, "get_distribution") and hasattr(policy, "predict_values"):
            return _of_distribution(policy.get_distribution(seen), policy.predict_values(seen))
    return None


def _of_values(values: Any) -> Dict[str, Any]:
    listed = [float(value) for value in values.flatten().tolist()]
    return {"q": listed, "value": max(listed)}


def _of_distribution(distribution: Any, value: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {"value": float(value.flatten()[0])}
    inner = distribution.distribution
    probs = getattr(inner, "probs", None)
    if probs is not None and getattr(probs, "dim", lambda: 0)() == 2:
        found["probs"] = [float(one) for one in probs[0].tolist()]
    entropy = distribution.entropy()
    if entropy is not None:
        found["entropy"] = float(entropy.sum())
    return found
