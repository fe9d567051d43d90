"""A kernel with its data, what it computes, and how far off it may be."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Case:
    """`compute(m, a)` is the kernel in the arithmetic `m` with the arguments `a`: by name all arrays that it writes, and what the
    bounds are made of. `bounds(r, a)` are, of the values `r` in float64, the largest absolute errors of the arrays: to first
    order, in units of one rounding."""

    kernel: str
    compute: Callable
    bounds: Callable
    arguments: dict
    # How many units in the last place float32 may be off from what `arithmetic` gives: none where all functions are correctly
    # rounded, `None` where it is not compared (float64, whose functions may be an ulp off, and `@fast`).
    ulps: int | None = 0
    # Whether all engines and targets give the same bits, as they do without `@fast`.
    is_strict: bool = True


def random(seed, shape, low, high):
    """Random float32 numbers, the same ones each time."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)
