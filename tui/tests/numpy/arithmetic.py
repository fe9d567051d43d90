"""Lane's arithmetic in NumPy, in one of two precisions.

Each kernel is written down once in these modules and computed twice: in float64, which stands for the true values, and in the
kernel's own float32, one rounding per operation and in the order that the language defines. A math function of float32 is
that of float64, rounded: only where the exact value lies within some 2^-29 of the middle between two floats could this differ from
the correctly rounded one.
"""

import math

import numpy as np

# The largest relative error of one rounding.
U32 = 2.0**-24
U64 = 2.0**-53

# How many partial sums `@reassoc` has, by the size of an element.
PARTIALS = {4: 64, 8: 32}


class Arithmetic:
    """The functions of one precision; `+ - * /` are NumPy's, which rounds them as IEEE says."""

    def __init__(self, dtype):
        self.dtype = np.dtype(dtype)

    def of(self, x):
        return np.asarray(x).astype(self.dtype)

    def rounded(self, function, *xs):
        return np.asarray(function(*(np.asarray(x, np.float64) for x in xs))).astype(self.dtype)

    def exp(self, x):
        return self.rounded(np.exp, x)

    def expm1(self, x):
        return self.rounded(np.expm1, x)

    def exp10(self, x):
        return self.rounded(lambda x: np.power(10.0, x), x)

    def log(self, x):
        return self.rounded(np.log, x)

    def log1p(self, x):
        return self.rounded(np.log1p, x)

    def pow(self, x, y):
        return self.rounded(np.power, x, y)

    def sin(self, x):
        return self.rounded(np.sin, x)

    def sinpi(self, x):
        return self.rounded(_sinpi, x)

    def cospi(self, x):
        # With the sign taken off, the shift by a quarter turn is exact wherever the cosine is small.
        return self.rounded(lambda x: _sinpi(0.5 - np.abs(x)), x)

    def tanh(self, x):
        return self.rounded(np.tanh, x)

    def erf(self, x):
        return self.rounded(np.vectorize(math.erf, otypes=[np.float64]), x)

    def erfc(self, x):
        return self.rounded(np.vectorize(math.erfc, otypes=[np.float64]), x)

    def sqrt(self, x):
        return np.sqrt(x)

    def rsqrt(self, x):
        return 1.0 / np.sqrt(x)

    def sum(self, terms, initial=0.0):
        """Sums along the last axis, in the order of `@reassoc`: element k goes to partial k mod P, the halves are joined,
        and the initial value comes last."""
        count = PARTIALS[self.dtype.itemsize]
        terms = self.of(terms)
        partials = np.full((*terms.shape[:-1], count), -0.0, self.dtype)
        for start in range(0, terms.shape[-1], count):
            some = terms[..., start : start + count]
            partials[..., : some.shape[-1]] += some
        while count > 1:
            count //= 2
            partials = partials[..., :count] + partials[..., count:]
        return partials[..., 0] + self.of(initial)


def additions(n):
    """The most additions that one term goes through in a float32 sum of `n` terms in the order of `@reassoc`."""
    return math.ceil(n / PARTIALS[4]) + 6 + 1


def _sinpi(x):
    """sin(pi x). Whole turns are taken off first, and what is beyond a quarter turn is mirrored; both are exact."""
    x = x - 2.0 * np.round(0.5 * x)
    x = np.where(np.abs(x) > 0.5, np.sign(x) - x, x)
    return np.sin(np.pi * x)
