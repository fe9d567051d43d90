"""Calls a kernel from Python, on arrays of numpy:

    lanescope build examples/scale_audio.lane -o out
    cc -shared out/scale_audio.o -o out/scale_audio.so
    python3 examples/callers/scale_audio.py out/scale_audio.so
"""

import ctypes
import sys

import numpy as np

floats = np.ctypeslib.ndpointer(dtype=np.float32, flags="C_CONTIGUOUS")
kernel = ctypes.CDLL(sys.argv[1]).scale_audio
kernel.argtypes = [floats, floats, ctypes.c_int32, ctypes.c_float]
kernel.restype = None


def scale_audio(samples, volume):
    """Turns the volume of a recording up or down."""
    out = np.empty_like(samples)
    kernel(samples, out, len(samples), volume)
    return out


for sample in scale_audio(np.array([1, -2, 0.5, 4, -8], dtype=np.float32), 0.5):
    print(f"{sample:g}")
