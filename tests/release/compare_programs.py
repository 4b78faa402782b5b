#!/usr/bin/env python3
"""Runs the same commands with two programs on equal trees, and compares what they print and write.

    compare_programs.py [--tiny] REFERENCE PROGRAM

Each is a command in one argument, such as "wine tcfix.exe" or "qemu-aarch64 tcfix". The trees are
environments of macOS, Linux and Windows with torchcodec 0.9.1 and PyAV (scripts/fetch-wheels); --tiny: only
the macOS one of a few kilobytes, for slow emulators. Equal means: the same exit code, the same JSON but for
the separators of host paths, and the same bytes in every file. Exit code 1 if anything differs.
"""
import argparse
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "real")]

import harness
import tiny_world

WHEELS = {
    "macos": ("torchcodec-0.9.1-cp312-cp312-macosx_11_0_arm64", "av-15.1.0-cp312-cp312-macosx_13_0_arm64"),
    "linux": ("torchcodec-0.9.1-cp312-cp312-manylinux_2_28_x86_64", "av-15.1.0-cp312-cp312-manylinux_2_28_x86_64"),
    "windows": ("torchcodec-0.9.1-cp312-cp312-win_amd64", "av-15.1.0-cp312-cp312-win_amd64"),
}
ENVIRONMENTS = {"macos": ("root/Users/me/.venv", "lib/python3.12/site-packages"),
                "linux": ("root/home/me/.venv", "lib/python3.12/site-packages"),
                "windows": ("root/C/me/env", "Lib/site-packages")}
# Values that differ from run to run: the program's path, inodes and times.
OWN = re.compile(r'"(program|tcfix|seconds|device|inode|modified_ns)":\s*("[^"]*"|[-\d.]+)')


def commands(env, site, wheel):
    """All commands, in an order in which each can run. `wheel` may be None."""
    common = ["--sysroot", "root", env]
    package = f"{site}/torchcodec"
    libraries = sorted(f"{package}/{each.name}" for each in Path(package).glob("libtorchcodec*"))
    first = libraries[0]
    entry = "C:\\ffmpeg\\bin" if first.endswith((".dll", ".pyd")) else "/opt/somewhere/lib"
    delay = ["--delay", "av*"] if first.endswith((".dll", ".pyd")) else []
    yield ["list", "--json", *common]
    yield ["inspect", "--json", "--symbols", first]
    yield ["inspect", "--json", *libraries]
    yield ["doctor", "--json", *common]
    yield ["apply", "--check", "--json", *common]
    yield ["apply", "--dry-run", "--json", *common]
    yield ["apply", "--dry-run", *common]
    yield ["apply", "--json", *common]
    yield ["apply", "--json", *common]
    yield ["verify", "--json", *libraries]
    yield ["doctor", "--json", *common]
    yield ["doctor", "--dot", *common]
    yield ["undo", "--json", *common]
    yield ["undo", "--json", *common]
    yield ["edit", "--json", "--journal", "edit.json", *delay, "--add-rpath", entry, *libraries]
    yield ["inspect", "--json", *libraries]
    yield ["undo", "--json", "--journal", "edit.json"]
    yield ["hook", "install", "--json", env]
    yield ["hook", "status", "--json", env]
    yield ["hook", "remove", "--json", env]
    if wheel:
        yield ["wheel", "--json", "-o", "out", wheel]
    yield ["inspect", "--json", "absent.so"]
    yield ["inspect", "--json", f"{package}/__init__.py"]
    yield ["edit", "--json", first]


def build(system, folder):
    """The tree, with relative paths inside it: environment, site, wheel."""
    env, below = ENVIRONMENTS[system]
    site = folder / env / below
    archive = harness.archives(WHEELS[system][0] + ".whl") / (WHEELS[system][0] + ".whl")
    for name in WHEELS[system]:
        shutil.copytree(harness.wheels(name) / name, site, dirs_exist_ok=True)
    (folder / env / "pyvenv.cfg").write_text("home = /usr/bin\n")
    shutil.copy(archive, folder)
    return env, f"{env}/{below}", archive.name


def build_tiny(folder):
    world = tiny_world.TinyWorld(folder / "root")
    return str(world.env.relative_to(folder)), str(world.site.relative_to(folder)), None


def snapshot(folder):
    """The hash of every file. Journals hold host paths, which count as in the output; so do the settings of
    the hook, whose hash in its RECORD differs with them."""
    hashes = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        content = path.read_bytes()
        if path.suffix == ".json":
            content = normal(content.decode(), folder).encode()
        elif path.parent.name.startswith("tcfix_hook-") and path.name == "RECORD":
            content = b"".join(line for line in content.splitlines(True) if b"settings.json" not in line)
        hashes[str(path.relative_to(folder))] = hashlib.sha256(content).hexdigest()
    return hashes


def normal(text, folder):
    """Host paths in the form of Linux: with /, without a drive, and with one name for the run's directory."""
    text = re.sub(r"Z:(?=[/\\])", "", text)
    for separator in ("\\\\", "\\"):
        text = text.replace(str(folder).replace("/", separator), "FOLDER")
    text = text.replace(str(folder), "FOLDER").replace("\\\\", "/").replace("\\", "/").replace("\r", "")
    return OWN.sub("", text)


def run(program, words, folder):
    result = subprocess.run([*program, *words], cwd=folder, capture_output=True,
                            env={**os.environ, "WINEDEBUG": "-all", "NO_COLOR": "1"})
    return result.returncode, normal(result.stdout.decode("utf-8", "replace"), folder), \
        normal(result.stderr.decode("utf-8", "replace"), folder)


def answers_of(program, original, folder, tree):
    """The result of each command and the files after it, in a fresh copy of the tree."""
    shutil.copytree(original, folder, symlinks=True)
    os.chdir(folder)
    answers = [(words, run(program, words, folder), snapshot(folder)) for words in commands(*tree)]
    os.chdir("/")
    shutil.rmtree(folder)
    return answers


def compare(system, reference, program):
    """Prints each difference; returns their number."""
    differences = 0
    with tempfile.TemporaryDirectory(prefix="tcfix-compare-") as top:
        original, folder = Path(top) / "original", Path(top) / "tree"
        tree = build_tiny(original) if system == "tiny" else build(system, original)
        expected, given = (answers_of(each, original, folder, tree) for each in (reference, program))
    for (words, answer, files), (_, other_answer, other_files) in zip(expected, given):
        wrong = [what for what, a, b in zip(("exit code", "output", "errors"), answer, other_answer) if a != b]
        wrong += sorted(path for path in files.keys() | other_files.keys()
                        if files.get(path) != other_files.get(path))
        if wrong:
            differences += 1
            print(f"  DIFFERS {system}: tcfix {shlex.join(words)[:150]}: {', '.join(wrong[:6])}")
            show((answer, other_answer))
    print(f"{system}: {len(expected)} commands, {differences} differ", flush=True)
    return differences


def show(answers):
    for a, b in zip(*((map(str, answer)) for answer in answers)):
        for left, right in zip(a.splitlines(), b.splitlines()):
            if left != right:
                print(f"    - {left[:300]}\n    + {right[:300]}")
                break
        else:
            if a != b:
                print(f"    - {len(a)} characters, + {len(b)}: {b[-300:]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("reference")
    parser.add_argument("program")
    options = parser.parse_args()
    programs = [shlex.split(options.reference), shlex.split(options.program)]
    systems = ["tiny"] if options.tiny else ["tiny", *WHEELS]
    return 1 if sum(compare(system, *programs) for system in systems) else 0


if __name__ == "__main__":
    sys.exit(main())
