"""python -m tcfix: runs the program."""

import os
import subprocess
import sys

from ._run import TcfixError, program


def main() -> int:
    try:
        command = [program(), *sys.argv[1:]]
    except TcfixError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if os.name != "nt":
        os.execv(command[0], command)
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
