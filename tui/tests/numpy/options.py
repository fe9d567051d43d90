"""The kernels of `examples/options.lane`."""

import numpy as np

from arithmetic import U32, U64, Arithmetic
from case import Case, random

N = 1500
# Two roundings below the normal range, which are off by half of the smallest float each, in units of other roundings.
SUBNORMAL = float(np.finfo(np.float32).smallest_subnormal) / U32
EXACT = Arithmetic(np.float64)


def below(m, x):
    return 0.5 * m.erfc(x * -np.sqrt(0.5).item())


def density(m, x):
    return (1 / np.sqrt(2 * np.pi)).item() * m.exp(-0.5 * x * x)


def moneyness(m, spot, strike, years, rate, volatility):
    drift = (rate + 0.5 * volatility * volatility) * years
    return (m.log(spot / strike) + drift) / (volatility * m.sqrt(years))


def call_value(m, spot, strike, years, rate, volatility):
    d1 = moneyness(m, spot, strike, years, rate, volatility)
    d2 = d1 - volatility * m.sqrt(years)
    return spot * below(m, d1) - strike * m.exp(-rate * years) * below(m, d2)


def market(a):
    return a["spot"], a["strike"], a["years"], a["rate"], a["volatility"]


def price(m, a):
    spot, strike, years, rate, volatility = market(a)
    d1 = moneyness(m, *market(a))
    d2 = d1 - volatility * m.sqrt(years)
    put = strike * m.exp(-rate * years) * below(m, -d2) - spot * below(m, -d1)
    return {"d1": d1, "d2": d2, "call": call_value(m, *market(a)), "put": put}


def error_of_d1(a, d1, ulp=1):
    """In roundings, as all that follows. The quotient has one, which the logarithm makes an absolute one and adds `ulp` of its
    own to. The drift has three (square, sum, product: all of one sign), and the sum one. The divisor has two (root and
    product), and the division one."""
    spot, strike, years, rate, volatility = market(a)
    spread = volatility * np.sqrt(years)
    drift = (rate + 0.5 * volatility * volatility) * years
    return (1 + ulp * np.abs(np.log(spot / strike)) + 3 * drift) / spread + 4 * np.abs(d1)


def error_of_d2(a, d1, d2, ulp=1):
    """What is taken off has two roundings, and the difference one."""
    return error_of_d1(a, d1, ulp) + 2 * a["volatility"] * np.sqrt(a["years"]) + np.abs(d2)


def error_of_below(d, error, ulp=1):
    """The argument has two roundings more (constant and product), and all of them weigh the density; `erfc` has its own."""
    return density(EXACT, d) * (error + 2 * np.abs(d)) + ulp * below(EXACT, d) + SUBNORMAL


def error_of_value(a, d1, d2, value, sign, exp=1, erfc=1):
    """Of a call (`sign` is 1) or a put (-1). Of the share's part the product adds a rounding. What is owed has one in the
    exponent, that of `exp`, and two of products. The difference has one."""
    spot, strike, years, rate, _ = market(a)
    share = error_of_below(sign * d1, error_of_d1(a, d1, exp), erfc) + below(EXACT, sign * d1)
    payment = error_of_below(sign * d2, error_of_d2(a, d1, d2, exp), erfc)
    payment = payment + below(EXACT, sign * d2) * (rate * years + exp + 2)
    return spot * share + strike * np.exp(-rate * years) * payment + np.abs(value)


def price_bounds(r, a):
    call, put = (error_of_value(a, r["d1"], r["d2"], r[name], sign) for name, sign in [("call", 1), ("put", -1)])
    return {"call": U32 * call, "put": U32 * put}


def greeks(m, a):
    d1 = moneyness(m, *market(a))
    return {"d1": d1, "delta": below(m, d1), "vega": a["spot"] * density(m, d1) * m.sqrt(a["years"])}


def greeks_bounds(r, a):
    # The exponent of the density is off by |d1| times the error of d1, and has one rounding (the product with 1/2 is exact). Then
    # come `exp`, the constant and its product, the product with the share's price, the root and its product: six.
    error = error_of_d1(a, r["d1"])
    vega = np.abs(r["d1"]) * error + 0.5 * r["d1"] ** 2 + 6
    tiny = SUBNORMAL * a["spot"] * np.sqrt(a["years"])
    return {"delta": U32 * error_of_below(r["d1"], error), "vega": U32 * (r["vega"] * vega + tiny)}


def implied(m, a):
    """What the kernel is to find: the volatility that the prices were made with."""
    known = {**a, "volatility": a["_volatility"]}
    d1 = moneyness(m, *market(known))
    d2 = d1 - known["volatility"] * m.sqrt(a["years"])
    return {"d1": d1, "d2": d2, "volatility": known["volatility"], "vega": greeks(m, known)["vega"]}


def implied_bounds(r, a):
    # The functions of float64 are within 1 ulp, two roundings, and `erfc` within 2. A price that is off by some error, here and
    # where it was made, moves the answer by that over vega. The last change is below 1e-9, so the next one would be below its
    # square times half of vomma over vega, d1 d2 / volatility; and vega was taken one change before the end.
    known = {**a, "volatility": r["volatility"]}
    bend = np.abs(r["d1"] * r["d2"]) / r["volatility"]
    error = 2 * U64 * error_of_value(known, r["d1"], r["d2"], a["call"], 1, exp=2, erfc=4) / r["vega"]
    error = error + 1e-18 * bend + U64 * r["volatility"]
    relative = bend * (1e-9 + error) + 2 * U64 * (np.abs(r["d1"]) * error_of_d1(known, r["d1"], 2) + 10)
    return {"volatility": error, "vega": relative * r["vega"]}


def cases():
    spot = random(1, N, 60, 140)
    known = {
        "spot": spot,
        "strike": np.float32(spot * random(2, N, 0.7, 1.4)),
        "years": random(3, N, 0.05, 3),
        "volatility": random(4, N, 0.05, 0.8),
    }
    rest = {"n": N, "rate": np.float32(0.03)}

    def empty(*names):
        return {name: np.zeros(N, np.float32) for name in names}

    precise = {name: value.astype(np.float64) for name, value in known.items()}
    # Where vega is next to nothing a price says nothing of the volatility.
    d1 = moneyness(EXACT, *market({**precise, "rate": 0.03}))
    keep = np.abs(d1) < 3
    quoted = {name: value[keep] for name, value in precise.items()}
    wanted = quoted.pop("volatility")
    call = call_value(EXACT, quoted["spot"], quoted["strike"], quoted["years"], 0.03, wanted)
    return [
        Case("price", price, price_bounds, {**known, **empty("call", "put"), **rest}),
        Case("greeks", greeks, greeks_bounds, {**known, **empty("delta", "vega"), **rest}),
        Case(
            "implied",
            lambda m, a: implied(m, {**a, "_volatility": wanted}),
            implied_bounds,
            {
                **quoted,
                "call": call,
                "volatility": np.zeros_like(call),
                "vega": np.zeros_like(call),
                "n": len(call),
                "rate": 0.03,
            },
            ulps=None,
        ),
    ]
