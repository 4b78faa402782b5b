"""Counts instructions and system calls, which do not depend on the load of the machine, so they show regressions."""
import pathlib
import shutil
import subprocess
import tempfile

from benching import measure, promises
from benching.promises import ROOT, TCFIX


def counted(command):
    calls = measure.system_calls(command)
    return {"instructions": measure.instructions(command), "calls": sum(calls.values()) if calls else None}


def count_all():
    """{name: {"instructions", "calls"}}: start, apply with repairs, apply and doctor with nothing to do."""
    found = {"--version": counted([TCFIX, "--version"])}
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        root = pathlib.Path(folder)
        venv = promises.mac_environment(root)
        arguments = ["--sysroot", root, venv]
        # Instructions and system calls are counted in two runs, both on the broken environment.
        calls = measure.system_calls([TCFIX, "apply", "-q", *arguments])
        subprocess.run([TCFIX, "undo", "-q", *arguments], check=True)
        found["apply"] = {"instructions": measure.instructions([TCFIX, "apply", "-q", *arguments]),
                          "calls": sum(calls.values()) if calls else None}
        found["apply, nothing to do"] = counted([TCFIX, "apply", "-q", *arguments])
        found["doctor"] = counted([TCFIX, "doctor", *arguments])
        found["doctor -q"] = counted([TCFIX, "doctor", "-q", *arguments])
    if shutil.which("valgrind"):
        found["python -I -c pass"] = counted([promises.python(), "-I", "-c", "pass"])
    for name, one in found.items():
        print(f"        {name}: {one['instructions'] or 0:,} instructions, {one['calls'] or 0:,} system calls", flush=True)
    return found
