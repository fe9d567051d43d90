"""The kernel of `examples/raymarch.lane`."""

import numpy as np

from arithmetic import U32, Arithmetic
from case import Case

HEIGHT, WIDTH = 24, 37


def sphere(m, x, y, z, radius):
    return m.sqrt(x * x + y * y + z * z) - radius


def cube(m, x, y, z, half, rounding):
    sides = [np.abs(side) - half + rounding for side in [x, y, z]]
    ox, oy, oz = (np.maximum(side, m.of(0)) for side in sides)
    inside = np.minimum(np.maximum(sides[0], np.maximum(sides[1], sides[2])), m.of(0))
    return m.sqrt(ox * ox + oy * oy + oz * oz) + inside - rounding


def distance(m, x, y, z, softness):
    a = sphere(m, x + 0.7, y - 0.2, z, 0.8)
    b = cube(m, x - 0.7, y, z, m.of(0.7), m.of(0.1))
    bodies = np.minimum(a, b) - softness * m.log1p(m.exp(-np.abs(a - b) / softness))
    return np.minimum(bodies, y + 0.8)


def smoothstep(m, lo, hi, x):
    t = np.minimum(np.maximum((x - lo) / (hi - lo), m.of(0)), m.of(1))
    return t * t * (3.0 - 2.0 * t)


def render(m, a):
    h, w, softness = m.of(a["h"]), m.of(a["w"]), a["softness"]
    u = (2.0 * m.of(np.arange(WIDTH)) - w + 1.0) / h
    v = ((h - 1.0 - 2.0 * m.of(np.arange(HEIGHT))) / h)[:, None]
    scale = m.rsqrt(u * u + v * v + 4.0)
    dx, dy, dz = u * scale, (v - 0.4) * scale, 2.0 * scale
    t, near = np.zeros_like(scale), np.ones_like(scale)
    steps = np.zeros(scale.shape, np.int32)
    while True:
        goes_on = (near > 0.001 * t) & (t < 20.0) & (steps < a["max_steps"])
        if not goes_on.any():
            break
        there = distance(m, dx * t, 1.0 + dy * t, dz * t - 4.0, softness)
        near = np.where(goes_on, there, near)
        t = np.where(goes_on, t + near, t)
        steps += goes_on
    x, y, z = dx * t, 1.0 + dy * t, dz * t - 4.0
    nx = distance(m, x + 0.01, y, z, softness) - distance(m, x - 0.01, y, z, softness)
    ny = distance(m, x, y + 0.01, z, softness) - distance(m, x, y - 0.01, z, softness)
    nz = distance(m, x, y, z + 0.01, softness) - distance(m, x, y, z - 0.01, softness)
    unit = m.rsqrt(nx * nx + ny * ny + nz * nz)
    facing = (-2.0 * nx + 3.0 * ny - 2.0 * nz) * unit * 0.24253563
    along = (dx * nx + dy * ny + dz * nz) * unit
    mirrored = (-2.0 * dx + 3.0 * dy - 2.0 * dz) * 0.24253563 - 2.0 * along * facing
    shine = m.pow(np.maximum(mirrored, m.of(0)), m.of(32))
    light = 0.15 + 0.6 * np.maximum(facing, m.of(0)) + 0.5 * shine
    sky = 0.7 - 0.3 * v
    fade = smoothstep(m, m.of(6), m.of(18), t)
    grey = light * (1.0 - fade) + sky * fade
    image = m.pow(np.minimum(np.maximum(grey, m.of(0)), m.of(1)), 1.0 / a["gamma"])
    return {"steps": steps, "image": image, "t": t}


def render_bounds(r, a):
    # A distance is off by some 15 roundings of coordinates of up to the ray's length, and a ray by that in each of its steps;
    # where a rounding decides that it has arrived a step sooner, also by as much as counts as having arrived. A normal is off
    # by two distances over the 0.02 between them, and, where the surface bends (the cube's edges, of radius 0.1), by ten
    # times what the ray is. The highlight makes 0.5 * 32 times the angle of it, and the last power less than 2 of what is not
    # dark.
    rounded = render(Arithmetic(np.float32), {**a, **{name: np.float32(a[name]) for name in ["softness", "gamma"]}})
    near = 15 * U32 * (np.maximum(r["t"], 4) + 1)
    ray = near * (r["steps"] + 1) + np.where(rounded["steps"] != r["steps"], 0.001 * r["t"], 0)
    normal = 2 * near / 0.02 + 10 * ray
    return {"image": 2 * (0.5 * 32 + 0.6) * normal}


def cases():
    empty = np.zeros((HEIGHT, WIDTH), np.float32)
    arguments = {
        "image": empty,
        "steps": empty.astype(np.int32),
        "h": HEIGHT,
        "w": WIDTH,
        "softness": np.float32(0.15),
        "max_steps": 100,
        "gamma": np.float32(2.2),
    }
    # `pow` of float32 is within 0.51 ulp, so either power may be one unit off: the first is less than all that it is added
    # to, and the second multiplies that by 1 / gamma at most and has a unit of its own.
    return [Case("render", render, render_bounds, arguments, ulps=3)]
