"""The tools that judge an edited ELF file, and what they say of it.

Every judge is compared with itself: what it says of the edited file must be nothing that it did not
say of the original. A tool that is absent is named aloud and ends the test as skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77  # what ctest takes for "skipped"


def tools_folder():
    """Where scripts/bootstrap puts the judges that come from pip."""
    default = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "tcfix"
    return pathlib.Path(os.environ.get("TCFIX_CACHE", default)) / "tools" / "bin"


def find_tool(name):
    return shutil.which(name, path=f"{tools_folder()}{os.pathsep}{os.environ['PATH']}")


def require(*names):
    absent = [name for name in names if not find_tool(name)]
    if absent:
        print(f"SKIPPED: {', '.join(absent)} not installed; scripts/bootstrap does that")
        sys.exit(SKIPPED)


def run(*command, **options):
    command = [str(part) for part in command]
    command[0] = find_tool(command[0]) or command[0]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300,
                          **options)


def said_by(tool, options, path):
    """The complaints, with numbers and the file's own name taken out."""
    result = run(tool, *options, path)
    text = result.stdout if tool == "eu-elflint" else result.stderr
    lines = {re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line.replace(str(path), "FILE"))
             for line in text.splitlines()}
    if tool != "eu-elflint" and result.returncode:
        lines.add(f"{tool} exits with {result.returncode}")
    return lines - {"No errors"}


def complaints(path):
    judged = {}
    for tool, options in (("readelf", ["-aW"]), ("objdump", ["-p"]), ("eu-elflint", ["--gnu-ld"]),
                          ("patchelf", ["--print-rpath"])):
        judged[tool] = said_by(tool, options, path)
    return judged


def new_complaints(before, path):
    """What judges say of `path` that they did not say in `before`, a result of complaints()."""
    return [f"{tool}: {line}" for tool, lines in complaints(path).items()
            for line in sorted(lines - before[tool])]


def read_dynamic(path):
    """Search paths, dependencies and SONAME as patchelf reads them."""
    return {"rpath": run("patchelf", "--print-rpath", path).stdout.strip(),
            "needed": run("patchelf", "--print-needed", path).stdout.split(),
            "soname": run("patchelf", "--print-soname", path).stdout.strip()}
