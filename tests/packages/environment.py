"""Environments with the wheels that testdata/packages.txt pins: installed by pip for Linux, and unpacked for macOS
and Windows. Downloads and environments are kept in the cache directory."""
import hashlib
import pathlib
import shutil
import subprocess
import sys

from harness import ROOT, link_wheel, load_script

PINS = ROOT / "testdata" / "packages.txt"
# The site directory of an environment, relative to it.
SITES = {"macos": "lib/python3.12/site-packages", "windows": "Lib/site-packages"}


fetch_wheels = load_script("fetch-wheels")


def read_pins(group):
    """(SHA-256, file name) of each wheel of a group."""
    return [(digest, name) for of, digest, name in fetch_wheels.read_pins(PINS) if of == group]


def requirements(pins):
    return "".join("{}=={} --hash=sha256:{}\n".format(*name.split("-")[:2], digest) for digest, name in pins)


def installed(group, python):
    """A virtual environment of this Python, created once by pip with these pins."""
    wanted = requirements(read_pins(group))
    digest = hashlib.sha256(f"{python}\n{wanted}".encode()).hexdigest()[:12]
    environment = fetch_wheels.cache_directory() / "packages" / f"{group}-{digest}"
    is_complete = environment / "complete"
    if not is_complete.exists():
        print(f"installing {wanted.count('==')} packages into {environment}", file=sys.stderr)
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([python, "-m", "venv", environment], check=True)
        (environment / "requirements.txt").write_text(wanted)
        subprocess.run([environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps",
                        "--only-binary=:all:", "--require-hashes", "--disable-pip-version-check",
                        "--requirement", environment / "requirements.txt"], check=True, stdout=sys.stderr)
        is_complete.touch()
    return environment


def unpacked(group, root):
    """An environment of another platform below `root`, the disk of its machine."""
    environment = pathlib.Path(root) / {"macos": "Users/me/env", "windows": "C/env"}[group]
    site = environment / SITES[group]
    site.mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = /none\nversion = 3.12.4\n")
    wheels = fetch_wheels.cache_directory() / "wheels"
    for digest, name in read_pins(group):
        fetch_wheels.ensure(digest, name, wheels)
        link_wheel(wheels / name[: -len(".whl")], site)
    return environment
