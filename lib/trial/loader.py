"""What `tcfix doctor --run` and `tcfix apply --run` run in an environment's own python:

    python -c LOADER smoke CODE                  runs the code
    python -c LOADER load TORCH AGAIN LIBRARY... loads the libraries, in this order
    python -c LOADER each PACKAGE LIBRARY...     loads each library in a process of its own

TORCH: "torch" to import it first, as the package does. AGAIN: "again" to try those that failed once
more, as long as others loaded meanwhile: the package's code may load a library before another.
PACKAGE: to import before; "-" for none. Where there is no fork, all share one process.

Answers are lines of their own that begin with MARK, on the standard output that python was started
with. Whatever else the package prints is not looked at.
"""
import sys

if sys.path and sys.path[0] == "":
    del sys.path[0]  # the current directory, which python puts there unless it is isolated

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
                answer(failed=number, error="python crashed with signal %d" % (status & 0x7F))


try:
    {"smoke": smoke, "load": load, "each": each}[sys.argv[1]](*sys.argv[2:])
    answer(done=True)
finally:
    # Not by python's own way out, where the code of libraries runs once more: that is not the question.
    os._exit(0)
