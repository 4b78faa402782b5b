"""Every command with a fault at every point at which the disk can fail or the program can be killed.

After each fault every file is the old or the new one, the exit code corresponds to the files on the disk, the
next run completes, and no temporary files remain. The tests run a sample, scripts/check-faults all (--all).
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness
import tiny_macho
from tiny_world import LIBRARIES, TinyWorld, library, package_files, write_files
import test_apply

# Every call that writes, syncs, renames, links, unlinks, creates, locks or changes permissions.
CALLS = ("fsync", "pwrite64", "copy_file_range", "ftruncate", "fchmod", "utimensat", "renameat", "unlinkat",
         "linkat,symlinkat", "mkdirat", "flock")
ERRORS = ("EIO", "ENOSPC", "EACCES", "EDQUOT", "KILL")
FAULTS = {call: ERRORS for call in CALLS} | {"flock": ("ENOLCK", "EIO", "KILL")}
# With a file size limit below the size of a file, a write is short, and the next one fails.
SHORT = "short write"
LIMIT_STEP = 512
# The number of faults per scenario in the sample.
SAMPLE = 6
JOURNALS = ("tcfix-journal.json", "journal.json")


class Scenario:
    """A tree, a command that changes it, and the tree after the command."""

    def __init__(self, name, folder, command, prepare=(), restore=None):
        self.name, self.folder, self.command, self.restore = name, folder, command, restore
        for each in prepare:
            harness.run(*each, check=0)
        self.template = folder.parent / f"{folder.name}.template"
        shutil.copytree(folder, self.template, symlinks=True)
        self.start = self.state()
        harness.run(*command, check=0)
        self.end = self.state()
        assert self.start != self.end, name

    def reset(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.template, self.folder, symlinks=True)

    def state(self):
        """The content of the tree. Journals contain inodes, so they are compared only by name."""
        def look(path):
            if path.is_symlink():
                return os.readlink(path)
            if path.is_dir():
                return "directory"
            return "journal" if path.name in JOURNALS else (path.stat().st_mode, path.read_bytes())
        return {str(path.relative_to(self.folder)): look(path) for path in self.folder.rglob("*")}

    def differences(self, one, other):
        return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def scenarios(root):
    program = harness.TCFIX

    def world(name):
        return TinyWorld(root / name / "root")

    def command(tree, verb, *words):
        return [program, verb, "--sysroot", tree.root, *words, tree.env]

    tree = world("apply")
    yield Scenario("apply", root / "apply", command(tree, "apply"), restore=command(tree, "undo"))
    tree = world("again")
    yield Scenario("apply again", root / "again", command(tree, "apply"),
                   [command(tree, "apply", "--rpath", "/elsewhere")])
    tree = world("undo")
    yield Scenario("undo", root / "undo", command(tree, "undo"), [command(tree, "apply")])

    def there_and_back(name, folder, there, back):
        """Both commands, each run after the other."""
        yield Scenario(name, folder, there, restore=back)
        shutil.rmtree(folder)
        shutil.copytree(root / f"{folder.name}.template", folder, symlinks=True)
        shutil.rmtree(root / f"{folder.name}.template")
        yield Scenario(f"undo {name}", folder, back, [there])

    tree = world("replace")
    write_files(root / "replace" / "rebuilt", {LIBRARIES[0]: tiny_macho.dylib(
        identity=f"@rpath/{LIBRARIES[0]}", padding=1900, dependencies=["@rpath/libc10.dylib"])})
    yield from there_and_back("replace", root / "replace",
                              command(tree, "apply", "--replace-from", root / "replace" / "rebuilt"),
                              command(tree, "undo"))
    tree = world("links")
    cache = root / "links" / "root" / "cache"
    cache.mkdir()
    for path in [*tree.libraries(), tree.info / "RECORD"]:
        shutil.move(path, cache / path.name)
        path.symlink_to(os.path.relpath(cache / path.name, path.parent))
    yield from there_and_back("links", root / "links", command(tree, "apply"), command(tree, "undo"))

    conda = test_apply.Conda("test_the_list_is_updated_and_restored")
    conda.setUp()
    shutil.move(conda.world.root, root / "conda")
    conda.doCleanups()
    environment = root / "conda" / "opt/conda/envs/video"
    yield from there_and_back("conda", root / "conda",
                              [program, "apply", "--sysroot", root / "conda", environment],
                              [program, "undo", "--sysroot", root / "conda", environment])

    bare = root / "bare"
    write_files(bare / "build", {name: library(name) for name in LIBRARIES})
    write_files(bare / "torch/lib", {"libc10.dylib": library("libc10.dylib")})
    yield from there_and_back("bare directory", bare,
                              [program, "apply", "--rpath", "/x", "--ffmpeg", "none", bare / "build"],
                              [program, "undo", bare / "build"])

    files = [root / "edit" / name for name in LIBRARIES]
    write_files(root / "edit", {name: library(name) for name in LIBRARIES})
    journal = root / "edit" / "journal.json"
    yield Scenario("edit", root / "edit",
                   [program, "edit", "--add-rpath", "/x", "--journal", journal, *files])
    unedit = root / "unedit"
    write_files(unedit, {name: library(name) for name in LIBRARIES})
    yield Scenario("undo --journal", unedit, [program, "undo", "--journal", unedit / "journal.json"],
                   [[program, "edit", "--add-rpath", "/x", "--journal", unedit / "journal.json",
                     *(unedit / name for name in LIBRARIES)]])
    write_files(root / "sign", {name: library(name) for name in LIBRARIES})
    yield Scenario("sign", root / "sign", [program, "sign", *(root / "sign" / name for name in LIBRARIES)])

    site = root / "hook/venv/lib/python3.12/site-packages"
    site.mkdir(parents=True)
    (root / "hook/venv/pyvenv.cfg").write_text("version = 3.12.1\n")
    yield from there_and_back("hook", root / "hook", [program, "hook", "install", root / "hook/venv"],
                              [program, "hook", "remove", root / "hook/venv"])

    wheel = root / "wheel" / "torchcodec-0.9.1-py3-none-any.whl"
    write_files(root / "unpacked", package_files())
    wheel.parent.mkdir()
    shutil.make_archive(str(wheel), "zip", root / "unpacked")
    os.rename(f"{wheel}.zip", wheel)
    yield Scenario("wheel", root / "wheel", [program, "wheel", wheel, "-o", root / "wheel" / "out"])
    shutil.copytree(root / "wheel.template", root / "rewheel")
    yield Scenario("wheel again", root / "rewheel",
                   [program, "wheel", root / "rewheel" / wheel.name, "-o", root / "rewheel" / "out"],
                   [[program, "wheel", "--rpath", "/x", root / "rewheel" / wheel.name, "-o", root / "rewheel" / "out"]])


@harness.not_on_windows("the faults would strike Wine")
class Faults(unittest.TestCase):
    is_complete = False

    def setUp(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.points = 0

    def inject(self, scenario, calls, fault, number):
        """Runs the command with a fault at the Nth of these calls in each thread. Returns the result, or None
        if no thread makes that many calls."""
        if calls == SHORT:
            return self.cut(scenario, number)
        trace = self.root / "trace"
        what = "signal=SIGKILL" if fault == "KILL" else f"error={fault}"
        result = self.run_with(["strace", "-f", "-qq", "-o", trace, "-e", f"trace={calls}",
                                "-e", f"inject={calls}:{what}:when={number}"], scenario)
        if "strace:" in result.stderr:
            self.skipTest("strace cannot work here: " + result.stderr)
        text = trace.read_text(errors="replace")
        return result if "INJECTED" in text or "killed by SIGKILL" in text else None

    def run_with(self, wrapper, scenario):
        command = scenario.command[:2] + (["--json"] if scenario.command[1] != "hook" else []) + scenario.command[2:]
        return subprocess.run([*map(str, [*wrapper, *command])], capture_output=True, text=True,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})

    def cut(self, scenario, number):
        """The same with a file size limit of `number` steps; None if no file is larger than that."""
        limit = number * LIMIT_STEP - 1
        sizes = [len(data[1]) for data in scenario.end.values() if isinstance(data, tuple)]
        return self.run_with(["prlimit", f"--fsize={limit}"], scenario) if limit < max(sizes) else None

    def check(self, scenario, fault, result):
        now = scenario.state()
        for name in {*scenario.start, *scenario.end}:
            states = [scenario.start.get(name), scenario.end.get(name)]
            if states[0] != states[1] and "journal" not in states and "directory" not in states:
                self.assertIn(now.get(name), states, f"{name} is neither old nor new")
        if fault != "KILL":
            self.assertIn(result.returncode, (0, 3), result.stderr)
            # The next run removes what this one could not: temporary files and empty directories.
            now = {name: data for name, data in now.items() if not re.search(r"\.tcfix-[^/]*\.tmp$", name)}
            for name in [name for name, data in now.items() if data == "directory"]:
                if name not in scenario.end and not any(each.startswith(f"{name}/") for each in now):
                    del now[name]
            is_stuck = "could not be restored" in result.stderr
            if not is_stuck and scenario.name not in ("edit", "sign"):
                wanted = scenario.start if result.returncode else scenario.end
                self.assertEqual(scenario.differences(now, wanted), [], result.stderr)
            if scenario.name in ("edit", "sign"):
                for file in json.loads(result.stdout)["files"]:
                    self.assertEqual(harness.sha256(file["path"]), file["sha256_after"], result.stderr)
        # The next run completes the change or reverts it.
        last = scenario.end
        if scenario.restore and self.points % 2:
            harness.run(*scenario.restore, check=0)
            last = scenario.start
        else:
            harness.run(*scenario.command, check=0)
        self.assertEqual(scenario.differences(scenario.state(), last), [], "after the next run")

    def inject_and_check(self, scenario, calls, fault, number):
        scenario.reset()
        result = self.inject(scenario, calls, fault, number)
        if not result:
            return False
        self.points += 1
        with self.subTest(f"{scenario.name}: {fault} at {calls} {number}"):
            self.check(scenario, fault, result)
        return True

    def test_a_rollback_that_fails_too(self):
        """The report lists the files that are new, and undo still works with the journal."""
        # One library is renamed (by apply, after the journal). Then every rename fails, also that of the rollback.
        for verb, first in (("apply", 3), ("undo", 2)):
            with self.subTest(verb):
                chosen = next(each for each in scenarios(self.root / verb) if each.name == verb)
                chosen.reset()
                before = chosen.start
                result = self.inject(chosen, "renameat", "EIO", f"{first}+")
                self.assertEqual(result.returncode, 3)
                self.assertIn("could not be restored", result.stderr)
                report = json.loads(result.stdout)["targets"][0]
                now = chosen.state()
                changed = sorted(str(chosen.folder / name) for name in now
                                 if "libtorchcodec" in name and now[name] != before[name])
                self.assertEqual(len(changed), 1)
                if verb == "apply":
                    self.assertEqual([file["path"] for file in report["files"] if file["status"] == "changed"],
                                     changed)
                    for file in report["files"]:
                        self.assertEqual(harness.sha256(file["path"]), file["sha256_after"])
                else:
                    self.assertEqual(report["restored"], changed)
                harness.run(*chosen.command, check=0)
                self.assertEqual(chosen.differences(chosen.state(), chosen.end), [])

    def test_points(self):
        for scenario in scenarios(self.root):
            before = self.points
            kinds = [(calls, fault) for calls, faults in FAULTS.items() for fault in faults] + [(SHORT, "EFBIG")]
            if not self.is_complete:
                chosen = random.Random(scenario.name)
                for calls, fault in chosen.sample(kinds, SAMPLE):
                    self.inject_and_check(scenario, calls, fault, chosen.randint(1, 3))
                continue
            for calls, fault in kinds:
                number = 1
                while self.inject_and_check(scenario, calls, fault, number):
                    number += 1
            print(f"{scenario.name}: {self.points - before} points", flush=True)
        print(f"{self.points} points", flush=True)
        self.assertGreater(self.points, 30)


if __name__ == "__main__":
    Faults.is_complete = "--all" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--all"]
    unittest.main()
