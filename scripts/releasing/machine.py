"""What this machine must have, checked before anything is fetched. scripts/bootstrap installs all of it but Perl and
make, which only OpenSSL's Configure calls."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

# Programs, and the package of Debian that contains each.
PROGRAMS = {"cmake": "cmake", "dpkg-deb": "dpkg", "make": "make", "ninja": "ninja-build", "perl": "perl"}
# Debian's perl-base is a `perl` without these.
PERL_MODULES = ("FindBin", "IPC::Cmd")


def missing_packages() -> list[str]:
    """The packages that are missing, by their names in Debian."""
    missing = {package for program, package in PROGRAMS.items() if not shutil.which(program)}
    if "perl" not in missing:
        command = ["perl", *(f"-M{name}" for name in PERL_MODULES), "-e", "1"]
        if subprocess.run(command, capture_output=True).returncode:
            missing.add("perl")
    if not importlib.util.find_spec("pip"):
        missing.add("python3-pip")
    return sorted(missing)


def check_python() -> None:
    if sys.version_info < (3, 11):
        raise SystemExit("error: Python 3.11 or later is required, this is " + sys.version.split()[0])


def check_packages() -> None:
    if packages := missing_packages():
        raise SystemExit("error: not installed: " + ", ".join(packages) +
                         "\n  hint: apt-get install " + " ".join(packages))
