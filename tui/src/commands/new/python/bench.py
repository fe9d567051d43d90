"""Measures the kernels: `python3 bench.py`."""

import timeit

import numpy as np

from build import build

build()
import NAME

N, ROUNDS = 1 << 20, 50
a, b, out = (np.zeros(N, dtype=np.float32) for _ in range(3))
for what, run in [
    ("NAME", lambda: NAME.mix(a, b, out, 0.25)),
    ("numpy", lambda: a + (b - a) * np.float32(0.25)),
]:
    seconds = min(timeit.repeat(run, number=ROUNDS, repeat=5))
    print(f"{what}: {seconds * 1e9 / ROUNDS / N:.3f} ns an element")
