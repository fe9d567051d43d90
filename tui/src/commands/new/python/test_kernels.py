"""Tests the kernels: `python3 -m unittest`."""

import unittest

import numpy as np

from build import build

build()
import NAME


class Mix(unittest.TestCase):
    def test_mixes(self):
        a = np.arange(1000, dtype=np.float32)
        b = a[::-1].copy()
        out = np.zeros_like(a)
        NAME.mix(a, b, out, 0.25)
        np.testing.assert_allclose(out, a + (b - a) * np.float32(0.25), rtol=1e-6)

    def test_refuses_other_sizes(self):
        a = np.zeros(4, dtype=np.float32)
        with self.assertRaises(ValueError):
            NAME.mix(a, a[:3], np.zeros_like(a), 0.25)


if __name__ == "__main__":
    unittest.main()
