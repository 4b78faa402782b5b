#!/usr/bin/env python3
"""Runs the Windows program under Wine like a Linux program, for the tests that run tcfix:

    TCFIX=tests/release/windows_program.py TCFIX_WINDOWS=path/to/tcfix.exe python3 tests/cli/test_cli.py

Paths of this machine in its output are converted to Linux paths; everything else is unchanged.
"""
import os
import re
import stat
import subprocess
import sys

# An absolute path with separators of Windows, which are two characters in JSON. A path that was given without a drive
# has none: those of the tests are in /tmp.
START = rb'(?:\bZ:(?=[\\/])|(?<![\w.@)])(?=/\w)|(?=SEPARATORtmpSEPARATOR))'
REST = rb'((?:[^\s"\'<>|:*?\\]|SEPARATOR)*)'


CODES = (0, 1, 2, 3, 4, 130)


def as_linux(output):
    separator = b"\\\\" if output.lstrip().startswith(b"{") else b"\\"
    path = re.compile((START + REST).replace(b"SEPARATOR", re.escape(separator)))
    return path.sub(lambda found: found[1].replace(separator, b"/"), output)


def is_device(stream):
    """Such as /dev/full: the program itself has to write there."""
    return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty()


def main():
    command = ["wine", os.environ["TCFIX_WINDOWS"], *sys.argv[1:]]
    # Rarely a start under Wine 8 ends without any output and with a code that is not tcfix's: it is repeated once.
    for _ in range(2):
        result = subprocess.run(command, stdout=None if is_device(sys.stdout) else subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, "WINEDEBUG": "-all"})
        if result.returncode in CODES or result.stdout or result.stderr:
            break
    if result.stdout:
        sys.stdout.buffer.write(as_linux(result.stdout))
        sys.stdout.flush()
    sys.stderr.buffer.write(as_linux(result.stderr))
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
