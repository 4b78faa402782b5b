"""Running Windows programs with Wine, in a prefix of its own."""
import os
import subprocess
import sys

WINE_TOOLS = ("wine", "wineserver")


def start_wine(prefix):
    """Makes a prefix for all programs of this process; gives the function that ends it."""
    os.environ.update(WINEPREFIX=str(prefix), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=")
    return lambda: subprocess.run(["wineserver", "-k", "-w"], stderr=subprocess.DEVNULL)


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def wine(*arguments, environment=None):
    """Runs a program, and gives the lines that it prints.

    Rarely a start under Wine 8 ends without any output, for no reason that could be found: it is
    repeated once, and reported. What fails every time still fails."""
    for _ in range(2):
        result = subprocess.run(["wine", *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, timeout=300,
                                env={**os.environ, **(environment or {})})
        if result.stdout or result.returncode == 0:
            break
        print(f"wine ended with {result.returncode} and printed nothing: {arguments}", file=sys.stderr)
    return result.stdout.decode("utf-8", "replace").replace("\r", "").splitlines()
