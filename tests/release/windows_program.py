#!/usr/bin/env python3
"""Runs the Windows program under Wine as if it were one of Linux, for the tests that run the program:

    TCFIX=tests/release/windows_program.py TCFIX_WINDOWS=path/to/tcfix.exe python3 tests/cli/test_cli.py

Paths of this machine in what it prints are written as Linux writes them; everything else stays as it is.
"""
import os
import re
import stat
import subprocess
import sys

# A path from the root on: as text, and inside a JSON string, where each separator is two characters.
HOST_PATH = re.compile(rb'Z:((?:\\\\|[\\/])[^\s"\'<>|:*?]*)')


def as_linux(output):
    return HOST_PATH.sub(lambda found: re.sub(rb"\\+", b"/", found[1]), output)


def is_device(stream):
    """Such as /dev/full: the program itself has to write there."""
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()


def main():
    command = ["wine", os.environ["TCFIX_WINDOWS"], *sys.argv[1:]]
    result = subprocess.run(command, stdout=None if is_device(sys.stdout) else subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "WINEDEBUG": "-all"})
    sys.stdout.buffer.write(as_linux(result.stdout or b""))
    sys.stdout.flush()
    sys.stderr.buffer.write(as_linux(result.stderr))
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
