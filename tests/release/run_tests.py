#!/usr/bin/env python3
"""Runs the command line tests of a build with the Windows program, under Wine.

    tests/release/run_tests.py BUILD PROGRAM.EXE [NAME...]

NAME  only these tests, as ctest names them; default: all that are labelled cli
Prints a line for each test, and the output of those that fail. Exit code 1 if one fails.
"""
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


def registered(build):
    """{name: test} of the tests labelled cli, as ctest lists them."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "--label-regex", "^cli$"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    return {test["name"]: test for test in json.loads(listing)["tests"]}


def run(test, program):
    """(exit code, seconds, output)."""
    properties = {one["name"]: one["value"] for one in test["properties"]}
    environment = dict(os.environ)
    environment.update(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", ()))
    environment.update(TCFIX=str(HERE / "windows_program.py"), TCFIX_WINDOWS=str(program))
    start = time.monotonic()
    result = subprocess.run(test["command"], cwd=properties["WORKING_DIRECTORY"], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace")
    return result.returncode, time.monotonic() - start, result.stdout


@contextlib.contextmanager
def wine():
    """Keeps Wine's server running between programs: starting it takes much longer than a program. Its services are
    started here, because those that a program starts keep its pipes open."""
    os.environ.setdefault("WINEDLLOVERRIDES", "winemenubuilder.exe,mscoree,mshtml=d")
    subprocess.run(["wineserver", "--persistent"], check=True)
    subprocess.run(["wine", "wineboot"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        subprocess.run(["wineserver", "--kill"])


def main():
    build, program, *names = sys.argv[1:]
    tests = registered(build)
    unknown = [name for name in names if name not in tests]
    if unknown or not tests:
        sys.exit(f"not a command line test of {build}: {', '.join(unknown) or 'none is registered'}")
    totals = [0, 0, 0]  # run, failed, skipped
    with wine(), ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = names or list(tests)
        for name, (code, seconds, output) in zip(
                chosen, pool.map(lambda name: run(tests[name], Path(program).resolve()), chosen)):
            ran = re.search(r"^Ran (\d+) tests?", output, re.M)
            skipped = re.search(r"skipped=(\d+)", output)
            totals[0] += int(ran[1]) if ran else 0
            totals[1] += code not in (0, SKIPPED)
            totals[2] += int(skipped[1]) if skipped else 0
            verdict = {0: "passed", SKIPPED: "skipped"}.get(code, "FAILED")
            print(f"{name:20} {verdict}, {seconds:.0f} s: {ran[0] if ran else 'no tests'}"
                  f"{', ' + skipped[0] if skipped else ''}", flush=True)
            if verdict == "FAILED":
                print(output, flush=True)
    print(f"{totals[0]} tests, {totals[2]} skipped; {totals[1]} of {len(chosen)} files failed")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
