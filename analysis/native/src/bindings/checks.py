import ctypes
import operator
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def _open(stem):
    """Opens the library beside this file."""
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    # Not called like this file, which would make it a module of its own.
    path = pathlib.Path(__file__).resolve().parent / ("lib" + stem + ending)
    if not path.exists():
        raise ImportError(f"{path} is not there: make it by `cc -shared {stem}.o -o {path.name}`")
    return ctypes.CDLL(str(path))


def _array(name, array, dtype, dims, written):
    """Refuses what a kernel cannot read, or write, as it lies in memory."""
    dtype = np.dtype(dtype)
    if not isinstance(array, np.ndarray):
        kind = type(array).__name__
        raise TypeError(f"`{name}` is a {kind}, and has to be an array: `np.asarray(…, dtype=np.{dtype})` makes one")
    if array.dtype != dtype:
        raise TypeError(f"`{name}` has elements of {array.dtype}, and has to have {dtype}: `.astype` converts them")
    if array.ndim != dims:
        raise ValueError(f"`{name}` has {array.ndim} dimensions, and has to have {dims}")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"`{name}` does not lie in memory cell by cell: `np.ascontiguousarray` makes a copy that does")
    if written and not array.flags.writeable:
        raise ValueError(f"`{name}` is written, and is read-only: give a copy of it")


def _size(name, array, dim, expected):
    """Compares a size with the one that the kernel says."""
    if array.shape[dim] != max(expected, 0):
        raise ValueError(f"`{name}` has {array.shape[dim]} cells in dimension {dim}, and has to have {expected}")


def _apart(name, array, *others):
    """Refuses arrays of which one is written and that overlap."""
    for other_name, other in others:
        if np.may_share_memory(array, other):
            raise ValueError(f"`{name}` is written, and overlaps `{other_name}`: give a copy of one of them")


def _integer(name, number, bits, signed):
    """An integer that fits its type."""
    number = operator.index(number)
    low = -(1 << (bits - 1)) if signed else 0
    high = low + (1 << bits) - 1
    if not low <= number <= high:
        raise OverflowError(f"`{name}` is {number}, and has to lie between {low} and {high}")
    return number


def _quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a, b):
    return a - b * _quotient(a, b)


def _wrapped(number, bits, signed):
    number &= (1 << bits) - 1
    return number - (1 << bits) if signed and number >> (bits - 1) else number


def _memory(size):
    """Scratch memory of so many bytes."""
    return np.empty(size + 64, dtype=np.uint8)


def _address(memory):
    """The first multiple of 64 in scratch memory."""
    return (memory.ctypes.data + 63) // 64 * 64


def _done(status):
    """Says what a status means."""
    if status != 0:
        raise ValueError("sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing")


def _divide(threads, iterations, part):
    """Has threads run parts of so many iterations until all are done; the library's functions run without Python's lock."""
    step = max(iterations // (8 * max(threads, 1)), 1)
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        list(pool.map(lambda begin: part(begin, min(begin + step, iterations)), range(0, iterations, step)))
