"""The kernels of `examples/softmax.lane`."""

import numpy as np

from arithmetic import U32, additions
from case import Case, random

ROWS, COLS = 13, 150


def softmax(m, a):
    off = (a["scores"] - a["scores"].max(axis=1, keepdims=True)) * (1.0 / a["temperature"])
    weight = m.exp(off)
    return {"off": off, "weights": weight / m.sum(weight)[:, None]}


def softmax_bounds(r, a):
    # The exponent has three roundings (reciprocal, difference, product), so that `exp` is off by 3 |x| and its own one. The sum
    # is off by what its terms are off at most, all being positive, and its additions. The division has one.
    off = 3 * np.abs(r["off"]) + 1
    total = off.max(axis=1, keepdims=True) + additions(COLS)
    return {"weights": U32 * r["weights"] * (off + total + 1)}


def cross_entropy(m, a):
    scores = a["scores"]
    largest = scores.max(axis=1)
    off = scores - largest[:, None]
    surprise = m.log(m.sum(m.exp(off)))
    level = surprise + largest
    return {"off": off, "surprise": surprise, "level": level, "loss": level - scores[np.arange(ROWS), a["answer"]]}


def cross_entropy_bounds(r, a):
    # As above, with one rounding in the exponent. A relative error of the sum is an absolute one of its logarithm. Three
    # roundings follow, of the logarithm, the sum and the difference.
    total = np.abs(r["off"]).max(axis=1) + 1 + additions(COLS)
    return {"loss": U32 * (total + np.abs(r["surprise"]) + np.abs(r["level"]) + np.abs(r["loss"]))}


def layer_norm(m, a):
    x = a["x"]
    mean = m.sum(x) / m.of(COLS)
    off = x - mean[:, None]
    variance = m.sum(off * off) / m.of(COLS)
    scale = m.rsqrt(variance + a["epsilon"])
    shaped = off * scale[:, None] * a["gain"]
    return {"scale": scale, "off": off, "shaped": shaped, "out": shaped + a["bias"]}


def layer_norm_bounds(r, a):
    # The mean is off by a rounding per addition, of the mean of all absolute values. In the variance each term has three
    # roundings (two of the difference, which is squared, and the product), then come the additions, the division and epsilon;
    # the error of the mean has no first-order part in it. The root halves them and adds two. Four roundings are left:
    # difference, two products, sum.
    mean = U32 * (additions(COLS) + 1) * np.abs(a["x"]).mean(axis=1, keepdims=True)
    scale = (3 + additions(COLS) + 2) / 2 + 2
    shifted = mean * r["scale"][:, None] * np.abs(a["gain"])
    return {"out": shifted + U32 * (np.abs(r["shaped"]) * (scale + 3) + np.abs(r["out"]))}


def gelu(m, a):
    x = a["x"]
    return {"out": 0.5 * x * (1.0 + m.erf(x * np.sqrt(0.5).item()))}


def gelu_bounds(r, a):
    # The argument t has two roundings (constant, product), which erf makes 2 t erf'(t) <= 0.97 of; erf has its own, of less
    # than 1. They weigh x / 2. The sum and the last product add one each; the product with 0.5 is exact.
    return {"out": U32 * (0.5 * np.abs(a["x"]) * 1.97 + 2 * np.abs(r["out"]))}


def gelu_tanh(m, a):
    v = a["x"]
    return {"out": 0.5 * v * (1.0 + m.tanh(np.sqrt(2 / np.pi).item() * (v + 0.044715 * v * v * v)))}


def gelu_tanh_bounds(r, a):
    # The cube has four roundings, the sum of like signs one more, the factor two: seven of the argument t, which tanh makes
    # 7 t tanh'(t) <= 3.14 of. The rest is as above.
    return {"out": U32 * (0.5 * np.abs(a["x"]) * 4.14 + 2 * np.abs(r["out"]))}


def logistic(m, a):
    x = a["x"]
    e = m.exp(-np.abs(x))
    return {"out": np.where(x < 0, e, m.of(1)) / (1.0 + e)}


def logistic_bounds(r, a):
    # One rounding of `exp`, above and (at most half of it) below the line, one of the sum, one of the division.
    return {"out": U32 * 3.5 * r["out"]}


def cases():
    scores = random(1, (ROWS, COLS), -8, 8)
    shape = {"rows": ROWS, "cols": COLS}
    out = np.zeros((ROWS, COLS), np.float32)
    x = np.concatenate([random(2, 1500, -9, 9), random(3, 500, -0.1, 0.1)])
    flat = {"x": x, "out": np.zeros_like(x), "n": len(x)}
    answer = np.arange(ROWS, dtype=np.int32) * 11 % COLS
    return [
        Case("softmax", softmax, softmax_bounds, {"scores": scores, "weights": out, **shape, "temperature": np.float32(0.7)}),
        Case(
            "cross_entropy",
            cross_entropy,
            cross_entropy_bounds,
            {"scores": scores, "answer": answer, "loss": np.zeros(ROWS, np.float32), **shape},
        ),
        Case(
            "layer_norm",
            layer_norm,
            layer_norm_bounds,
            {
                "x": random(4, (ROWS, COLS), -1, 3),
                "gain": random(5, COLS, 0.5, 2),
                "bias": random(6, COLS, -1, 1),
                "out": out,
                **shape,
                "epsilon": np.float32(1e-5),
            },
        ),
        Case("gelu", gelu, gelu_bounds, flat),
        Case("gelu_tanh", gelu_tanh, gelu_tanh_bounds, flat),
        Case("logistic", logistic, logistic_bounds, flat),
    ]
