"""The kernels of `examples/synth.lane`."""

import numpy as np

from arithmetic import U32, additions
from case import Case, random

N = 1200
# Samples and voices of what is filtered and mixed.
TIMES, VOICES = 90, 21
RATE = np.float32(48000)


def phase_step(frequency, rate):
    return np.uint32(int(np.float64(frequency) / np.float64(rate) * 2.0**32))


def half_turns(m, step, n):
    """Exact, but for the rounding to float32."""
    phase = np.uint64(step) * np.arange(n, dtype=np.uint64)
    return m.of(phase.astype(np.uint32).view(np.int32).astype(np.float64)) / m.of(2.0**31)


def of_sinpi(turns, sine):
    """The error of `sinpi`, in roundings: of the phase, which weighs at most pi times itself, and its own."""
    return np.pi * np.abs(turns) + np.abs(sine)


def sine(m, a):
    turns = half_turns(m, phase_step(a["frequency"], a["rate"]), a["n"])
    return {"turns": turns, "out": a["level"] * m.sinpi(turns)}


def sine_bounds(r, a):
    # Beside `sinpi` one product.
    return {"out": U32 * (a["level"] * np.pi * np.abs(r["turns"]) + 2 * np.abs(r["out"]))}


def saw(m, a):
    step = int(phase_step(a["frequency"], a["rate"]))
    total, errors, sizes = np.zeros(a["n"], m.dtype), np.zeros(a["n"]), np.zeros(a["n"])
    for k in range(1, int(m.of(0.5) * a["rate"] / a["frequency"]) + 1):
        turns = half_turns(m, np.uint32(step * k % 2**32), a["n"])
        wave = m.sinpi(turns)
        total = total + wave / m.of(k)
        # A division, and the sum so far.
        errors += (of_sinpi(turns, wave) + np.abs(wave)) / k + np.abs(total)
    return {"errors": errors, "out": a["level"] * (2 / np.pi * total)}


def saw_bounds(r, a):
    # The factor, which is rounded, its product, and that with the level.
    return {"out": U32 * (a["level"] * 2 / np.pi * r["errors"] + 3 * np.abs(r["out"]))}


def fm(m, a):
    n = a["n"]
    carrier = half_turns(m, phase_step(a["frequency"], a["rate"]), n)
    modulator = half_turns(m, phase_step(np.float32(a["frequency"]) * np.float32(a["ratio"]), a["rate"]), n)
    fade = -m.of(np.arange(n)) / (a["decay"] * a["rate"])
    strength = a["index"] * m.exp(fade)
    wave = m.sinpi(modulator)
    angle = np.pi * carrier + strength * wave
    parts = {"fade": fade, "strength": strength, "modulator": modulator, "wave": wave, "carrier": carrier}
    return {**parts, "angle": angle, "out": m.sin(angle)}


def fm_bounds(r, a):
    # The carrier's angle has three roundings: of the phase, pi and the product. The strength has two of the exponent, of `exp` and
    # of the product; then its product with the other wave, and the sum. A sine is off by what its angle is at most, and its own.
    strength = 2 * np.abs(r["fade"]) + 3
    swing = r["strength"] * (strength * np.abs(r["wave"]) + of_sinpi(r["modulator"], r["wave"]))
    return {"out": U32 * (3 * np.pi * np.abs(r["carrier"]) + swing + np.abs(r["angle"]) + np.abs(r["out"]))}


def envelope(m, a):
    now = (m.of(np.arange(a["n"])) / a["rate"])[:, None]
    gone = (a["start"] - np.minimum(now, a["end"])) / a["attack"]
    left = np.minimum(a["end"] - now, m.of(0)) / a["release"]
    rise, fall = -m.expm1(gone), m.exp(left)
    sound = a["sound"] * np.where(now > a["start"], rise * fall, m.of(0))
    return {"now": now, "gone": gone, "left": left, "rise": rise, "fall": fall, "sound": sound}


def envelope_bounds(r, a):
    # The time has one rounding; the exponents two more, of the difference and the division. Then the two functions, and two products.
    now = r["now"]
    gone = now / a["attack"] + 2 * np.abs(r["gone"])
    left = now / a["release"] + 2 * np.abs(r["left"])
    rise = np.exp(r["gone"]) * gone + np.abs(r["rise"])
    shape = np.abs(rise * r["fall"]) + np.abs(r["rise"] * r["fall"]) * (left + 1)
    return {"sound": U32 * np.where(now > a["start"], np.abs(a["sound"]) * shape + 2 * np.abs(r["sound"]), 0)}


def one_pole(m, a):
    keep = m.exp(-2 * np.pi * a["cutoff"] / a["rate"])
    last, sound = m.of(np.zeros(VOICES)), []
    for x in a["sound"]:
        last = x + keep * (last - x)
        sound.append(last)
    return {"keep": keep, "sound": np.array(sound)}


def one_pole_bounds(r, a):
    # `keep` is off by three roundings of the exponent (constant, product, division) and its own. A step adds those, of the
    # difference, the product, and the sum, to what is kept of the error so far: at most 1 / (1 - keep) of a step's in all. No
    # value is beyond the loudest sample, and no difference beyond twice that.
    keep, loudest = r["keep"], np.abs(a["sound"]).max()
    step = keep * 2 * loudest * (3 * np.abs(np.log(keep)) + 1 + 2) + loudest
    return {"sound": U32 * step / (1 - keep)}


def resonator(m, a):
    angle = 2.0 * a["cutoff"] / a["rate"]
    alpha = m.sinpi(angle) / (2.0 * a["resonance"])
    scale = 1.0 / (1.0 + alpha)
    b1 = (1.0 - m.cospi(angle)) * scale
    b0 = 0.5 * b1
    a1 = -2.0 * m.cospi(angle) * scale
    a2 = (1.0 - alpha) * scale
    s1 = s2 = m.of(np.zeros(VOICES))
    sound, states = [], []
    for x in a["sound"]:
        y = b0 * x + s1
        s1, s2 = b1 * x - a1 * y + s2, b0 * x - a2 * y
        sound.append(y)
        states.append([s1, s2])
    return {"a1": a1, "a2": a2, "states": np.array(states), "sound": np.array(sound)}


def resonator_bounds(r, a):
    # The coefficients, in roundings: the angle has one, its sine (which is as large, relatively) two with its own, alpha three, the
    # scale five; the cosine pi / 2 + 1 < 3, absolutely. So b1 (with 1 - cos <= 1) is off by 3 + 5 + 2 = 10, b0 by 5, a1 (up
    # to 2) by 2 * (3 + 5 + 1) = 18, a2 by 3 + 5 + 2 = 10.
    # A step then has two roundings for each of three terms at most in each of three equations, of no more than `most`. What a
    # step is off by goes on as the answer of 1 / (1 + a1 z + a2 z^2) to an impulse.
    most = max(np.abs(r["sound"]).max(), np.abs(r["states"]).max()) * np.maximum(np.abs(r["a1"]), 1)
    step = np.abs(a["sound"]).max() * (5 + 10 + 5) + np.abs(r["sound"]).max() * (18 + 10) + 3 * 3 * 2 * most
    before, now, total = np.zeros(VOICES), np.ones(VOICES), np.zeros(VOICES)
    for _ in range(TIMES):
        total += np.abs(now)
        before, now = now, -r["a1"] * now - r["a2"] * before
    return {"sound": U32 * step * total}


def drive(m, a):
    gain = m.exp10(a["decibels"] / m.of(20))
    return {"loud": gain * a["sound"], "sound": m.tanh(gain * a["sound"])}


def drive_bounds(r, a):
    # The exponent has one rounding, which the power of ten makes ln 10 times it; then its own, and the product. `tanh` makes
    # t tanh'(t) of the sum of them, and has one.
    loud = r["loud"]
    relative = np.log(10) * abs(a["decibels"] / 20) + 2
    return {"sound": U32 * (relative * np.abs(loud) / np.cosh(loud) ** 2 + np.abs(r["sound"]))}


def mix_down(m, a):
    place = 0.25 * (a["pan"] + 1.0)
    gains = {"left": m.cospi(place), "right": m.sinpi(place)}
    mixed = {side: m.sum(a["sound"] * gain) for side, gain in gains.items()}
    return {"place": place, **mixed, **{f"{side}_gain": gain for side, gain in gains.items()}}


def mix_down_bounds(r, a):
    # The place has one rounding, which weighs pi in an angle, and each gain its own. A product, and the additions, follow.
    bounds = {}
    for side in ["left", "right"]:
        gain = r[f"{side}_gain"]
        bounds[f"{side}_gain"] = U32 * (np.pi * r["place"] + gain)
        terms = np.abs(a["sound"]) * (bounds[f"{side}_gain"] + U32 * gain * (1 + additions(VOICES)))
        bounds[side] = terms.sum(axis=1)
    return bounds


def cases():
    out = {"out": np.zeros(N, np.float32), "n": N}
    voices = {"n": TIMES, "voices": VOICES}
    sound = random(1, (TIMES, VOICES), -1, 1)
    # A note starts and ends between two samples, so that no rounding decides whether it has.
    start = (np.arange(VOICES, dtype=np.float32) + np.float32(0.5)) / RATE
    end = start + np.float32(40) / RATE
    filtered = {"sound": sound, "cutoff": random(2, VOICES, 1000, 9000), **voices, "rate": RATE}
    gains = {name: np.zeros(VOICES, np.float32) for name in ["left_gain", "right_gain"]}
    sides = {name: np.zeros(TIMES, np.float32) for name in ["left", "right"]}
    tone = {"frequency": np.float32(441.3), "rate": RATE, "level": np.float32(0.8)}
    bell = {"frequency": np.float32(220), "ratio": np.float32(1.414), "index": np.float32(5), "decay": np.float32(0.01)}
    note = {"attack": np.float32(0.0003), "release": np.float32(0.0004), "rate": RATE}
    return [
        Case("sine", sine, sine_bounds, {**out, **tone}),
        Case("saw", saw, saw_bounds, {**out, **tone}),
        Case("fm", fm, fm_bounds, {**out, **bell, "rate": RATE}),
        Case("envelope", envelope, envelope_bounds, {"sound": sound, "start": start, "end": end, **voices, **note}),
        Case("one_pole", one_pole, one_pole_bounds, filtered),
        Case("resonator", resonator, resonator_bounds, {**filtered, "resonance": random(3, VOICES, 0.6, 4)}),
        Case("drive", drive, drive_bounds, {"sound": random(4, N, -1, 1), "n": N, "decibels": np.float32(12)}),
        Case("mix_down", mix_down, mix_down_bounds, {"sound": sound, "pan": random(5, VOICES, -1, 1), **sides, **gains, **voices}),
    ]
