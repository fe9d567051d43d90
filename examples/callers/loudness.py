"""Joins what threads find in parts of a recording, by Python's threads: a call by ctypes leaves the interpreter to others.

    lanescope build examples/loudness.lane -o out
    cc -shared out/loudness.o -o out/loudness.so
    python3 examples/callers/loudness.py out/loudness.so
"""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

library = ctypes.CDLL(sys.argv[1])
floats = np.ctypeslib.ndpointer(dtype=np.float32, flags="C_CONTIGUOUS")
library.loudness_iterations.argtypes = [ctypes.c_int32]
library.loudness_iterations.restype = ctypes.c_int64
library.loudness_part.argtypes = [ctypes.c_int64, ctypes.c_int64, floats, floats, ctypes.c_int32]
library.loudness_part.restype = None
library.loudness_join.argtypes = [floats, ctypes.c_int32]
library.loudness_join.restype = ctypes.c_float

samples = (np.arange(98000) % 7 - 3).astype(np.float32)
n_blocks = library.loudness_iterations(len(samples))
squares = np.empty(n_blocks, dtype=np.float32)
with ThreadPoolExecutor() as pool:
    list(pool.map(lambda block: library.loudness_part(block, block + 1, squares, samples, len(samples)), range(n_blocks)))
print(f"{n_blocks} blocks, loudness {library.loudness_join(squares, len(samples)):g}")
