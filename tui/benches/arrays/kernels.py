"""The kernels of `arrays.lane` for NumPy, and the arguments that all programs are called with, in the order of the parameters."""

import numpy as np

N, ROWS, COLS, SIDE = 1 << 16, 256, 256, 256


def chain(a, b, out, n):
    x = 2 * a + b
    y = x * x - a
    z = np.sqrt(np.abs(y))
    out[:] = np.clip(z, 0.25, 4) * 0.5 + b


def softmax(x, out, rows, cols):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    out[:] = e / e.sum(axis=1, keepdims=True)


def softmax_map(x, out, rows, cols):
    softmax(x, out, rows, cols)


def layer_norm(x, gain, bias, out, rows, cols):
    off = x - x.mean(axis=1, keepdims=True)
    variance = (off * off).mean(axis=1, keepdims=True)
    out[:] = off / np.sqrt(variance + np.float32(0.00001)) * gain + bias


def extremes(a, out, n):
    out[0] = a.min()
    out[1] = a.max()
    out[2] = a.sum()
    out[3] = (a * a).sum()


def blur(a, out, h, w):
    rows = a[:, :-2] + a[:, 1:-1] + a[:, 2:]
    out[1:-1, 1:-1] = (rows[:-2] + rows[1:-1] + rows[2:]) / 9


def sobel(a, out, h, w):
    gx = a[:-2, 2:] - a[:-2, :-2] + 2 * (a[1:-1, 2:] - a[1:-1, :-2]) + a[2:, 2:] - a[2:, :-2]
    gy = a[2:, :-2] - a[:-2, :-2] + 2 * (a[2:, 1:-1] - a[:-2, 1:-1]) + a[2:, 2:] - a[:-2, 2:]
    out[1:-1, 1:-1] = np.sqrt(gx * gx + gy * gy)


def prefix_sum(a, out, n):
    out[:] = np.cumsum(a, dtype=np.int32)


# NumPy has no recurrence.
decay = None


def product(a, b, out, n, k, m):
    out[:] = a @ b


def nearest(points, centres, sums, counts, n, d, k):
    at = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    sums[:] = 0
    np.add.at(sums, at, points)
    counts[:] = np.bincount(at, minlength=k)


def butterflies(re, im, c, s, n, h):
    half = 1
    while half < n:
        wr, wi = c[:: h // half], s[:: h // half]
        r, i = re.reshape(-1, 2, half), im.reshape(-1, 2, half)
        tr, ti = wr * r[:, 1] - wi * i[:, 1], wr * i[:, 1] + wi * r[:, 1]
        r[:, 1], i[:, 1] = r[:, 0] - tr, i[:, 0] - ti
        r[:, 0] += tr
        i[:, 0] += ti
        half *= 2


def below(x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * np.exp(-0.5 * x * x) * p
    return np.where(x < 0, tail, 1 - tail)


def black_scholes(spot, strike, years, call, put, n):
    rate, volatility = 0.02, 0.3
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call[:] = spot * below(d1) - discounted * below(d2)
    put[:] = discounted * below(-d2) - spot * below(-d1)


random = np.random.default_rng(1)


def floats(*shape, low=-1.0, high=1.0):
    return random.uniform(low, high, shape).astype(np.float32)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def cases():
    turns = 2 * np.pi * np.arange(N // 8) / (N // 4)
    roots = np.cos(turns).astype(np.float32), -np.sin(turns).astype(np.float32)
    wide, image = (ROWS, COLS), (SIDE, SIDE)
    return [
        (chain, [floats(N), floats(N), zeros(N), N]),
        (softmax, [floats(*wide), zeros(*wide), *wide]),
        (softmax_map, [floats(*wide), zeros(*wide), *wide]),
        (layer_norm, [floats(*wide), floats(COLS), floats(COLS), zeros(*wide), *wide]),
        (extremes, [floats(N), zeros(4), N]),
        (blur, [floats(*image), zeros(*image), *image]),
        (sobel, [floats(*image), zeros(*image), *image]),
        (prefix_sum, [random.integers(-1000, 1000, N, np.int32), np.zeros(N, np.int32), N]),
        ("decay", [floats(N), zeros(N), N]),
        (product, [floats(128, 128), floats(128, 128), zeros(128, 128), 128, 128, 128]),
        (nearest, [floats(4096, 16), floats(8, 16), zeros(8, 16), np.zeros(8, np.int32), 4096, 16, 8]),
        (butterflies, [floats(N // 4), floats(N // 4), *roots, N // 4, N // 8]),
        (black_scholes, [floats(N, low=10, high=100), floats(N, low=10, high=100), floats(N, low=0.2, high=5), zeros(N), zeros(N), N]),
    ]
