"""Runs Windows programs with Wine, in a separate prefix."""
import os
import subprocess
import sys

WINE_TOOLS = ("wine", "wineserver")


def start_wine(prefix):
    """Creates a prefix for all programs of this process; returns the function that ends it."""
    os.environ.update(WINEPREFIX=str(prefix), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=")
    return lambda: subprocess.run(["wineserver", "-k", "-w"], stderr=subprocess.DEVNULL)


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def wine(*arguments, environment=None):
    """Runs a program, and returns the lines that it prints.

    Rarely a start under Wine 8 ends without any output, for an unknown reason: it is repeated once, and reported. A
    real failure still fails."""
    for _ in range(2):
        result = subprocess.run(["wine", *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=300,
                                env={**os.environ, **(environment or {})})
        if result.stdout or result.returncode == 0:
            break
        print(f"wine ended with {result.returncode} and printed nothing: {arguments}", file=sys.stderr)
    return result.stdout.decode("utf-8", "replace").replace("\r", "").splitlines()
