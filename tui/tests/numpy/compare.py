"""Holds the math functions of Lane, in whole kernels, against NumPy:

    python3 tui/tests/numpy/compare.py target/release/lanescope

Each kernel of the examples that are named below runs by the interpreter, the plain evaluator and native code for every target of
this machine. Three things are asked of the results. Without `@fast` they have the same bits everywhere. They have the very bits
that NumPy gives in float32, rounded once per operation, in the order of the language. And they are no further from what
NumPy gives in float64 than the number of their operations allows. NumPy 2 is all that is needed beside Python.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import nbody_fast
import options
import raymarch
import softmax
import synth
from arithmetic import Arithmetic

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

# What bounds leave out: the products of two errors, and the error of float64 itself.
SECOND_ORDER = 1.001


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} PATH_TO_LANESCOPE")
    if int(np.__version__.split(".")[0]) < 2:
        sys.exit(f"NumPy 2 is needed, since in older ones Python's numbers make float64 of float32; here is {np.__version__}")
    lanescope = sys.argv[1]
    ways = ways_to_run(lanescope)
    print("compared:", ", ".join(ways))
    failures = []
    for module in [softmax, options, synth, raymarch, nbody_fast]:
        example = EXAMPLES / f"{module.__name__}.lane"
        cases = module.cases()
        for case in cases:
            wrong = check(lanescope, example, case, ways)
            print(f"{example.name:16} {case.kernel:16} {'WRONG' if wrong else used(case)}", flush=True)
            failures += [f"{example.name}, `{case.kernel}`: {text} ({', '.join(ways)})" for text, ways in wrong.items()]
        missing = set(re.findall(r"^kernel (\w+)", example.read_text(), re.MULTILINE)) - {case.kernel for case in cases}
        failures += [f"{example.name}, `{kernel}`: nothing is compared; it needs a `Case` in {module.__name__}.py" for kernel in missing]
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


def ways_to_run(lanescope):
    """Options of `run`, by name: the engines, and native code for each target that this machine can run."""
    listed = json.loads(subprocess.run([lanescope, "targets", "--json"], capture_output=True, check=True).stdout)
    targets = [target["name"] for target in listed["targets"] if target["runs_here"]]
    native = {f"native {name}": ["--engine", "native", "--target", name] for name in targets}
    return {"interp": ["--engine", "interp"], "scalar": ["--engine", "scalar"], **native}


def check(lanescope, example, case, ways):
    """Says what is wrong with a kernel, each with the ways to run it that have it; `case.share` keeps how much of the bounds was
    used."""
    precise = {name: precise_of(value) for name, value in case.arguments.items()}
    reference = case.compute(Arithmetic(np.float64), precise)
    bounds = case.bounds(reference, precise)
    twin = None if case.ulps is None else case.compute(Arithmetic(np.float32), case.arguments)
    wrong, first = {}, None
    case.share = {}
    for way, arguments in ways.items():
        try:
            arrays = run(lanescope, example, case, arguments)
        except RuntimeError as error:
            wrong.setdefault(str(error), []).append(way)
            continue
        first = first or (way, arrays)
        for name, array in arrays.items():
            # Numbers that are no floats have no bounds, since a rounding may decide about them.
            texts = [
                beyond(array, reference[name], bounds[name], case, name) if array.dtype.kind == "f" else None,
                None if twin is None else other_bits(array, twin[name], case.ulps, "NumPy's float32"),
                other_bits(array, first[1][name], 0, first[0]) if case.is_strict else None,
            ]
            for text in filter(None, texts):
                wrong.setdefault(f"`{name}` {text}", []).append(way)
    return wrong


def precise_of(value):
    return value.astype(np.float64) if getattr(value, "dtype", None) == np.float32 else value


def run(lanescope, example, case, ways):
    """Runs a kernel, and returns what it has written, and what it gives as `result`."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        for name, value in case.arguments.items():
            if isinstance(value, np.ndarray):
                path = Path(folder) / f"{name}.npy"
                np.save(path, np.ravel(value))
                arguments += ["--arg", f"{name}=@{path}"]
            else:
                arguments += ["--arg", f"{name}={value}"]
        command = [lanescope, "run", str(example), "--kernel", case.kernel, "--json", "--timeout", "60", *ways, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2 or not done.stdout:
        raise RuntimeError(f"`lanescope run` ends with {done.returncode}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    for finding in [answer["error"], *answer["diagnostics"]]:
        if finding:
            raise RuntimeError(f"line {finding['range']['line']}: {finding['message']} [{finding['code']}]")
    arrays = {**answer["arrays"], "result": answer["result"]}
    dtypes = {name: value.dtype for name, value in case.arguments.items() if isinstance(value, np.ndarray)}
    return {name: read(values, dtypes.get(name, np.float32)) for name, values in arrays.items() if values is not None}


def read(values, dtype):
    """Numbers of the JSON, where NaN and the infinities are texts, which `float` reads as well."""
    return np.array([float(value) for value in np.atleast_1d(values)]).astype(dtype)


def beyond(actual, expected, bound, case, name):
    """Says where a result is further from the float64 one than it may be."""
    expected, bound = np.ravel(expected), np.ravel(np.broadcast_to(bound, np.shape(expected))) * SECOND_ORDER
    # The smallest float has to be allowed for where a result is that small.
    bound = bound + np.finfo(actual.dtype).smallest_subnormal
    error = np.abs(actual.astype(np.float64) - expected)
    share = np.where(np.isfinite(error), error / bound, np.inf)
    worst = int(np.argmax(share))
    case.share[name] = max(case.share.get(name, 0.0), float(share[worst]))
    if share[worst] <= 1:
        return None
    return f"is {actual[worst]} at {worst}, {error[worst]:.3g} from {expected[worst]}; {bound[worst]:.3g} is allowed"


def other_bits(actual, expected, ulps, whose):
    """Says where a result has other bits than it should, or is more than so many units in the last place off."""
    expected = np.ravel(expected).astype(actual.dtype)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if actual.dtype.kind == "f":
        same &= np.signbit(actual) == np.signbit(expected)
        same |= np.abs(actual - expected) <= ulps * np.spacing(np.abs(expected))
    if same.all():
        return None
    first = int(np.argmin(same))
    return f"is {actual[first]} at {first} and {expected[first]} by {whose}; {(~same).sum()} of {same.size} differ"


def used(case):
    return "ok, " + ", ".join(f"{name} {share:.0%} of its bound" for name, share in case.share.items())


if __name__ == "__main__":
    main()
