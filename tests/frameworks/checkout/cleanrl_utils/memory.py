"""A replay memory: rows in, random batches of tensors out."""

import random
from collections import deque
from typing import Any

import numpy as np
import torch


class Memory:
    """The last `size` transitions."""

    def __init__(self, size: int) -> None:
        self.rows: deque[Any] = deque(maxlen=size)

    def add(self, *row: Any) -> None:
        self.rows.append(row)

    def sample(self, count: int) -> list[Any]:
        rows = random.sample(self.rows, min(count, len(self.rows)))
        return [torch.as_tensor(np.array(column)) for column in zip(*rows, strict=True)]
