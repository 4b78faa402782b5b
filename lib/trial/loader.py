"""Run by `tcfix doctor --run` and `tcfix apply --run` in the environment's own Python:

    python -c LOADER smoke CODE                  runs the code
    python -c LOADER load TORCH AGAIN LIBRARY... loads the libraries in this order
    python -c LOADER each PACKAGE LIBRARY...     loads each library in its own process

TORCH: "torch" imports it first, as the package does. AGAIN: "again" retries libraries that failed, as
long as others loaded in between: the package's code may load one library before another.
PACKAGE: imported first; "-" for none. Without fork, all libraries share one process.

Results are lines that begin with MARK, on the standard output that Python was started with. Anything
else that the package prints is ignored.
"""
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # the current directory, which Python adds unless it is isolated

import json
import os

MARK = "tcfix-trial:"
MAX_LENGTH = 4000  # of a message
OUTPUT = os.dup(1)


def answer(**facts):
    os.write(OUTPUT, ("\n" + MARK + json.dumps(facts) + "\n").encode())


def describe(error):
    return (type(error).__name__ + ": " + str(error))[:MAX_LENGTH]


def smoke(code):
    import contextlib
    import io

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "__main__"})
        answer(ok=True, printed=printed.getvalue().strip()[-MAX_LENGTH:])
    except BaseException as error:
        answer(ok=False, error=describe(error))


def load_one(number, path):
    import ctypes

    answer(loading=number)
    try:
        ctypes.CDLL(path)
    except OSError as error:
        answer(failed=number, error=str(error)[:MAX_LENGTH])
        return False
    answer(loaded=number)
    return True


def load(torch, again, *libraries):
    if torch == "torch":
        try:
            import torch
        except BaseException as error:
            answer(torch=describe(error))
    waiting = list(enumerate(libraries))
    while waiting:
        failed = []
        for number, path in waiting:
            if not load_one(number, path):
                failed.append((number, path))
        if again != "again" or len(failed) == len(waiting):
            break
        waiting = failed


def each(package, *libraries):
    if package != "-":
        import importlib

        try:
            importlib.import_module(package)
        except BaseException as error:
            answer(package=describe(error))
    for number, path in enumerate(libraries):
        child = os.fork() if hasattr(os, "fork") else None
        if child is None:
            load_one(number, path)
        elif child == 0:
            try:
                load_one(number, path)
            finally:
                os._exit(0)
        else:
            status = os.waitpid(child, 0)[1]
            if status & 0x7F:
                answer(failed=number, error="Python crashed with signal %d" % (status & 0x7F))


try:
    {"smoke": smoke, "load": load, "each": each}[sys.argv[1]](*sys.argv[2:])
    answer(done=True)
finally:
    # Skip Python's own shutdown, which runs code of the libraries again; the result is already known.
    os._exit(0)
