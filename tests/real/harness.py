"""Shared by the tests on real files: paths, copies to work on, running tcfix."""
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TCFIX = os.environ.get("TCFIX", str(ROOT / "build" / "bin" / "tcfix"))
# The program is the one for Windows, under Wine: tests/release/windows_program.py.
IS_WINDOWS = "TCFIX_WINDOWS" in os.environ


def not_on_windows(reason):
    return unittest.skipIf(IS_WINDOWS, "the Windows program under Wine: " + reason)


def find_tool(*names):
    """The first of these programs that is installed, or None."""
    return next((path for path in map(shutil.which, names) if path), None)


def wheels(*groups):
    """The directory with one unpacked directory per wheel; groups or patterns of fetch-wheels."""
    result = subprocess.run([ROOT / "scripts" / "fetch-wheels", *groups], check=True,
                            stdout=subprocess.PIPE, text=True)
    return pathlib.Path(result.stdout.strip())


def load_script(name):
    """A Python program in scripts/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def pinned(*groups):
    """The unpacked wheels of these groups. The directory of `wheels` may also contain those of other tests."""
    directory = wheels(*groups)
    pins = load_script("fetch-wheels").read_pins()
    return sorted(directory / name.removesuffix(".whl") for group, _, name in pins if group in groups)


def count_changed(old, new):
    """The number of bytes that differ; equal blocks are compared at once."""
    block = 4096
    return sum(sum(a != b for a, b in zip(old[i:i + block], new[i:i + block]))
               for i in range(0, min(len(old), len(new)), block) if old[i:i + block] != new[i:i + block])


def archives(*names):
    """The directory with these wheels as published."""
    result = subprocess.run([ROOT / "scripts" / "fetch-wheels", "--archives", *names], check=True,
                            stdout=subprocess.PIPE, text=True)
    return pathlib.Path(result.stdout.strip())


def run(*command, check=None):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            errors="replace")
    if check is not None and result.returncode != check:
        raise AssertionError(f"{command} gave {result.returncode}, not {check}:\n"
                             f"{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result


def pip_tool(name):
    """A program of testdata/test-tools.txt; a test that lacks it is skipped."""
    path = os.path.join(os.path.dirname(sys.executable), name)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"{name} is not installed")
    return path


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def tcfix(*arguments, check=0):
    return run(TCFIX, *arguments, check=check)


def tcfix_json(*arguments, check=0):
    return json.loads(tcfix(arguments[0], "--json", *arguments[1:], check=check).stdout)


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def link_tree(source, target):
    """A copy whose files are hard links if possible, as uv creates them: writing in place would change the
    original."""
    shutil.copytree(source, target, copy_function=link_or_copy, dirs_exist_ok=True)


def link_wheel(source, site):
    """Installs an unpacked wheel; of torch only what tcfix may read, not 12,000 headers."""
    is_torch = (source / "torch" / "lib").is_dir()
    parts = [source / "torch" / "lib", *source.glob("torch[.-]*")] if is_torch else [source]
    for part in parts:
        link_tree(part, site / part.relative_to(source))


class FilesTest(unittest.TestCase):
    """A test that works on copies in its own temporary directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy(self, files):
        """Copies files into separate directories (base names repeat); returns (original, copy). These are not next
        to each other: tcfix also reads libraries in neighboring directories, and the tests edit several at once."""
        pairs = []
        for number, original in enumerate(files):
            target = self.folder / str(number) / "lib" / original.name
            target.parent.mkdir(parents=True)
            shutil.copy2(original, target)
            pairs.append((original, target))
        return pairs
