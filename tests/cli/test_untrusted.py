"""Environments that another user controls: forged journals, links to the outside, files of root, swapped files."""
import contextlib
import hashlib
import json
import os
import pathlib
import resource
import shutil
import stat
import struct
import subprocess
import sys
import time
import unittest

import harness
import tiny_macho
from harness import not_on_windows, run, tcfix
from package_checks import content, record_problems, stamp, stamps
from test_apply import ApplyTest
from tiny_world import INFO, LIBRARIES, library, write_files

NOBODY = 65534


# Swaps each of the first half with a link to its partner, and back, as fast as possible.
SWAPPER = """
import itertools, os, sys
half = len(sys.argv) // 2
pairs = list(zip(sys.argv[1:half + 1], sys.argv[half + 1:]))
for number in itertools.count():
    for ours, theirs in pairs:
        try:
            if number % 2:
                os.unlink(ours)
                os.rename(ours + '.aside', ours)
            else:
                os.rename(ours, ours + '.aside')
                os.symlink(os.path.relpath(theirs, os.path.dirname(ours)), ours)
        except OSError:
            pass
"""


# Makes a link lead to one target and to the other, as fast as possible.
SWITCHER = """
import itertools, os, sys
link, *targets = sys.argv[1:]
for number in itertools.count():
    os.symlink(targets[number % 2], link + ".new")
    os.replace(link + ".new", link)
"""


def digest(data):
    return hashlib.sha256(data).hexdigest()


def forged(path, now, then, **more):
    """A journal entry that turns these bytes into those."""
    return {"path": path, "sha256_before": digest(then), "sha256_after": digest(now), "modified_ns": "0",
            "changed_size": str(len(now)), "original_size": str(len(then)), "moves": [],
            "patches": [{"offset": "0", "bytes": then.hex()}], **more}


def link(path, target):
    """Relative: an absolute one leads into the sysroot."""
    path.symlink_to(os.path.relpath(target, path.parent))

# A program with sanitizers reserves more address space than the limit, and limits itself. Wine reserves more, too.
IS_SANITIZED = b"__asan_init" in pathlib.Path(harness.TCFIX).read_bytes()
LIMITED = [] if IS_SANITIZED or harness.IS_WINDOWS else ["prlimit", f"--as={2 << 30}"]


class Untrusted(ApplyTest):
    def write_journal(self, *entries, place=None):
        place = place or self.world.journal
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps({"journal": 1, "entries": entries}))

    def refused(self, *command, says="", code=3):
        result = run(*command, check=code)
        self.assertIn(says, result.stderr)
        return result

    def outside(self, name="outside", text=b"theirs"):
        """A directory outside the environment, with a file."""
        folder = self.world.root / name
        folder.mkdir()
        (folder / "profile").write_bytes(text)
        return folder

    @contextlib.contextmanager
    def untouched(self, *folders):
        before = [(content(folder), stamps(folder)) for folder in folders]
        yield
        self.assertEqual([(content(folder), stamps(folder)) for folder in folders], before)


class Journals(Untrusted):
    def test_a_forged_journal_cannot_follow_a_link(self):
        outside = self.outside()
        link(self.world.site / "aside", outside)
        (outside / LIBRARIES[0]).write_bytes(b"theirs")
        for name in ("aside/profile", f"aside/{LIBRARIES[0]}"):
            for listed in (False, True):
                with self.subTest(name=name, listed=listed):
                    if listed:
                        with open(self.world.info / "RECORD", "a") as record:
                            record.write(f"{name},,\n")
                    self.write_journal(forged(name, b"theirs", b"ours"))
                    with self.untouched(outside, self.world.package):
                        self.refused(*self.command("undo", self.world.env), says="error:")
                    self.assertTrue(self.world.journal.exists())

    @not_on_windows("links of the host are not links of Windows")
    def test_a_directory_replaced_by_a_link_is_not_followed(self):
        self.apply()
        outside = self.world.root / "outside"
        self.world.package.rename(outside)
        link(self.world.package, outside)
        with self.untouched(outside):
            self.refused(*self.command("undo", self.world.env), says="is outside the environment")

    def test_a_journal_may_name_only_libraries(self):
        script = self.world.package / "__init__.py"
        script.write_bytes(b"import os\n")
        others = {"torchcodec/__init__.py": b"import os\n", "torch/lib/libc10.dylib": None,
                  f"{INFO}/METADATA": None, "torchcodec/.dylibs/libx.dylib": b"grafted",
                  "torchcodec/../torchcodec/__init__.py": b"import os\n"}
        for name, data in others.items():
            with self.subTest(name):
                write_files(self.world.site, {name: data} if data else {})
                self.write_journal(forged(name, (self.world.site / name).read_bytes(), b"forged"))
                with self.untouched(self.world.site):
                    for command in ("apply", "undo"):
                        self.refused(*self.command(command, self.world.env),
                                     says="is not a library of the package")

    def test_a_name_with_nul(self):
        """For the system, the path ends before it: the name of a program, which is not a library of the package."""
        program = self.world.package / "bin" / "tool"
        write_files(self.world.package, {"bin/tool": library("tool")})
        now = program.read_bytes()
        self.write_journal(forged("torchcodec/bin/tool\0.so", now, now[:-1] + b"x"))
        with self.untouched(self.world.package):
            for command in ("apply", "undo"):
                self.refused(*self.command(command, self.world.env), says="is not a library of the package")

    def test_invalid_sizes(self):
        name, path = f"torchcodec/{LIBRARIES[0]}", self.world.package / LIBRARIES[0]
        now = path.read_bytes()
        size = str(len(now))
        huge = str(1 << 62)
        journals = {
            "original": forged(name, now, b"x", original_size=huge),
            "both": forged(name, now, b"x", original_size=huge, changed_size=huge),
            "moves": forged(name, now, b"x", original_size=str(len(now) * 1000), moves=[
                {"from": "0", "to": str(len(now) * i), "length": size} for i in range(1000)]),
            "overlapping": forged(name, now, b"x", original_size=str(len(now) * 1000), patches=[], moves=[
                {"from": "0", "to": "0", "length": size}] * 1000),
            "list": forged(f"{INFO}/RECORD", (self.world.info / "RECORD").read_bytes(), b"x",
                           original_size=huge, changed_size=huge),
        }
        for what, entry in journals.items():
            with self.subTest(what):
                self.write_journal(entry)
                with self.untouched(self.world.site):
                    for command in ("apply", "undo"):
                        self.refused(*LIMITED, *self.command(command, self.world.env), says="error:")

    def test_sizes_that_double_with_every_entry(self):
        name, path = f"torchcodec/{LIBRARIES[0]}", self.world.package / LIBRARIES[0]
        now, entries, size = path.read_bytes(), [], len(path.read_bytes())
        for i in range(24):
            entries.insert(0, forged(name, now, b"", sha256_after=digest(now) if i == 0 else digest(b"%d" % i),
                                     sha256_before=digest(b"%d" % (i + 1)), changed_size=str(size),
                                     original_size=str(2 * size), patches=[],
                                     moves=[{"from": "0", "to": str(size), "length": str(size)}]))
            size *= 2
        self.write_journal(*entries)
        with self.untouched(self.world.package):
            self.refused(*LIMITED, *self.command("undo", self.world.env), says="error:")

    def test_too_many_values(self):
        """A parsed value may take a thousand times the memory of its text."""
        for value, count in (("1", 17 << 20), ("{}", 1 << 20), ('{"a":{}}', 1 << 20)):
            with self.subTest(value):
                self.world.journal.write_text('{"journal":1,"entries":[' + f"{value}," * count + f"{value}]}}")
                for command in ("apply", "undo"):
                    self.refused(*LIMITED, *self.command(command, self.world.env), says="too many entries")

    def test_a_long_history(self):
        """Edits that alternate between two states."""
        name, now = f"torchcodec/{LIBRARIES[0]}", (self.world.package / LIBRARIES[0]).read_bytes()
        other = now[:-1] + b"x"
        self.write_journal(*[{**forged(name, *pair), "patches": [
            {"offset": str(len(now) - 1), "bytes": pair[1][-1:].hex()}]}
            for _ in range(20000) for pair in ((now, other), (other, now))])
        self.undo()
        self.assertEqual((self.world.package / LIBRARIES[0]).read_bytes(), other)

    @not_on_windows("there are no such signals")
    def test_a_long_history_is_interrupted(self):
        name, path = f"torchcodec/{LIBRARIES[0]}", self.world.package / LIBRARIES[0]
        now = path.read_bytes() + bytes(8 << 20)
        other = now[:-1] + b"x"
        path.write_bytes(now)
        digests = digest(now), digest(other)
        self.write_journal(*[
            {"path": name, "sha256_before": digests[not i % 2], "sha256_after": digests[i % 2], "modified_ns": "0",
             "changed_size": str(len(now)), "original_size": str(len(now)), "moves": [],
             "patches": [{"offset": str(len(now) - 1), "bytes": "00" if i % 2 else "78"}]}
            for i in range(1801)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with self.untouched(self.world.package):
            program = subprocess.Popen(list(map(str, self.command("undo", self.world.env))),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)
            program.terminate()
            _, text = program.communicate()
            self.assertEqual(program.returncode, 130, text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)

    def test_many_entries(self):
        """Of files that do not exist: the journal keeps them."""
        self.write_journal(*[forged(f"torchcodec/{number}.so", b"a", b"b") for number in range(100_000)])
        run("prlimit", f"--cpu={60 if IS_SANITIZED else 20}", *self.command("apply", self.world.env), check=0)
        self.undo()
        self.assertFalse(self.world.journal.exists())


class Lists(Untrusted):
    def test_undo_keeps_the_journal_if_record_cannot_be_updated(self):
        self.apply()
        record = self.world.info / "RECORD"
        text = record.read_bytes()
        for damage in ("unreadable", "malformed"):
            with self.subTest(damage):
                record.unlink(missing_ok=True)
                record.mkdir() if damage == "unreadable" else record.write_bytes(b'a,"b\n')
                before = content(self.world.package), self.world.journal.read_bytes()
                self.refused(*self.command("undo", self.world.env), says="RECORD")
                self.assertEqual((content(self.world.package), self.world.journal.read_bytes()), before)
                record.rmdir() if damage == "unreadable" else record.unlink()
        record.write_bytes(text)
        self.undo()
        self.assertEqual(record_problems(self.world.site), [])
        self.assertFalse(self.world.journal.exists())

    @not_on_windows("links of the host are not links of Windows")
    def test_links_are_restored(self):
        """uv's symlink mode, including RECORD."""
        cache = self.world.root / "cache"
        cache.mkdir()
        links = [self.world.package / LIBRARIES[0], self.world.info / "RECORD"]
        for path in links:
            shutil.move(path, cache / path.name)
        link(links[0], cache / LIBRARIES[0])
        links[1].symlink_to("/cache/RECORD")  # of the target, so below the sysroot
        says, before = [os.readlink(path) for path in links], stamps(cache)
        self.apply("--rpath", "/elsewhere", self.world.env)
        self.apply()
        self.assertFalse(any(path.is_symlink() for path in links))
        self.assertEqual(record_problems(self.world.site), [])
        self.undo()
        self.assertEqual([os.readlink(path) for path in links], says)
        self.assertEqual(stamps(cache), before)

    @not_on_windows("links of the host are not links of Windows")
    def test_a_linked_dist_info_or_journal_directory_is_refused(self):
        outside = self.world.root / "outside"
        self.world.info.rename(outside)
        link(self.world.info, outside)
        with self.untouched(outside, self.world.package):
            self.refused(*self.command("apply", self.world.env), says="is outside the environment")
        bare, elsewhere = self.world.root / "bare", self.outside("elsewhere")
        write_files(bare, {LIBRARIES[0]: library(LIBRARIES[0])})
        link(bare / ".tcfix", elsewhere)
        with self.untouched(elsewhere, bare):
            self.refused(*self.command("apply", bare), says="is outside the environment")


@not_on_windows("files have no modes there")
class Unreadable(Untrusted):
    def as_a_user(self, name, *options):
        """Not as root, who can read everything."""
        user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        try:
            return subprocess.run(list(map(str, self.command(name, *options, self.world.env))),
                                  capture_output=True, text=True, **user)
        except PermissionError:
            self.skipTest("another user cannot run the program here")

    def give(self):
        """The environment to the user."""
        os.chmod(self.folder, 0o755)
        for path in [self.world.env, *self.world.env.rglob("*")]:
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)

    def test_a_directory_that_cannot_be_searched(self):
        """Its entries may be listed, but not looked up."""
        self.give()
        for folder in (self.world.site.parent.parent, self.world.site.parent, self.world.site, self.world.info):
            os.chmod(folder, 0o600)
            self.addCleanup(os.chmod, folder, 0o755)
            for command in (["apply", "-n"], ["doctor"], ["list"], ["undo"]):
                with self.subTest(folder=folder.name, command=command):
                    result = self.as_a_user(*command)
                    self.assertEqual(result.returncode, 3, result.stdout)
                    self.assertIn("permission denied", result.stderr)
            os.chmod(folder, 0o755)

    def test_undo_reports_a_journal_that_it_cannot_reach(self):
        self.apply()
        self.give()
        for folder, mode in ((self.world.info, 0), (self.world.info, 0o600), (self.world.site, 0o311)):
            with self.subTest(folder=folder.name, mode=oct(mode)):
                os.chmod(folder, mode)
                self.addCleanup(os.chmod, folder, 0o755)
                result = self.as_a_user("undo")
                self.assertEqual(result.returncode, 3, result.stdout)
                self.assertRegex(result.stderr.lower(), "permission denied")
                os.chmod(folder, 0o755)
        self.assertEqual(self.as_a_user("undo").returncode, 0)
        self.assertFalse(self.world.journal.exists())


class BeingInstalled(Untrusted):
    def test_without_a_dist_info(self):
        aside = self.world.root / "aside"
        self.world.info.rename(aside)
        with self.untouched(self.world.site):
            self.refused(*self.command("apply", self.world.env), says="the package is being installed")
            self.assertEqual(self.apply("--check", self.world.env, check=1)["errors"], [])

    def test_a_journal_in_the_wrong_place_is_merged(self):
        before = content(self.world.site)
        aside = self.world.root / "aside"
        for target in (self.world.package, self.world.package / LIBRARIES[0]):
            for command in ("apply", "undo"):
                with self.subTest(target=target.name, command=command):
                    self.world.info.rename(aside)
                    self.apply(target, check=None)
                    self.assertTrue((self.world.package / ".tcfix/journal.json").exists())
                    aside.rename(self.world.info)
                    if command == "apply":
                        self.apply()
                        self.assertEqual(record_problems(self.world.site), [])
                        self.assertFalse((self.world.package / ".tcfix").exists())
                        before_second = stamps(self.world.site)
                        self.apply()
                        self.assertEqual(stamps(self.world.site), before_second)
                    self.undo()
                    self.assertEqual(content(self.world.site), before)

    def test_undo_removes_an_empty_journal_directory(self):
        bare = self.world.root / "bare"
        write_files(bare, {LIBRARIES[0]: library(LIBRARIES[0])})
        (bare / ".tcfix").mkdir()
        (bare / ".tcfix" / ".tcfix-0123abcd.tmp").write_bytes(b"half")
        self.undo(bare)
        self.assertEqual(os.listdir(bare), [LIBRARIES[0]])


# Reinstalls a package in a loop, in pip's order: .dist-info is removed first and written last.
INSTALLER = """
import os, shutil, sys
original, site = sys.argv[1:]
while True:
    for name in sorted(os.listdir(original), reverse=True):
        shutil.rmtree(os.path.join(site, name), ignore_errors=True)
    for name in sorted(os.listdir(original), reverse=True):
        shutil.copytree(os.path.join(original, name), os.path.join(site, name), dirs_exist_ok=True)
"""


def access_list(permissions):
    """In the kernel's format: owner, another user, group, mask, others."""
    tags = [(1, 6, -1), (2, permissions, NOBODY), (4, 4, -1), (16, 7, -1), (32, 0, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *tag) for tag in tags)


@not_on_windows("files have no modes there")
class AccessLists(Untrusted):
    def set_list(self, path, name, value):
        try:
            os.setxattr(path, name, value)
        except OSError as error:
            self.skipTest(f"access lists cannot be set here: {error}")

    def test_a_new_file_has_the_permissions_of_the_old_one(self):
        name = "system.posix_acl_access"
        self.set_list(self.world.package, "system.posix_acl_default", access_list(6))
        listed, plain = (self.world.package / each for each in LIBRARIES[:2])
        self.set_list(listed, name, access_list(4))
        before = os.getxattr(listed, name), stat.S_IMODE(os.lstat(plain).st_mode)
        for run_command in (self.apply, self.undo):
            run_command()
            self.assertEqual((os.getxattr(listed, name), stat.S_IMODE(os.lstat(plain).st_mode)), before)
            self.assertNotIn(name, os.listxattr(plain))


class Concurrency(Untrusted):
    def leftovers(self):
        return [str(path) for path in self.world.root.rglob(".tcfix*")]

    def test_sixteen_processes(self):
        before = content(self.world.site)
        for _ in range(2):
            programs = [subprocess.Popen(list(map(str, self.command(command, self.world.env))),
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                        for command in ("apply", "undo", "apply", "doctor") * 4]
            for program in programs:
                _, text = program.communicate()
                self.assertIn(program.returncode, (0, 1), text)
            self.assertEqual((record_problems(self.world.site), self.leftovers()), ([], []))
        self.undo()
        self.assertEqual(content(self.world.site), before)

    def test_against_an_installer(self):
        original = self.world.root / "original"
        for folder in (self.world.package, self.world.info):
            shutil.copytree(folder, original / folder.name)
        installer = subprocess.Popen([sys.executable, "-c", INSTALLER, str(original), str(self.world.site)])
        self.addCleanup(installer.wait)
        self.addCleanup(installer.kill)
        for _ in range(15):
            for command in ("apply", "undo"):
                result = run(*self.command(command, self.world.env))
                self.assertIn(result.returncode, (0, 2, 3, 4), result.stderr)
        installer.kill()
        installer.wait()
        for folder in (self.world.package, self.world.info):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(original / folder.name, folder)
        self.apply()
        self.assertEqual((record_problems(self.world.site), self.leftovers()), ([], []))
        self.undo()
        self.assertEqual(content(self.world.site), content(original))


class Hooks(Untrusted):
    @not_on_windows("links of the host are not links of Windows")
    def test_nothing_is_written_or_deleted_through_links(self):
        info = "tcfix_hook-0.0.dist-info"
        for name in ("tcfix_hook", info):
            for verb in ("install", "remove"):
                with self.subTest(name=name, verb=verb):
                    outside = self.outside()
                    (outside / "finder.py").write_text("theirs")
                    (outside / "RECORD").write_text("tcfix_hook/finder.py,,\n")
                    (outside / "__pycache__").mkdir()
                    (outside / "__pycache__" / "finder.cpython-312.pyc").write_bytes(b"theirs")
                    link(self.world.site / name, outside)
                    with self.untouched(outside):
                        self.refused(harness.TCFIX, "hook", verb, self.world.env, says="is a link")
                    (self.world.site / name).unlink()
                    shutil.rmtree(outside)

    @not_on_windows("links of the host are not links of Windows")
    def test_a_linked_cache_is_not_emptied(self):
        tcfix("hook", "install", self.world.env)
        outside = self.outside()
        (outside / "deep").mkdir()
        (outside / "deep" / "file").write_bytes(b"theirs")
        link(self.world.site / "tcfix_hook" / "__pycache__", outside)
        with self.untouched(outside):
            tcfix("hook", "remove", self.world.env)
        self.assertEqual(list(self.world.site.glob("tcfix_hook*")), [])

    @not_on_windows("there are no such pipes")
    def test_a_pipe_does_not_block(self):
        tcfix("hook", "install", self.world.env)
        for name in ("tcfix_hook/settings.json", "tcfix_hook/finder.py", "tcfix_hook.pth"):
            with self.subTest(name):
                path = self.world.site / name
                text = path.read_bytes()
                path.unlink()
                os.mkfifo(path)
                self.refused(harness.TCFIX, "hook", "install", self.world.env, says="is not a regular file")
                self.assertTrue(stat.S_ISFIFO(os.lstat(path).st_mode))
                path.unlink()
                path.write_bytes(text)

    @not_on_windows("links of the host are not links of Windows")
    def test_a_site_outside_the_environment(self):
        outside = self.world.root / "outside"
        self.world.site.rename(outside)
        link(self.world.site, outside)
        with self.untouched(outside):
            self.refused(harness.TCFIX, "hook", "install", self.world.env, says="is outside the environment")
            self.refused(*self.command("apply", self.world.env), says="is outside the environment")


class Names(Untrusted):
    CONTROLS = ["\x9b31m", "\u202e", "\u2066", "\x1b[2J", "\u200f", "\u2028", "\x85", "\u200b", "\u180e",
                "\U000e0041"]

    def checked(self, *command, is_json=False):
        """The output of a command, which must not contain control characters."""
        result = subprocess.run([str(word) for word in command], capture_output=True)
        text = (result.stdout + result.stderr).decode()  # strictly
        self.assertEqual([each for each in self.CONTROLS if each in text], [])
        if not is_json:  # which has no other way to write a byte that is not UTF-8
            self.assertNotIn("\ufffd", text)
        return text

    @not_on_windows("names cannot have such characters")
    def test_control_characters_are_escaped_everywhere(self):
        evil = "".join(self.CONTROLS) + "\udcff"
        self.world.env = self.world.env.rename(self.world.env.parent / f"env{evil}")
        site = next(self.world.env.rglob("site-packages"))
        package = site / "torchcodec"
        (package / f"libtorchcodec_{evil}.dylib").write_bytes(tiny_macho.dylib(
            identity="@rpath/x", padding=2000, dependencies=[f"@rpath/lib{evil[:-1]}.dylib"]))
        odd = package / f"libtorchcodec_{evil}.dylib"
        environment = [*self.command("apply")[2:], self.world.env]
        for command in (["list"], ["doctor"], ["doctor", "--dot"], ["doctor", "-v"], ["apply", "-n"],
                        ["apply", "-v"], ["undo", "-v"]):
            with self.subTest(command):
                text = self.checked(harness.TCFIX, *command, *environment)
                self.assertTrue("\\xc29b31m" in text or command[0] == "doctor", text)
        for command in (["list"], ["doctor"], ["apply", "-n"], ["undo"]):
            with self.subTest(command, form="json"):
                text = self.checked(harness.TCFIX, *command, "--json", *environment, is_json=True)
                self.assertIn("\\u009b31m", text)
                self.assertIn("\x9b31m", json.dumps(json.loads(text), ensure_ascii=False))
        for command in (["inspect"], ["inspect", "--tree"], ["inspect", "--symbols"], ["verify"], ["sign"],
                        ["edit", "-n", "--add-rpath", f"/{evil}"], ["edit", "--add-rpath", f"/{evil}"]):
            with self.subTest(command):
                self.assertIn("\\xc29b31m", self.checked(harness.TCFIX, *command, odd))
        for command in (["hook", "install"], ["hook", "status"], ["hook", "remove"], ["apply", "--rpath"]):
            with self.subTest(command):
                self.checked(harness.TCFIX, *command, self.world.env)


class Pages(Untrusted):
    @not_on_windows("there are no such pipes")
    def test_a_page_does_not_replace_a_pipe_or_device(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.refused(*self.command("doctor", "--html", pipe, self.world.env), says="is not a regular file")
        self.assertTrue(stat.S_ISFIFO(os.lstat(pipe).st_mode))


@not_on_windows("files have no owners there")
@unittest.skipUnless(os.geteuid() == 0, "only root has power to lend")
class Root(Untrusted):
    """root works in an environment that belongs to another user."""

    def setUp(self):
        super().setUp()
        self.give(self.world.env)

    def give(self, folder):
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def foreign(self):
        """The files that do not belong to the environment's owner."""
        return [str(path) for path in self.world.env.rglob("*") if os.lstat(path).st_uid != NOBODY]

    def test_new_files_belong_to_the_owner(self):
        before = content(self.world.env)
        self.apply()
        tcfix("hook", "install", self.world.env)
        self.assertTrue(self.world.journal.exists())
        self.assertEqual(self.foreign(), [])
        bare = self.world.env / "bare"
        write_files(bare, {LIBRARIES[0]: library(LIBRARIES[0])})
        self.give(bare)
        self.apply(bare, check=None)
        self.assertTrue((bare / ".tcfix/journal.json").exists())
        self.assertEqual(self.foreign(), [])
        self.undo(bare)
        shutil.rmtree(bare)
        tcfix("hook", "remove", self.world.env)
        self.undo()
        self.assertEqual(self.foreign(), [])
        self.assertEqual(content(self.world.env), before)

    def test_a_link_to_a_program_of_root_passes_no_privileges(self):
        path = self.world.package / LIBRARIES[0]
        program = self.world.root / "program"
        shutil.move(path, program)
        os.chown(program, 0, 0)
        for mode in (0o4755, 0o6755, 0o2755):
            os.chmod(program, mode)
            link(path, program)
            before = stamp(program)
            self.apply()
            status = os.lstat(path)
            self.assertEqual((stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid),
                             (0o755, NOBODY, NOBODY))
            self.undo()
            self.assertEqual(stamp(program), before)
            self.assertTrue(path.is_symlink())
            self.assertEqual(os.lstat(path).st_uid, NOBODY)
            path.unlink()

    def test_files_that_only_root_can_read_are_not_given_away(self):
        path = self.world.package / LIBRARIES[0]
        secret = self.world.root / "secret"
        shutil.move(path, secret)
        os.chown(secret, 0, 0)
        os.chmod(secret, 0o600)
        link(path, secret)
        self.refused(*self.command("apply", self.world.env), says="the owner of its directory cannot read it")
        self.assertTrue(path.is_symlink())

    def test_files_in_a_private_directory_are_not_given_away(self):
        path = self.world.package / LIBRARIES[0]
        private = self.world.root / "private"
        (private / "below").mkdir(parents=True)
        shutil.move(path, private / "below" / "library")
        os.chown(private / "below" / "library", 0, 0)
        link(path, private / "below" / "library")
        os.chmod(private, 0o700)
        self.refused(*self.command("apply", self.world.env), says="the owner of its directory cannot read it")
        self.assertTrue(path.is_symlink())
        os.chmod(private, 0o711)
        self.apply()
        self.assertFalse(path.is_symlink())

    def test_rebuilt_files_that_only_root_can_read_are_not_given_away(self):
        rebuilt, secret = self.world.root / "rebuilt", self.world.root / "secret"
        rebuilt.mkdir()
        secret.write_bytes(tiny_macho.dylib(identity=f"@rpath/{LIBRARIES[0]}", padding=1900))
        os.chmod(secret, 0o600)
        link(rebuilt / LIBRARIES[0], secret)
        command = self.command("apply", "--replace-from", rebuilt, self.world.env)
        before = content(self.world.site)
        self.refused(*command, says="the owner of its directory cannot read it")
        self.assertEqual(content(self.world.site), before)
        os.chmod(secret, 0o644)
        self.assertEqual(run(*command).returncode, 0)

    def test_an_inherited_site_of_another_user_is_not_changed(self):
        """Otherwise a user's pyvenv.cfg could make root add the user's directories to the system's libraries."""
        user = self.world.root / "home" / "venv"
        write_files(user / "lib/python3.12/site-packages", {
            "torch/lib/libc10.dylib": tiny_macho.dylib(identity="@rpath/libc10.dylib"),
            "torch-2.9.1.dist-info/METADATA": b"Name: torch\nVersion: 2.9.1\n"})
        (user / "pyvenv.cfg").write_text(f"home = /{self.world.env.relative_to(self.world.root)}/bin\n"
                                         "include-system-site-packages = true\nversion = 3.12.1\n")
        write_files(self.world.env / "bin", {"python3.12": b""})
        shutil.rmtree(self.world.site / "torch")
        self.give(user)
        for owner in (0, NOBODY - 1):
            for path in [self.world.env, *self.world.env.rglob("*")]:
                os.chown(path, owner, owner)
            with self.untouched(self.world.site):
                self.refused(*self.command("apply", user), says="is outside the environment")
        self.give(self.world.env)
        self.apply(user)
        self.assertTrue(self.world.journal.exists())
        self.assertEqual(self.foreign(), [])

    def test_a_journal_of_another_user_is_refused(self):
        """Journals are also searched in the directories above, such as /tmp."""
        shared = self.world.root / "shared"
        write_files(shared / "build", {LIBRARIES[0]: library(LIBRARIES[0])})
        path = shared / "build" / LIBRARIES[0]
        journal = shared / ".tcfix" / "journal.json"
        now = path.read_bytes()
        self.write_journal(forged(f"build/{LIBRARIES[0]}", now, b"\xcf\xfa\xed\xfe"), place=journal)
        explicit = shared / "explicit.json"
        self.write_journal(forged(str(path), now, b"\xcf\xfa\xed\xfe"), place=explicit)
        for each in (journal, explicit):
            os.chown(each, NOBODY, NOBODY)
        with self.untouched(shared / "build"):
            self.refused(*self.command("undo", shared / "build"), says="was not written by the owner")
            self.refused(*self.command("apply", shared / "build"), says="was not written by the owner")
            self.refused(harness.TCFIX, "undo", "--journal", explicit, says="was not written by the owner")

    def test_a_link_that_changes_does_not_make_a_journal_trusted(self):
        """The owner of a journal must be allowed to write where the file is when it is replaced."""
        shared = self.world.root / "shared"
        now = library(LIBRARIES[0])
        write_files(shared, {"system/lib.dylib": now, "user/own/lib.dylib": now})
        user, theirs = shared / "user", shared / "system" / "lib.dylib"
        name, journal = user / "link", user / "journal.json"
        name.symlink_to("../system/lib.dylib")
        self.write_journal(forged(str(name), now, now[:-1] + b"x"), place=journal)
        self.give(user)
        switcher = subprocess.Popen([sys.executable, "-c", SWITCHER, name, "../system/lib.dylib", "own/lib.dylib"])
        self.addCleanup(switcher.wait)
        self.addCleanup(switcher.terminate)
        with self.untouched(theirs.parent):
            for _ in range(150):
                self.assertIn(run(harness.TCFIX, "undo", "--journal", journal).returncode, (0, 3))
                self.assertEqual(theirs.read_bytes(), now)
                (user / "own/lib.dylib").write_bytes(now)

    def test_a_stray_journal_of_another_user_is_refused(self):
        for path in [self.world.env, *self.world.env.rglob("*")]:
            os.chown(path, 0, 0)
        path, stray = self.world.package / LIBRARIES[0], self.world.package / ".tcfix" / "journal.json"
        now = path.read_bytes()
        self.write_journal(forged(LIBRARIES[0], now, now[:-1] + b"x"), place=stray)
        os.chown(stray, NOBODY, NOBODY)
        with self.untouched(self.world.site):
            for command in ("apply", "undo"):
                self.refused(*self.command(command, self.world.env), says="was not written by the owner")

    def test_a_mounted_directory_belongs_to_its_own_owner(self):
        """The owner of the directory above cannot replace it."""
        shared, path = self.world.root / "shared", self.world.package / LIBRARIES[0]
        shutil.copytree(self.world.package, shared)
        for each in [shared, *shared.iterdir()]:
            os.chown(each, 0, 0)
        mounted = run("mount", "--bind", shared, self.world.package)
        if mounted.returncode:
            self.skipTest("cannot mount here: " + mounted.stderr)
        self.addCleanup(run, "umount", self.world.package)
        now = path.read_bytes()
        self.write_journal(forged(f"torchcodec/{LIBRARIES[0]}", now, now[:-1] + b"x"))
        os.chown(self.world.journal, NOBODY, NOBODY)
        with self.untouched(shared):
            for command in ("apply", "undo"):
                self.refused(*self.command(command, self.world.env), says="was not written by the owner")

    def test_changes_by_root_in_a_mixed_environment_can_be_undone(self):
        before = content(self.world.site)
        for path in [self.world.package, *self.world.package.iterdir()]:
            os.chown(path, 0, 0)
        self.apply()
        self.undo()
        self.assertEqual(content(self.world.site), before)

    def test_swapping_directories_changes_nothing_elsewhere(self):
        """Another process swaps directories of the environment with links to others, continuously."""
        outside = self.world.root / "outside"
        shutil.copytree(self.world.package, outside / "torchcodec")
        shutil.copytree(self.world.info, outside / "info")
        tcfix("hook", "install", self.world.env)
        shutil.copytree(self.world.site / "tcfix_hook", outside / "tcfix_hook")
        tcfix("hook", "remove", self.world.env)
        ours = [self.world.package, self.world.info, self.world.site / "tcfix_hook"]
        theirs = [outside / "torchcodec", outside / "info", outside / "tcfix_hook"]
        swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, *map(str, ours), *map(str, theirs)])
        self.addCleanup(swapper.wait)
        self.addCleanup(swapper.terminate)
        with self.untouched(outside):
            for _ in range(25):
                for command in (self.command("apply", self.world.env), self.command("undo", self.world.env),
                                [harness.TCFIX, "hook", "install", self.world.env],
                                [harness.TCFIX, "hook", "remove", self.world.env]):
                    self.assertIn(run(*command).returncode, (0, 2, 3, 4))
            self.assertIsNone(swapper.poll())

    def test_capabilities_are_not_carried_over(self):
        path = self.world.package / LIBRARIES[0]
        capable = bytes.fromhex("0100000200200000000000000000000000000000")  # cap_net_raw, effective
        for owner in (NOBODY, 0):
            for each in [self.world.env, *self.world.env.rglob("*")]:
                os.chown(each, owner, owner)
            try:
                os.setxattr(path, "security.capability", capable)
            except OSError as error:
                self.skipTest(f"capabilities cannot be given to files here: {error}")
            self.apply()
            self.assertNotIn("security.capability", os.listxattr(path))
            self.undo()


if __name__ == "__main__":
    unittest.main()
