"""Runs a kernel under `@threads` on all cores, by Python's threads: a call by ctypes leaves the interpreter to others.

    lanescope build examples/julia.lane -o out
    cc -shared out/julia.o -o out/julia.so
    python3 examples/callers/julia.py out/julia.so
"""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

W, H, MOST, ROWS = 320, 200, 100, 8

library = ctypes.CDLL(sys.argv[1])
image = np.ctypeslib.ndpointer(dtype=np.int32, ndim=2, flags="C_CONTIGUOUS")
numbers = [ctypes.c_int32, ctypes.c_int32, ctypes.c_float, ctypes.c_float, ctypes.c_int32]
library.julia_iterations.argtypes = numbers
library.julia_iterations.restype = ctypes.c_int64
library.julia_part.argtypes = [ctypes.c_int64, ctypes.c_int64, image, *numbers]
library.julia_part.restype = None

steps = np.empty((H, W), dtype=np.int32)
given = (H, W, -0.8, 0.156, MOST)
n = library.julia_iterations(*given)
with ThreadPoolExecutor() as pool:
    list(pool.map(lambda begin: library.julia_part(begin, begin + ROWS, steps, *given), range(0, n, ROWS)))
print(f"{n} rows, {steps.sum()} steps")
