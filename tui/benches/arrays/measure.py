"""Holds the results of kernels that several programs were made of against each other, then measures them in turns, on one core:

    measure.py CLOCK NAME=LIBRARY[=HEADER]... [-- KERNEL...]

A line of the output is a kernel, and for each program the least time of a call in nanoseconds, `agrees` or `differs`, and the bytes of
scratch memory. The last program is NumPy. Results are compared with the first program's."""

import ctypes
import inspect
import os
import re
import sys
import time
from pathlib import Path

import numpy as np

import kernels

# The time that a sample takes at least, in nanoseconds, and how many samples there are.
SHORTEST, ROUNDS = 200e3, 40

# NumPy adds pairwise, and with NumPy 2 a Python number has the type of the array.
TOLERANCE = 2e-3


class Native:
    """A library of kernels, made by Lanescope or a compiler of C; our header tells which of them need scratch memory."""

    def __init__(self, clock, words):
        self.name, path, *header = words.split("=")
        self.library, self.clock = ctypes.CDLL(path), ctypes.CDLL(clock)
        self.clock.sample.restype = ctypes.c_double
        self.header = Path(header[0]).read_text() if header else ""

    def scratch(self, kernel, arguments):
        signature = re.search(rf"size_t {kernel}_scratch\(([^)]*)\)", self.header)
        if not signature:
            return 0
        names = re.findall(r"(\w+)(?:,|$)", signature[1].replace("void", ""))
        function = self.library[f"{kernel}_scratch"]
        function.restype = ctypes.c_size_t
        return function(*[ctypes.c_int64(arguments[name]) for name in names])

    def prepare(self, kernel, arguments):
        """What measures so many calls."""
        values = [value.ctypes.data if isinstance(value, np.ndarray) else value for value in arguments.values()]
        # Scratch memory starts at a multiple of 64.
        self.memory = np.zeros(self.scratch(kernel, arguments) + 64, np.uint8)
        values.append(self.memory.ctypes.data + -self.memory.ctypes.data % 64)
        passed = (ctypes.c_ssize_t * 8)(*values)
        code = ctypes.cast(self.library[kernel], ctypes.c_void_p)
        return lambda calls: self.clock.sample(code, passed, calls)


class NumPy:
    name = "numpy"

    def scratch(self, kernel, arguments):
        return 0

    def prepare(self, kernel, arguments):
        function = getattr(kernels, kernel)
        if function is None:
            return None

        def sample(calls):
            begun = time.perf_counter_ns()
            for _ in range(calls):
                function(*arguments.values())
            return (time.perf_counter_ns() - begun) / calls

        return sample


def main():
    clock, *words = sys.argv[1:]
    wanted = words[words.index("--") + 1 :] if "--" in words else []
    programs = [Native(clock, word) for word in words if "=" in word] + [NumPy()]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    np.seterr(all="ignore")
    for function, values in kernels.cases():
        kernel = function if isinstance(function, str) else function.__name__
        if not wanted or kernel in wanted:
            print(kernel, *compare(programs, kernel, values), flush=True)


def parameters(kernel, values):
    function = getattr(kernels, kernel)
    names = list(inspect.signature(function).parameters) if function else ["a", "out", "n"]
    return dict(zip(names, values))


def placed(values):
    """Copies of arrays, which lie in pages as those of each other program do: where a row of one array lies beside that of another
    decides about a tenth of the time of some kernels."""
    sizes = [value.nbytes if isinstance(value, np.ndarray) else 0 for value in values]
    # Each array begins at a cache line of its own, and a few lines further in its page than the one before.
    steps = [-(-size // 64) * 64 + 5 * 64 for size in sizes]
    memory = np.zeros(sum(steps) + 4096, np.uint8)
    at = -memory.ctypes.data % 4096
    copies = []
    for value, size, step in zip(values, sizes, steps):
        if isinstance(value, np.ndarray):
            copy = memory[at : at + size].view(value.dtype).reshape(value.shape)
            copy[...] = value
            value, at = copy, at + step
        copies.append(value)
    return copies


def compare(programs, kernel, values):
    words, expected, samples = [], None, []
    for program in programs:
        own = placed(values)
        arguments = parameters(kernel, own)
        sample = program.prepare(kernel, arguments)
        if sample is None:
            words.append(["-", "-", 0])
            continue
        sample(1)
        # What is measured next goes on with the arrays of its own, and may change them.
        expected = expected or [np.copy(value) for value in own]
        words.append([np.inf, "agrees" if agree(expected, own) else "differs", program.scratch(kernel, arguments)])
        calls = 1
        while sample(calls) * calls < SHORTEST:
            calls *= 2
        # The arrays live as long as they are measured with.
        samples.append((words[-1], sample, calls, own))
    for _ in range(ROUNDS):
        for word, sample, calls, _ in samples:
            word[0] = min(word[0], sample(calls))
    return [word for program in words for word in program]


def agree(expected, found):
    return all(np.allclose(a, b, TOLERANCE, TOLERANCE) for a, b in zip(expected, found))


main()
