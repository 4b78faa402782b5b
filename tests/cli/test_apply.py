"""`tcfix apply` and `undo` on tiny macOS environments: exit codes, links, bad input, failures."""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

import harness
import tiny_macho
from harness import FilesTest, not_on_windows, run, tcfix, tcfix_json
from package_checks import content, record_problems, stamps
from tiny_world import (BREW, FFMPEG, INFO, LIBRARIES, TORCH, TinyWorld, library, package_files,
                        write_files)

# The calls that change names: only these replace an old file with a new one.
CALLS = "/^(rename|unlink|link|symlink)"
# Windows counts time in units of 100 ns.
NTFS_TICK = 100


def rpaths(path):
    return tcfix_json("inspect", path)["files"][0]["rpaths"]


class ApplyTest(FilesTest):
    def setUp(self):
        super().setUp()
        self.world = TinyWorld(self.folder / "root")

    def command(self, name, *arguments):
        return [harness.TCFIX, name, "--sysroot", self.world.root, *arguments]

    def apply(self, *arguments, check=0):
        return tcfix_json("apply", "--sysroot", self.world.root, *(arguments or [self.world.env]),
                          check=check)

    def undo(self, *arguments, check=0):
        return tcfix_json("undo", "--sysroot", self.world.root, *(arguments or [self.world.env]),
                          check=check)


class Targets(ApplyTest):
    def test_every_kind_of_target(self):
        world = self.world
        before = content(world.site)
        for target in (world.env, world.site, world.package):
            with self.subTest(target):
                torch = self.apply(target)["targets"][0]["torch"]
                self.assertEqual((torch["version"], torch["path"]), ("2.9.1", str(world.site / "torch/lib")))
                self.assertEqual(rpaths(world.package / LIBRARIES[0]), [TORCH, BREW])
                self.assertEqual(record_problems(world.site), [])
                self.undo(target)
                self.assertEqual(content(world.site), before)

    def test_one_file(self):
        world, file = self.world, self.world.package / LIBRARIES[0]
        before = content(world.site)
        report = self.apply(file)
        self.assertEqual([each["path"] for each in report["targets"][0]["files"]], [str(file)])
        self.assertEqual(rpaths(world.package / LIBRARIES[1]), [])
        self.assertEqual(record_problems(world.site), [])
        self.assertEqual(tcfix("apply", "--sysroot", world.root, file).stdout.count("nothing"), 1)
        self.apply()
        self.undo(file)
        self.assertEqual(file.read_bytes(), before[f"torchcodec/{file.name}"][1])
        self.assertEqual(rpaths(world.package / LIBRARIES[1]), [TORCH, BREW])
        self.undo()
        self.assertEqual(content(world.site), before)

    def test_a_bare_directory(self):
        bare = self.world.root / "build"
        write_files(bare, {name: library(name) for name in LIBRARIES})
        before = {path: path.read_bytes() for path in bare.iterdir()}
        self.apply(bare, check=4) # without torch
        self.assertEqual(rpaths(bare / LIBRARIES[0]), [BREW])
        self.assertEqual(sorted(os.listdir(bare)), [".tcfix", *LIBRARIES])
        stamp = stamps(bare)
        self.apply(bare, check=4)
        self.assertEqual(stamps(bare), stamp)
        self.undo(bare)
        self.assertEqual({path: path.read_bytes() for path in bare.iterdir()}, before)

    def test_several_targets_are_independent(self):
        other = TinyWorld(self.folder / "other", environment="env")
        report = self.apply(self.world.env, self.folder / "absent", other.env, check=2)
        self.assertEqual([len(each["files"]) for each in report["targets"]], [3, 0, 3])
        self.assertEqual(rpaths(other.package / LIBRARIES[0])[0], TORCH)
        self.assertEqual([error["path"] for error in report["errors"]],
                         [str(self.folder / "absent")])

    def test_invalid_targets(self):
        wheel = self.folder / "torchcodec-0.9.1-py3-none-any.whl"
        wheel.write_bytes(b"PK")
        empty = self.folder / "empty"
        empty.mkdir()
        for target, hint in ((wheel, "tcfix wheel"), (empty, "pass an environment"),
                             (self.folder / "absent", "")):
            with self.subTest(target):
                result = tcfix("apply", target, check=2)
                self.assertIn(target.name, result.stderr)
                self.assertIn(hint, result.stderr)

    def test_text_output(self):
        """The number of libraries; each change and its reason; the verdict; the next step."""
        options = ["--sysroot", self.world.root, self.world.env]
        text = tcfix("apply", "--check", *options, check=1).stdout
        self.assertIn(": 3 libraries would change\n", text)
        self.assertIn("\ntorchcodec would load with FFmpeg 7 (Homebrew, ", text)
        self.assertEqual(tcfix("apply", *options).stdout.splitlines(), [
            f"{self.world.env}: 3 libraries changed",
            f"  3 x  + {TORCH}  torch 2.9.1",
            f"  3 x  + {BREW.ljust(len(TORCH))}  FFmpeg 7 from Homebrew",
            "  3 x  signed",
            f"torchcodec loads with FFmpeg 7 (Homebrew, {BREW})",
            'next: python -c "import torchcodec; print(torchcodec.ffmpeg_major_version)"'])
        self.assertEqual(tcfix("apply", "-q", *options).stdout, "")
        undo = ["undo", "--sysroot", self.world.root]
        self.assertEqual(tcfix(*undo, self.world.package / LIBRARIES[0]).stdout,
                         f"{self.world.package / LIBRARIES[0]}: 1 library restored\n")
        self.assertIn(f": {LIBRARIES[0]} changed, 2 unchanged\n", tcfix("apply", *options).stdout)
        self.assertEqual(tcfix(*undo, "-v", self.world.env).stdout.splitlines(), [
            *(f"restored    torchcodec/{name}" for name in LIBRARIES),
            f"{self.world.env}: 3 libraries restored"])
        self.assertEqual(tcfix(*undo, self.world.env).stdout, f"{self.world.env}: nothing to undo\n")
        text = tcfix("apply", "-v", *options).stdout
        for name in LIBRARIES:
            self.assertIn(f"changed     {self.world.package / name}\n", text)
        self.assertEqual(tcfix(*undo, self.world.env).stdout,
                         f"{self.world.env}: 3 libraries restored\n")

    def test_the_next_command_can_be_pasted(self):
        """It has every option that matters to doctor, and quotes where they are needed."""
        other = TinyWorld(self.folder / "it's here", environment="my env")
        shutil.rmtree(other.root / "opt/homebrew/lib")
        (other.site / "torch/lib/libc10.dylib").unlink()
        options = ["--sysroot", other.root, "--package", "torchcodec", "--arch", "arm64",
                   "--require", "7", other.env]
        result = tcfix("apply", "--ffmpeg", "none", *options, check=4)
        (command,) = [line.removeprefix("next: ") for line in result.stdout.splitlines()
                      if line.startswith("next: ")]
        self.assertEqual(result.stderr, "")  # the text has the verdict on --require
        words = shlex.split(command)
        self.assertEqual(words[:2], ["tcfix", "doctor"])
        self.assertEqual(sorted(words[2:]), sorted(map(str, options)))
        pasted = subprocess.run(["sh", "-c", command.replace("tcfix", harness.TCFIX, 1)],
                                capture_output=True, text=True)
        self.assertEqual((pasted.returncode, pasted.stderr), (1, ""))

    @not_on_windows("the terminal is none of Windows")
    def test_progress_is_for_terminals(self):
        other = TinyWorld(self.folder / "other", environment="env")
        command = self.command("apply", self.world.env, other.env)
        self.assertEqual(run(*command, check=0).stderr, "")
        said = {}
        for option in ("--color=never", "--quiet", "--json", "--color=auto"):
            main, terminal = os.openpty()
            term = "dumb" if option == "--color=auto" else "xterm"
            subprocess.run([*command, option], stderr=terminal, stdout=subprocess.DEVNULL,
                           env={**os.environ, "TERM": term})
            os.close(terminal)
            with open(main, "rb", buffering=0) as screen, contextlib.suppress(OSError):
                said[option] = b""
                while part := screen.read(1000):
                    said[option] += part
        self.assertIn(b"repairing 0/2", said["--color=never"])
        self.assertIn(b"repairing 2/2", said["--color=never"])
        self.assertTrue(said["--color=never"].endswith(b"\r\x1b[K"))
        self.assertEqual((said["--quiet"], said["--json"], said["--color=auto"]), (b"", b"", b""))

    def test_wrong_usage(self):
        for options in (["--rpath", ""], ["--ffmpeg", ""], ["--require", "x"], ["--jobs", "0"],
                        ["--jobs", "many"], ["--sign-with", "gpg"], ["--macos-version", "14.x"],
                        ["--macos-version", "Sonoma"], ["--bogus"]):
            with self.subTest(options):
                tcfix("apply", *options, self.world.env, check=2)
        tcfix("apply", "--sysroot", self.folder / "absent", self.world.env, check=2)

    def test_reports_which_required_major_does_not_load(self):
        self.assertEqual(self.apply("--require", "7", self.world.env)["warnings"], [])
        for _ in range(2):
            warning, = self.apply("--require", "7,8", self.world.env, check=4)["warnings"]
            self.assertIn("FFmpeg 8", warning["message"])

    def test_rebuilt_libraries_must_be_libraries(self):
        rebuilt = self.folder / "rebuilt"
        write_files(rebuilt, {LIBRARIES[0]: b"text"})
        before = content(self.world.site)
        report = self.apply("--replace-from", rebuilt, self.world.env, check=3)
        self.assertEqual(len(report["errors"]), 1)
        self.assertEqual((self.world.package / LIBRARIES[0]).read_bytes(),
                         before[f"torchcodec/{LIBRARIES[0]}"][1])
        tcfix("apply", "--replace-from", self.folder / "absent", self.world.env, check=2)


class Links(ApplyTest):
    def test_hard_links_to_a_cache(self):
        world, cache = self.world, self.folder / "cache"
        shutil.copytree(world.package, cache, copy_function=os.link)
        before = stamps(cache), {path: path.read_bytes() for path in cache.iterdir()}
        self.apply()
        inodes = {path: values[0] for path, values in before[0].items()}
        self.assertEqual({path: values[0] for path, values in stamps(cache).items()}, inodes)
        self.assertEqual({path: path.read_bytes() for path in cache.iterdir()}, before[1])
        self.undo()
        self.assertEqual({path: path.read_bytes() for path in cache.iterdir()}, before[1])

    def test_files_that_dyld_refuses_are_not_changed(self):
        bad = self.world.libraries()[0]
        damaged = bytearray(bad.read_bytes())
        damaged[20] += 8  # sizeofcmds
        bad.write_bytes(damaged)
        (target,) = self.apply(check=3)["targets"]
        status = {pathlib.Path(file["path"]).name: file["status"] for file in target["files"]}
        self.assertEqual(status.pop(bad.name), "failed")
        self.assertEqual(set(status.values()), {"changed"})
        self.assertEqual(bad.read_bytes(), damaged)

    @not_on_windows("tcfix does not recognize hard links there")
    def test_hard_links_inside_stay_linked(self):
        world = self.world
        first, second = world.package / LIBRARIES[0], world.package / "libtorchcodec_again7.dylib"
        tcfix("sign", first)
        os.link(first, second)
        for step in (self.apply, self.undo, self.apply):
            step()
            self.assertTrue(os.path.samefile(first, second))
        stamp = stamps(world.site)
        self.apply()
        self.assertEqual(stamps(world.site), stamp)

    @not_on_windows("links of the host are not links of Windows")
    def test_a_linked_library_becomes_a_file_and_undo_restores_the_link(self):
        """uv's symlink mode."""
        world, cache = self.world, self.world.root / "cache"
        cache.mkdir()
        for path in world.libraries():
            path.rename(cache / path.name)
            path.symlink_to(f"/cache/{path.name}")
        before, stamp = content(world.site), stamps(cache)
        self.apply()
        self.assertFalse(any(path.is_symlink() for path in world.libraries()))
        self.assertEqual(stamps(cache), stamp)
        self.assertEqual(record_problems(world.site), [])
        self.apply()
        self.undo()
        self.assertEqual(content(world.site), before)
        self.assertEqual(stamps(cache), stamp)

    @not_on_windows("links of the host are not links of Windows")
    def test_a_link_to_a_sibling_is_kept(self):
        alias = self.world.package / "libtorchcodec_alias7.dylib"
        alias.symlink_to(LIBRARIES[0])
        self.apply()
        self.assertEqual(os.readlink(alias), LIBRARIES[0])
        self.assertEqual(rpaths(alias), [TORCH, BREW])
        self.undo()
        self.assertEqual(rpaths(alias), [])

    @not_on_windows("links of the host are not links of Windows")
    def test_a_linked_package_is_refused(self):
        world, source = self.world, self.world.root / "source"
        world.package.rename(source)
        world.package.symlink_to("/source")
        stamp = stamps(source)
        report = self.apply(check=3)
        self.assertIn(str(source), report["errors"][0]["hint"])
        self.assertEqual(stamps(source), stamp)
        self.assertFalse(world.journal.exists())

    def test_shared_stores_are_refused(self):
        for place in ("cache/uv/archive-v0/abc", "nix/store/abc-env"):
            with self.subTest(place):
                world = TinyWorld(self.folder / place.split("/")[0], environment=place)
                stamp = stamps(world.site)
                options = ["--sysroot", world.root, world.env]
                self.assertIn("--force", tcfix("apply", *options, check=3).stderr)
                self.assertEqual(stamps(world.site), stamp)
                tcfix("apply", "--force", *options)

    @not_on_windows("links of the host are not links of Windows")
    def test_broken_links_and_links_to_the_outside(self):
        world = self.world
        (world.package / LIBRARIES[1]).unlink()
        (world.package / LIBRARIES[1]).symlink_to("nowhere")
        loop = world.package / "libtorchcodec_loop7.dylib"
        loop.symlink_to(loop.name)
        report = self.apply(check=3)
        failed = sorted(pathlib.Path(error["path"]).name for error in report["errors"])
        self.assertEqual(failed, sorted([LIBRARIES[1], loop.name]))
        self.assertEqual(rpaths(world.package / LIBRARIES[0]), [TORCH, BREW])
        self.assertEqual(os.readlink(world.package / LIBRARIES[1]), "nowhere")


class Conda(ApplyTest):
    """conda's own list of a package's files is updated like RECORD."""

    def setUp(self):
        super().setUp()
        self.world = TinyWorld(self.folder / "conda", environment="opt/conda/envs/video")
        (self.world.env / "pyvenv.cfg").unlink()
        self.meta = self.world.env / "conda-meta" / "torchcodec-0.9.1-py312_0.json"
        files = {path: path.read_bytes() for part in ("torchcodec", INFO)
                 for path in (self.world.site / part).iterdir()}
        names = {str(path.relative_to(self.world.env)): data for path, data in files.items()}
        self.meta.parent.mkdir()
        self.meta.write_text(json.dumps({
            "name": "torchcodec", "files": sorted(names), "paths_data": {"paths": [
                {"_path": name, "path_type": "hardlink", "sha256": hashlib.sha256(data).hexdigest(),
                 "sha256_in_prefix": hashlib.sha256(data).hexdigest(), "size_in_bytes": len(data)}
                for name, data in names.items()], "paths_version": 1}, "requested_spec": "None",
        }, indent=2) + "\n")
        self.original = self.meta.read_bytes()

    def altered(self):
        """The files that conda itself would report as altered or missing."""
        listed = json.loads(self.meta.read_text())["paths_data"]["paths"]
        return [entry["_path"] for entry in listed if "sha256_in_prefix" in entry and
                (harness.sha256(self.world.env / entry["_path"]), os.stat(
                    self.world.env / entry["_path"]).st_size) !=
                (entry["sha256_in_prefix"], entry["size_in_bytes"])]

    def test_the_list_is_updated_and_restored(self):
        time = self.meta.stat().st_mtime_ns
        self.assertEqual(self.altered(), [])
        self.apply()
        self.assertEqual(self.altered(), [])
        now = json.loads(self.meta.read_text())
        journal = str(self.world.journal.relative_to(self.world.env))
        self.assertIn(journal, now["files"])
        self.assertIn(journal, [entry["_path"] for entry in now["paths_data"]["paths"]])
        before = json.loads(self.original)["paths_data"]["paths"]
        self.assertEqual([entry["sha256"] for entry in before],
                         [entry["sha256"] for entry in now["paths_data"]["paths"][:len(before)]])
        stamp = stamps(self.world.env)
        self.apply()
        self.assertEqual(stamps(self.world.env), stamp)
        self.apply("--ffmpeg", "none", self.world.env, check=4)
        self.assertEqual(self.altered(), [])
        self.undo()
        self.assertEqual(self.meta.read_bytes(), self.original)
        self.assertEqual(self.meta.stat().st_mtime_ns // NTFS_TICK, time // NTFS_TICK)

    def test_an_invalid_list_is_not_changed(self):
        self.meta.write_text('{"files": 3')
        report = self.apply()
        self.assertEqual([each["path"] for each in report["warnings"]], [str(self.meta)])
        self.undo()
        self.assertEqual(self.meta.read_text(), '{"files": 3')


class BadInput(ApplyTest):
    def test_a_text_file_among_the_libraries(self):
        bad = self.world.package / LIBRARIES[0]
        bad.write_text("#!/bin/sh\n")
        for _ in range(2):
            report = self.apply(check=3)
            self.assertEqual([error["path"] for error in report["errors"]], [str(bad)])
            statuses = [file["status"] for file in report["targets"][0]["files"]]
            self.assertEqual(statuses.count("failed"), 1)
            self.assertEqual(bad.read_text(), "#!/bin/sh\n")
            self.assertEqual(rpaths(self.world.package / LIBRARIES[2]), [TORCH, BREW])

    def test_half_of_the_package_is_missing(self):
        world = self.world
        (world.package / LIBRARIES[0]).unlink()
        report = self.apply(check=4)
        self.assertEqual(report["targets"][0]["loads"]["after"], False)
        self.assertTrue(any(LIBRARIES[0] in str(each) for each in report["warnings"]))
        shutil.rmtree(world.package)
        self.assertIn(tcfix("apply", "--sysroot", world.root, world.env, check=None).returncode,
                      (2, 4))

    def test_no_record(self):
        (self.world.info / "RECORD").unlink()
        report = self.apply()
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]), [TORCH, BREW])
        self.assertIn("RECORD", report["warnings"][0]["path"])
        self.apply()
        self.undo()
        self.assertFalse(self.world.journal.exists())

    def test_a_malformed_record_is_not_changed(self):
        record = self.world.info / "RECORD"
        record.write_bytes(b'"torchcodec/x,sha256=abc,1\n' + record.read_bytes())
        before = content(self.world.site)
        report = self.apply()
        self.assertTrue(any(each["path"] == str(record) for each in report["warnings"]))
        self.assertEqual(record.read_bytes(), before[f"{INFO}/RECORD"][1])
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]), [TORCH, BREW])
        self.undo()
        self.assertEqual(content(self.world.site), before)

    def test_a_corrupt_journal(self):
        self.apply()
        self.world.journal.write_text("{")
        before = content(self.world.site)
        for command in ("apply", "undo"):
            result = run(*self.command(command, self.world.env), check=3)
            self.assertIn("tcfix-journal.json", result.stderr)
        self.assertEqual(content(self.world.site), before)

    def test_two_versions(self):
        world = self.world
        old = package_files(["libtorchcodec_old7.dylib"], "torchcodec-0.1.0.dist-info")
        write_files(world.site, {path: data for path, data in old.items() if "dist-info" in path})
        report = self.apply()
        self.assertIn("several versions", report["warnings"][0]["message"])
        self.assertTrue(world.journal.exists())
        self.assertEqual(rpaths(world.package / LIBRARIES[0]), [TORCH, BREW])

    def test_a_quoted_record(self):
        record = self.world.info / "RECORD"
        text = record.read_bytes().replace(b"\n", b"\r\n")
        text = text.replace(b"torchcodec/__init__.py", b'"torchcodec/__init__.py"')
        record.write_bytes(text)
        self.apply()
        now = record.read_bytes()
        self.assertEqual(record_problems(self.world.site), [])
        old, new = text.split(b"\r\n"), now.split(b"\r\n")
        self.assertEqual(len(new), len(old) + 1)
        self.assertEqual([line.split(b",")[0] for line in old[:-1]],
                         [line.split(b",")[0] for line in new[:-2]])
        self.undo()
        self.assertEqual(record.read_bytes(), text)

    def test_too_little_header_padding(self):
        full = self.world.package / LIBRARIES[0]
        full.write_bytes(tiny_macho.dylib(padding=8, identity=f"@rpath/{full.name}", dependencies=[
            "@rpath/libc10.dylib", *(f"@rpath/{each}" for each in FFMPEG)]))
        before = full.read_bytes()
        report = self.apply(check=3)
        self.assertIn("bytes needed", report["errors"][0]["message"])
        self.assertEqual(full.read_bytes(), before)
        self.assertEqual(rpaths(self.world.package / LIBRARIES[1]), [TORCH, BREW])


class Failures(ApplyTest):
    """Failures of the machine and interference."""

    @not_on_windows("it has other locks and signals")
    def test_another_tcfix_is_running(self):
        folder = os.open(self.world.package, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        before = stamps(self.world.site)
        for command in ("apply", "undo"):
            if command == "undo":
                fcntl.flock(folder, fcntl.LOCK_UN)
                self.apply()
                fcntl.flock(folder, fcntl.LOCK_EX)
                before = stamps(self.world.site)
            process = subprocess.Popen(self.command(command, self.world.env), text=True,
                                       stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            self.assertIn("waiting", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            process.communicate()
            self.assertEqual(process.returncode, 130)
            self.assertEqual(stamps(self.world.site), before)
        process = subprocess.Popen(self.command("apply", self.world.env), text=True,
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stderr.readline()
        fcntl.flock(folder, fcntl.LOCK_UN)
        process.communicate()
        self.assertEqual(process.returncode, 0)

    def test_many_at_once(self):
        processes = [subprocess.Popen(self.command("apply", self.world.env), text=True,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                     for _ in range(6)]
        for process in processes:
            _, said = process.communicate()
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(record_problems(self.world.site), [])
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]), [TORCH, BREW])

    @contextlib.contextmanager
    def frozen(self, folder):
        """No file can be created in the directory; for root this takes the immutable flag."""
        lock, unlock = ((("chmod", "555"), ("chmod", "755")) if os.geteuid() != 0 else
                        (("chattr", "+i"), ("chattr", "-i")))
        if not shutil.which(lock[0]) or run(*lock, folder).returncode != 0:
            self.skipTest("cannot make a directory read-only here")
        try:
            yield
        finally:
            run(*unlock, folder, check=0)

    def test_a_directory_without_write_permission(self):
        before = content(self.world.site)
        for folder in (self.world.package, self.world.info):
            with self.subTest(folder.name), self.frozen(folder):
                report = self.apply(check=3)
                self.assertTrue(report["errors"])
                self.assertEqual(content(self.world.site), before)

    def test_a_full_disk(self):
        if sys.platform != "linux" or os.geteuid() != 0:
            self.skipTest("needs root on Linux, to mount a small disk")
        disk = self.folder / "disk"
        disk.mkdir()
        if run("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk).returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(run, "umount", disk)
        self.world = TinyWorld(disk)
        before = content(self.world.site)
        for free_kb in (0, 8, 20, 40):
            with self.subTest(free_kb):
                (disk / "filler").write_bytes(b"")
                room = os.statvfs(disk)
                room = room.f_bavail * room.f_frsize
                (disk / "filler").write_bytes(b"x" * max(0, room - free_kb * 1024))
                report = self.apply(check=3)
                self.assertIn("the disk is full", report["errors"][0]["message"])
                self.assertEqual(content(self.world.site), before)
        (disk / "filler").unlink()
        self.apply()

    def stopped(self, number, with_signal, *command):
        """Runs a command that gets a signal at its Nth change of a name; returns its exit code."""
        return self.injected(CALLS, f"signal={signal.Signals(with_signal).name}", number, *command)

    def injected(self, calls, what, number, *command):
        """Runs a command with an event at the Nth of these calls."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        result = subprocess.run(
            ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={calls}",
             "-e", f"inject={calls}:{what}:when={number}", *map(str, command)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if "strace:" in result.stderr:
            self.skipTest("strace cannot work here: " + result.stderr)
        return result.returncode

    def states(self):
        """Every library's bytes; fails if one is neither old nor new."""
        return {path.name: path.read_bytes() for path in self.world.libraries()}

    @not_on_windows("strace would trace Wine")
    def test_killed_at_any_point(self):
        world = self.world
        original, old = content(world.site), self.states()
        self.apply()
        applied, new = content(world.site), self.states()
        del applied[f"{INFO}/tcfix-journal.json"] # contains inodes
        self.apply("--rpath", "/elsewhere", world.env)
        other = self.states()
        self.undo()
        runs = [("apply", old, new), ("undo", new, old), ("apply", other, new)]
        for command, start, end in runs:
            for number in range(1, 40):
                with self.subTest(f"{command} {number}"):
                    self.undo()
                    if start is new:
                        self.apply()
                    elif start is other:
                        self.apply("--rpath", "/elsewhere", world.env)
                    code = self.stopped(number, signal.SIGKILL, *self.command(command, world.env))
                    for name, data in self.states().items():
                        self.assertIn(data, (start[name], end[name]))
                    if number % 2:
                        self.apply()
                        now = content(world.site)
                        del now[f"{INFO}/tcfix-journal.json"]
                        self.assertEqual(now, applied)
                    self.undo()
                    self.assertEqual(content(world.site), original)
                    if code == 0:
                        break
            self.assertEqual(code, 0)
            self.assertGreater(number, 4)

    @not_on_windows("strace would trace Wine")
    def test_a_disk_that_fails_at_any_sync_or_rename(self):
        """The exit code matches the disk: 3 and nothing changed, or 0 and everything changed."""
        world = self.world
        journal, library = self.folder / "journal.json", self.folder / "lib.dylib"
        library.write_bytes(world.libraries()[0].read_bytes())
        self.apply("--rpath", "/elsewhere", world.env)
        tcfix("edit", "--add-rpath", "/a", "--journal", journal, library)
        edit = [harness.TCFIX, "edit", "--add-rpath", "/b", "--journal", journal, library]
        undo = [harness.TCFIX, "undo", "--journal", journal]
        for command in (self.command("apply", world.env), self.command("undo", world.env), edit, undo):
            for calls in ("fsync", "/^rename"):
                # strace counts the calls of each thread separately.
                for number in range(1, 12):
                    with self.subTest(f"{command[1]} {calls} {number}"):
                        site, file = content(world.site), library.read_bytes()
                        code = self.injected(calls, "error=EIO", number, *command)
                        if code == 0:
                            break
                        self.assertEqual(code, 3)
                        self.assertEqual(content(world.site), site)
                        self.assertEqual(library.read_bytes(), file)
                self.assertEqual(code, 0)
                if command is undo:
                    tcfix("edit", "--add-rpath", "/a", "--journal", journal, library)
                elif command[1] != "edit":
                    self.apply("--rpath", "/elsewhere", world.env)
                else:
                    tcfix("edit", "--remove-rpath", "/b", library)

    @not_on_windows("strace would trace Wine")
    def test_interrupted_at_any_point(self):
        world = self.world
        before = content(world.site)
        for number in range(1, 40):
            with self.subTest(number):
                code = self.stopped(number, signal.SIGINT, *self.command("apply", world.env))
                if code == 0:
                    break
                self.assertEqual(code, 130)
                self.assertEqual(content(world.site), before)
        self.assertGreater(number, 3)
        self.assertEqual(rpaths(world.package / LIBRARIES[0]), [TORCH, BREW])


if __name__ == "__main__":
    unittest.main()
