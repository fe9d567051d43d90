"""The kernels of `examples/nbody_fast.lane`, which are `@fast`: products may join sums in one rounding, `rsqrt` may be 3.5 ulp
off, and bits are compared with nothing."""

import numpy as np

from arithmetic import U32, additions
from case import Case, random

N = 300
SOFTENING = 1e-4

# What the pull of a pair, or its energy, is off by, in roundings: a difference has one, its square two with the product's,
# and three sums follow (they may be one rounding each with the product): 5 in all, of which the root makes half. `rsqrt` may be
# 3.5 ulp, or 7 roundings, off.
NEAR = 2 + 3.5 / 2 + 7


def pairs(a):
    d = {axis: a[axis][None, :] - a[axis][:, None] for axis in "xyz"}
    return d, 1 / np.sqrt(d["x"] ** 2 + d["y"] ** 2 + d["z"] ** 2 + SOFTENING)


def attract(m, a):
    d, near = pairs(a)
    return {f"a{axis}": (a["mass"] * near**3 * d[axis]).sum(axis=1) for axis in "xyz"}


def attract_bounds(r, a):
    # The cube of the root, its three products, the difference and its product; then the sum, in order.
    d, near = pairs(a)
    terms = {f"a{axis}": (a["mass"] * near**3 * np.abs(d[axis])).sum(axis=1) for axis in "xyz"}
    return {name: U32 * (3 * NEAR + 3 + 2 + N) * term for name, term in terms.items()}


def move(m, a):
    velocities = {f"v{axis}": a[f"v{axis}"] + a[f"a{axis}"] * a["dt"] for axis in "xyz"}
    return {**velocities, **{axis: a[axis] + velocities[f"v{axis}"] * a["dt"] for axis in "xyz"}}


def move_bounds(r, a):
    # A product and a sum, twice.
    bounds = {}
    for axis in "xyz":
        velocity = np.abs(a[f"a{axis}"] * a["dt"]) + np.abs(r[f"v{axis}"])
        bounds[f"v{axis}"] = U32 * velocity
        bounds[axis] = U32 * (a["dt"] * (velocity + np.abs(r[f"v{axis}"])) + np.abs(r[axis]))
    return bounds


def energies(a):
    _, near = pairs(a)
    potential = np.tril(a["mass"][:, None] * a["mass"] * near, -1)
    return 0.5 * a["mass"] * (a["vx"] ** 2 + a["vy"] ** 2 + a["vz"] ** 2), potential


def energy(m, a):
    kinetic, potential = energies(a)
    return {"result": np.array([kinetic.sum() - potential.sum()])}


def energy_bounds(r, a):
    # The two products of a pair with its root; then the additions of a row, which start from its body's kinetic energy, and of
    # all rows: `@fast` has the order of `@reassoc` for both.
    kinetic, potential = energies(a)
    return {"result": U32 * (NEAR + 2 + 2 * additions(N) + 1) * (kinetic.sum() + potential.sum())}


def cases():
    places = {axis: random(seed, N, -1, 1) for seed, axis in enumerate("xyz")}
    velocities = {f"v{axis}": random(3 + seed, N, -1, 1) for seed, axis in enumerate("xyz")}
    pulls = {f"a{axis}": random(6 + seed, N, -9, 9) for seed, axis in enumerate("xyz")}
    mass = random(9, N, 0.1, 2)
    empty = {name: np.zeros(N, np.float32) for name in pulls}
    fast = {"ulps": None, "is_strict": False}
    return [
        Case("attract", attract, attract_bounds, {**places, "mass": mass, **empty, "n": N}, **fast),
        Case("move", move, move_bounds, {**places, **velocities, **pulls, "n": N, "dt": np.float32(0.01)}, **fast),
        Case("energy", energy, energy_bounds, {**places, **velocities, "mass": mass, "n": N}, **fast),
    ]
