"""Environments made of the published wheels, for the examples in docs/ that are real runs."""
import pathlib
import subprocess

import harness
import linux_trees
import torch_stand_in

SITE = "lib/python3.12/site-packages"


def make_macos(home):
    subprocess.run([harness.ROOT / "scripts" / "make-demo", "macos", home], check=True)


def make_linux(home):
    """Without Python, so that the paths are the same on every machine."""
    linux_trees.require_tools()
    site = home / ".venv" / SITE
    for name, version in (("torchcodec", "0.9.1"), ("av", "15.1.0")):
        harness.link_tree(linux_trees.wheel(name, version), site)
    stand_ins = torch_stand_in.CallableStandIns("0.9.1", home.parent / "stand-ins", "x86_64")
    harness.link_tree(stand_ins.folder / "torch", site / "torch" / "lib")
    linux_trees.write_torch_version(site, "2.9.1")
    (home / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")


PLACES = {"demo-macos": ("Users/me", make_macos), "demo-linux": ("home/me", make_linux)}


def make(root, name, ffmpeg):
    """The environment `.venv` below the user's home, which is returned."""
    assert ffmpeg is None, "the FFmpeg of the demos is the one inside PyAV"
    folder, maker = PLACES[name]
    home = pathlib.Path(root) / folder
    home.mkdir(parents=True)
    maker(home)
    return home
