"""Compiles the kernels: `python3 build.py`. LANESCOPE and CC name the programs that it calls."""

import os
import subprocess
import sys

LIBRARY = "libNAME" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def build():
    lanescope = os.environ.get("LANESCOPE", "lanescope")
    subprocess.run([lanescope, "build", "NAME.lane", "--emit", "obj,python", "-o", "."], check=True)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "NAME.o", "-o", LIBRARY], check=True)


if __name__ == "__main__":
    build()
