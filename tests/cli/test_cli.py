"""The contract of the command line: exit codes, JSON, files left untouched."""
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import unittest

import harness
import tiny_macho
from harness import FilesTest, not_on_windows, run, tcfix, tcfix_json
from package_checks import stamp

ADD = ("--add-rpath", "/opt/homebrew/lib")


class CliTest(FilesTest):
    def make(self, name="libtiny.dylib", **options):
        path = self.folder / name
        path.write_bytes(tiny_macho.dylib(**options))
        return path


class ExitCodes(CliTest):
    def test_wrong_usage_is_2(self):
        library = self.make()
        for arguments in (["edit", library], ["edit", *ADD], ["edit", "--add-rpath"],
                          ["edit", "--add-rpath", "", library], ["frobnicate"], [],
                          ["edit", "--replace-rpath", "x", library], ["inspect"], ["verify"],
                          ["inspect", "--color", "blue", library], ["inspect", "--bogus", library],
                          ["edit", "--rpath-kind", "foo", library], ["undo"],
                          ["sign", "--sign-with", "gpg", library]):
            with self.subTest(arguments):
                self.assertEqual(run(harness.TCFIX, *arguments).returncode, 2)

    def test_no_command_shows_the_usage(self):
        usage = tcfix("--help").stdout
        for arguments in ([], ["-v"]):
            result = tcfix(*arguments, check=2)
            self.assertEqual((result.stdout, result.stderr),
                             ("", f"error: no command given\n\n{usage}"))
        result = tcfix("--json", check=2)
        self.assertEqual(json.loads(result.stdout)["errors"][0]["message"], "no command given")

    def test_the_nearest_command_or_option_is_suggested(self):
        for arguments, unknown, meant in (
                (["aply"], "command: aply", "apply"), (["Doctor"], "command: Doctor", "doctor"),
                (["comp", "bash"], "command: comp", "completions"),
                (["inspct", "x"], "command: inspct", "inspect"),
                (["apply", "--dryrun"], "option: --dryrun", "--dry-run"),
                (["apply", "-dryrun"], "option: -dryrun", "--dry-run"),
                (["apply", "--sys-root=/x", "y"], "option: --sys-root", "--sysroot"),
                (["edit", "--add-rpaht", "/x", "y"], "option: --add-rpaht", "--add-rpath"),
                (["list", "--jsn"], "option: --jsn", "--json")):
            with self.subTest(arguments):
                said = tcfix(*arguments, check=2).stderr
                self.assertEqual(said, f"error: unknown {unknown}\n  hint: did you mean {meant}?\n")
        for arguments, unknown, hint in (
                (["frobnicate"], "command: frobnicate", "see tcfix --help"),
                (["x"], "command: x", "see tcfix --help"),
                (["list", "--frobnicate"], "option: --frobnicate", "see tcfix list --help"),
                (["list", "-x"], "option: -x", "see tcfix list --help")):
            with self.subTest(arguments):
                said = tcfix(*arguments, check=2).stderr
                self.assertEqual(said, f"error: unknown {unknown}\n  hint: {hint}\n")

    def test_no_such_file_is_2(self):
        for command in (["inspect"], ["edit", *ADD], ["sign"], ["verify"], ["undo", "--journal"]):
            with self.subTest(command):
                tcfix(*command, self.folder / "absent.dylib", check=2)
        link = self.folder / "dangling.dylib"
        link.symlink_to("nowhere")
        tcfix("edit", *ADD, link, check=2)

    def test_other_files_than_libraries_are_3(self):
        text, empty, folder, pipe, loop = (self.folder / name for name in
                                           ("text", "empty", "folder", "pipe", "loop"))
        text.write_text("#!/bin/sh\n")
        empty.write_bytes(b"")
        folder.mkdir()
        os.mkfifo(pipe)
        loop.symlink_to(loop)
        for path in (text, empty, folder, pipe, loop):
            for command in (["inspect"], ["edit", *ADD], ["sign"], ["verify"]):
                with self.subTest(f"{command} {path.name}"):
                    result = tcfix(*command, path, check=3)
                    self.assertIn(path.name, result.stderr)
        self.assertEqual(text.read_text(), "#!/bin/sh\n")

    def test_verify(self):
        arm, intel = self.make("a.dylib"), self.make("b.dylib", cpu="x86_64")
        tcfix("verify", arm, check=1)
        tcfix("verify", intel, check=0)
        tcfix("sign", arm, intel)
        tcfix("verify", arm, intel, check=0)

    def test_files_that_dyld_refuses_are_invalid_and_never_edited(self):
        """verify: 1 if it can still be read, otherwise 3; edit and sign: 3, and nothing is changed."""
        good = self.make("good.dylib")
        tcfix("sign", good)
        data = good.read_bytes()
        count, size = struct.unpack_from("<II", data, 16)

        def changed(count, size, command=b""):
            bad = bytearray(data)
            struct.pack_into("<II", bad, 16, count, size)
            end = 32 + struct.unpack_from("<I", data, 20)[0]
            bad[end:end + len(command)] = command
            return bytes(bad)
        signature = data.index(struct.pack(">I", 0xFADE0CC0))
        requirements = data.index(struct.pack(">III", 0xFADE0C01, 12, 0), signature)
        one_missing = bytearray(data)
        one_missing[requirements + 11] = 1  # a set of one requirement, which is missing
        cases = {
            "required.dylib": (1, changed(count + 1, size + 16,
                                          struct.pack("<IIQ", 0x80000077, 16, 0)),
                               "load command .* is unknown and marked as required"),
            "fewer.dylib": (1, changed(count - 1, size), f"lists {count - 1} load commands"),
            "longer.dylib": (1, changed(count, size + 8), f"in {size + 8} bytes, but they take {size}"),
            "requirements.dylib": (1, bytes(one_missing), "requirement set is malformed"),
            "more.dylib": (3, changed(count + 1, size), "corrupt Mach-O file"),
            "shorter.dylib": (3, changed(count, size - 8), "corrupt Mach-O file"),
        }
        for name, (code, content, message) in cases.items():
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                (file,) = tcfix_json("verify", path, check=code)["files"]
                self.assertIs(file["valid"], False)
                if code == 1:
                    self.assertRegex(" ".join(file["problems"]), message)
                for command in (["edit", *ADD], ["sign"]):
                    report = tcfix_json(*command, path, check=3)
                    self.assertEqual(report["files"][0]["status"], "failed")
                    self.assertRegex(report["errors"][0]["message"], message)
                self.assertEqual(path.read_bytes(), content)
        # Unknown, but not required: dyld ignores it, and so does tcfix.
        ignored = self.folder / "ignored.dylib"
        ignored.write_bytes(changed(count + 1, size + 16, struct.pack("<IIQ", 0x77, 16, 0)))
        tcfix("sign", ignored)
        tcfix("edit", *ADD, ignored)
        tcfix("verify", ignored)

    def test_sign_changes_nothing_but_the_signature(self):
        library = self.make(rpaths=["/a", "/a"])
        tcfix("sign", library)
        self.assertEqual(tcfix_json("inspect", library)["files"][0]["rpaths"], ["/a", "/a"])
        before, content = stamp(library), library.read_bytes()
        (file,) = tcfix_json("sign", library)["files"]
        self.assertEqual((file["status"], file["edits"]), ("unchanged", []))
        self.assertEqual((stamp(library), library.read_bytes()), (before, content))
        tcfix("edit", "--add-rpath", "/a", library)  # which removes the second one
        self.assertEqual(tcfix_json("inspect", library)["files"][0]["rpaths"], ["/a"])

    def test_one_bad_file_does_not_stop_the_others(self):
        good, bad = self.make(), self.folder / "bad.dylib"
        bad.write_text("no library")
        report = tcfix_json("edit", *ADD, bad, good, check=3)
        self.assertEqual([f["status"] for f in report["files"]], ["failed", "changed"])
        self.assertFalse(report["ok"])
        self.assertEqual(report["errors"][0]["path"], str(bad))
        tcfix("edit", *ADD, bad, self.folder / "absent", check=2)

    def test_too_little_header_padding_is_3_and_reports_how_much(self):
        library = self.make(padding=40)
        before = library.read_bytes()
        result = tcfix("edit", "--no-sign", "--add-rpath", "/" + "x" * 60, library, check=3)
        self.assertIn("80 bytes needed, 40 available", result.stderr)
        self.assertEqual(library.read_bytes(), before)

    def test_sign_with_codesign_fails_clearly_without_codesign(self):
        if shutil.which("codesign"):
            self.skipTest("there is a codesign here")
        library = self.make()
        before = library.read_bytes()
        result = tcfix("edit", *ADD, "--sign-with", "codesign", library, check=3)
        self.assertIn("part of macOS", result.stderr)
        self.assertEqual(library.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["libtiny.dylib"])

    @not_on_windows("codesign is a script here")
    def test_sign_with_codesign_runs_it_on_the_new_file(self):
        """A stand-in for codesign records its arguments and writes a signed file."""
        library, tools, calls = self.make(), self.folder / "bin", self.folder / "calls"
        tools.mkdir()
        signed = tools / "signed"
        codesign = tools / "codesign"
        codesign.write_text(f'#!/bin/sh\necho "$@" >{calls}\nfor file; do :; done\n'
                            f'cp "$file" {signed} && {harness.TCFIX} sign {signed} && '
                            f'mv {signed} "$file"\n')
        codesign.chmod(0o755)
        environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
        result = subprocess.run([harness.TCFIX, "edit", "--json", *ADD, "--sign-with", "codesign",
                                 library], env=environment, stdout=subprocess.PIPE, check=True)
        edits = json.loads(result.stdout)["files"][0]["edits"]
        self.assertEqual([edit["op"] for edit in edits], ["add_rpath", "sign"])
        self.assertRegex(calls.read_text(), r"^--force --sign - --identifier libtiny-55554944\w+ -- "
                                            r"\S+/\.tcfix-\S+\.tmp$")
        tcfix("verify", library)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bin", "calls", "libtiny.dylib"])

    def test_a_failure_to_write_standard_output_is_reported(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            result = subprocess.run([harness.TCFIX, "--help"], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)


class Json(CliTest):
    def test_inspect_tree(self):
        library = self.make(rpaths=["@loader_path/sub"], dependencies=["@rpath/libx.dylib", "/usr/lib/libc++.1.dylib"])
        (file,) = tcfix_json("inspect", "--tree", "--sysroot", self.folder, library)["files"]
        tree = file["tree"]
        self.assertEqual(tree["loads"], False)
        self.assertEqual([(each["dependency"], each["state"]) for each in tree["bindings"]],
                         [("@rpath/libx.dylib", "missing"), ("/usr/lib/libc++.1.dylib", "system")])
        (problem,) = tree["problems"]
        self.assertEqual((problem["code"], problem["dependency"]), ("missing-dependency", "@rpath/libx.dylib"))
        self.assertEqual([each["outcome"] for each in problem["tried"]], ["not found"])
        self.assertIn("loads         no", tcfix("inspect", "--tree", "--sysroot", self.folder, library).stdout)
        # The search paths of a Mac's Python, and its directories, are unknown on another machine.
        if sys.platform != "darwin":
            self.assertIn("loads         unknown", tcfix("inspect", "--tree", library).stdout)
        self.assertEqual(run(harness.TCFIX, "inspect", "--arch", "arm64", library).returncode, 2)

    def test_inspect(self):
        library = self.make(rpaths=["/a", "/b"], dependencies=["@rpath/libx.dylib"])
        report = tcfix_json("inspect", "--symbols", library)
        self.assertEqual((report["schema"], report["command"], report["ok"]), (1, "inspect", True))
        self.assertEqual((report["errors"], report["warnings"]), ([], []))
        (file,) = report["files"]
        self.assertEqual(file["path"], str(library))
        self.assertEqual((file["format"], file["arch"], file["min_os"]), ("macho", "arm64", "11.0"))
        self.assertEqual(file["rpaths"], ["/a", "/b"])
        self.assertEqual(file["dependencies"][0], {"name": "@rpath/libx.dylib", "kind": "normal"})
        self.assertEqual(file["signature"], {"state": "none", "kind": None, "identifier": None})
        self.assertEqual((file["imports"], file["exports"]), ([], []))

    def test_edit(self):
        library = self.make(rpaths=["/old"])
        report = tcfix_json("edit", "--replace-rpath", "/old=/new", "--set-id", "@rpath/n.dylib",
                            library)
        (file,) = report["files"]
        self.assertEqual(file["status"], "changed")
        self.assertEqual([(e["op"], e["value"], e.get("old")) for e in file["edits"]],
                         [("replace_rpath", "/new", "/old"),
                          ("set_id", "@rpath/n.dylib", "@rpath/libtiny.dylib"),
                          ("sign", "adhoc", None)])
        self.assertNotEqual(file["sha256_before"], file["sha256_after"])
        digest = run("sha256sum", library).stdout.split()[0] if shutil.which("sha256sum") else None
        self.assertIn(digest, (None, file["sha256_after"]))
        again = tcfix_json("edit", "--replace-rpath", "/old=/new", library)
        self.assertEqual((again["files"][0]["status"], again["files"][0]["edits"]),
                         ("unchanged", []))

    def test_dry_run_prints_changes_and_writes_nothing(self):
        library = self.make()
        before = stamp(library)
        report = tcfix_json("edit", "-n", *ADD, library)
        self.assertEqual(report["files"][0]["status"], "would_change")
        diff = tcfix("edit", "-n", "-v", *ADD, library).stdout
        self.assertIn("+LC_RPATH", diff)
        self.assertIn("LC_RPATH /opt/homebrew/lib", diff)
        self.assertEqual(stamp(library), before)

    def test_usage_errors_are_json_too(self):
        report = json.loads(run(harness.TCFIX, "edit", "--json").stdout)
        self.assertEqual((report["ok"], report["errors"][0]["code"]), (False, "usage"))

    def test_verify_and_undo(self):
        library = self.make()
        report = tcfix_json("verify", library, check=1)
        self.assertEqual((report["ok"], report["files"][0]["valid"]), (False, False))
        self.assertEqual(len(report["files"][0]["problems"]), 1)
        original = library.read_bytes()
        journal = self.folder / "j.json"
        tcfix("edit", *ADD, "--journal", journal, library)
        report = tcfix_json("undo", "--journal", journal)
        self.assertEqual(report["targets"][0]["restored"], [str(library.resolve())])
        self.assertEqual(library.read_bytes(), original)

    def test_universal_files_have_slices(self):
        path = self.folder / "fat.dylib"
        path.write_bytes(tiny_macho.universal(
            [tiny_macho.dylib(cpu="x86_64"), tiny_macho.dylib(cpu="arm64")]))
        tcfix("edit", *ADD, path)
        (file,) = tcfix_json("inspect", path)["files"]
        self.assertEqual([(s["arch"], s["rpaths"], s["signature"]["state"])
                          for s in file["slices"]],
                         [("x86_64", [ADD[1]], "none"), ("arm64", [ADD[1]], "valid")])
        tcfix("sign", path)
        (file,) = tcfix_json("inspect", path)["files"]
        self.assertEqual([s["signature"]["state"] for s in file["slices"]], ["valid", "valid"])


class Files(CliTest):
    def test_a_hard_link_is_not_changed(self):
        library, twin = self.make(), self.folder / "cache"
        os.link(library, twin)
        before = twin.read_bytes()
        tcfix("edit", *ADD, library)
        self.assertEqual(twin.read_bytes(), before)
        self.assertNotEqual(library.stat().st_ino, twin.stat().st_ino)

    def test_a_symlink_is_followed_and_kept(self):
        library, link = self.make(), self.folder / "link.dylib"
        link.symlink_to(library.name)
        tcfix("edit", *ADD, link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(tcfix_json("inspect", library)["files"][0]["rpaths"], [ADD[1]])

    @not_on_windows("files have no modes there")
    def test_mode_is_kept(self):
        library = self.make()
        library.chmod(0o2555)  # except set-gid
        tcfix("edit", *ADD, library)
        self.assertEqual(stat.S_IMODE(library.stat().st_mode), 0o555)

    def test_odd_names(self):
        names = ["with space.dylib", "ü….dylib", "a,b=c.dylib", "-x.dylib"]
        # Windows refuses a line break in a name (error 123). For a path of 268 characters Wine 8 finds no final name
        # (GetFinalPathNameByHandleW, error 234).
        names += ["n" * 200 + ".dylib"] if harness.IS_WINDOWS else ["new\nline.dylib", "n" * 240 + ".dylib"]
        for name in names:
            with self.subTest(name):
                library = self.make(name)
                tcfix("edit", *ADD, "--", library)
                self.assertEqual(tcfix_json("inspect", library)["files"][0]["path"], str(library))
        raw = os.path.join(os.fsencode(self.folder), b"bytes\xff.dylib")
        shutil.copy(self.make(), raw)
        result = subprocess.run([harness.TCFIX, "inspect", "--json", raw], capture_output=True)
        self.assertEqual(result.returncode, 0)
        json.loads(result.stdout)

    def test_very_long_search_paths(self):
        library = self.make(padding=9000)
        path = "/" + "x" * 4000
        tcfix("edit", "--add-rpath", path, library)
        self.assertEqual(tcfix_json("inspect", library)["files"][0]["rpaths"], [path])

    def test_a_file_given_twice_is_edited_once(self):
        library, link = self.make(), self.folder / "link.dylib"
        link.symlink_to(library.name)
        report = tcfix_json("edit", *ADD, library, link, library)
        self.assertEqual(len(report["files"]), 1)

    def test_many_at_once_lose_no_edit(self):
        library = self.make(padding=4000)
        processes = [subprocess.Popen([harness.TCFIX, "edit", "-q", "--add-rpath", f"/p{i}",
                                       library], stderr=subprocess.PIPE) for i in range(12)]
        for process in processes:
            self.assertEqual(process.wait(), 0, process.stderr.read())
            process.stderr.close()
        rpaths = tcfix_json("inspect", library)["files"][0]["rpaths"]
        self.assertEqual(sorted(rpaths), sorted(f"/p{i}" for i in range(12)))
        self.assertEqual(os.listdir(self.folder), [library.name])

    def test_interrupted_work_leaves_old_or_new_files_and_nothing_else(self):
        for delay_ms in (0, 1, 2, 4, 8):
            files = [self.make(f"lib{i}.dylib", content=bytes(300_000)) for i in range(12)]
            old = files[0].read_bytes()
            process = subprocess.Popen([harness.TCFIX, "edit", *ADD, *files],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(delay_ms / 1000)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            code = process.wait()
            # A signal before tcfix has installed its handler ends it like any other program.
            self.assertIn(code, (0, 130, -signal.SIGINT))
            states = {file.read_bytes() == old for file in files}
            if code == 0:
                self.assertEqual(states, {False})
            self.assertEqual(sorted(os.listdir(self.folder)), sorted(f.name for f in files))

    def test_a_full_disk_leaves_the_file_unchanged(self):
        if sys.platform != "linux" or os.geteuid() != 0:
            self.skipTest("needs root on Linux, to mount a small disk")
        disk = self.folder / "disk"
        disk.mkdir()
        if run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(run, "umount", disk)
        library = disk / "lib.dylib"
        library.write_bytes(tiny_macho.dylib(content=bytes(600_000)))
        before = library.read_bytes(), stamp(library)
        result = tcfix("edit", *ADD, library, check=3)
        self.assertIn("disk is full", result.stderr)
        self.assertEqual((library.read_bytes(), stamp(library)), before)
        self.assertEqual(os.listdir(disk), ["lib.dylib"])

    @not_on_windows("files have no modes there")
    def test_an_unreadable_file_is_3(self):
        library = self.make()
        library.chmod(0)
        self.folder.chmod(0o755)
        program = shutil.copy2(harness.TCFIX, self.folder)  # where any user may run it
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        for command in (["inspect"], ["edit", *ADD], ["verify"]):
            result = subprocess.run([program, *command, library], capture_output=True, text=True,
                                    **nobody)
            self.assertEqual(result.returncode, 3)
            self.assertIn("cannot read the file", result.stderr)

    def test_a_read_only_directory_leaves_the_file_unchanged(self):
        library = self.make()
        if os.geteuid() == 0:
            # Root may write anywhere but on a disk that is mounted read-only.
            if run("mount", "--bind", self.folder, self.folder).returncode != 0 or run(
                    "mount", "-o", "remount,ro,bind", self.folder).returncode != 0:
                self.skipTest("root cannot make a read-only directory here")
            self.addCleanup(run, "umount", self.folder)
        else:
            self.folder.chmod(0o555)
            self.addCleanup(self.folder.chmod, 0o755)
        before = library.read_bytes()
        result = tcfix("edit", *ADD, library, check=3)
        self.assertIn("cannot create a file in its directory", result.stderr)
        self.assertEqual(library.read_bytes(), before)


class Journals(CliTest):
    def test_a_malicious_journal_is_refused(self):
        library, journal = self.make(), self.folder / "j"
        tcfix("edit", *ADD, "--journal", journal, library)
        good = json.loads(journal.read_text())
        entry = good["entries"][0]
        hostile = ["[" * 200_000, "", "{}", "null", journal.read_text()[:-40]]
        for change in ({"original_size": "1099511627776"}, {"original_size": "-1"},
                       {"patches": [{"offset": "18446744073709551615", "bytes": "00"}]},
                       {"sha256_after": entry["sha256_before"]}, {"path": 7}, {"moves": {}},
                       {"moves": [{"from": "0", "to": "0", "length": "99999999"}]}):
            hostile.append(json.dumps(dict(good, entries=[dict(entry, **change)])))
        before = library.read_bytes()
        for text in hostile:
            with self.subTest(text[:60]):
                journal.write_text(text)
                tcfix("undo", "--journal", journal, check=3)
                tcfix("edit", "--add-rpath", "/more", "--journal", journal, library, check=3)
                self.assertEqual(library.read_bytes(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["j", library.name])

    def test_a_journal_with_a_missing_file_restores_the_others(self):
        library, journal = self.make(), self.folder / "j"
        tcfix("edit", *ADD, "--journal", journal, library)
        library.write_bytes(tiny_macho.dylib(rpaths=["/new/version"]))
        upgraded = library.read_bytes()
        tcfix("edit", *ADD, "--journal", journal, library)
        report = tcfix_json("undo", "--journal", journal)
        self.assertEqual(len(report["targets"][0]["restored"]), 1)
        self.assertEqual(library.read_bytes(), upgraded)

    def test_an_empty_name_is_wrong_usage(self):
        tcfix("edit", *ADD, "--journal", "", self.make(), check=2)


class Reports(CliTest):
    def test_edits_without_effect_are_not_reported(self):
        library = self.make()
        tcfix("edit", "--set-id", "b", library)
        for edits in (["--set-id", "a", "--set-id", "b"],
                      ["--rename-dependency", "/usr/lib/libSystem.B.dylib=x",
                       "--rename-dependency", "x=/usr/lib/libSystem.B.dylib"]):
            (file,) = tcfix_json("edit", *edits, library)["files"]
            self.assertEqual((file["status"], file["edits"]), ("unchanged", []))

    def test_a_failed_file_was_not_edited(self):
        library = self.make()
        (file,) = tcfix_json("edit", *ADD, "--journal", self.folder / "no" / "j", library,
                             check=3)["files"]
        self.assertEqual((file["status"], file["edits"]), ("failed", []))
        self.assertEqual(file["sha256_before"], file["sha256_after"])

    def test_a_failed_dry_run_does_not_print_nothing_to_do(self):
        text = self.folder / "text"
        text.write_text("x")
        self.assertNotIn("nothing to do", tcfix("edit", "-n", *ADD, text, check=3).stdout)


class Limits(CliTest):
    @not_on_windows("Wine itself needs more, and Windows has no such limit")
    def test_many_files_need_few_descriptors(self):
        files = [self.make(f"lib{i}.dylib") for i in range(200)]
        command = " ".join(["ulimit -n 64;", "exec", '"$0"', '"$@"'])
        result = subprocess.run(["sh", "-c", command, harness.TCFIX, "edit", "-q", *ADD, *files],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_leftovers_of_a_killed_run_are_removed(self):
        library = self.make()
        (self.folder / ".tcfix-0123abcd.tmp").write_bytes(b"left behind")
        (self.folder / ".tcfix-notes.txt").write_bytes(b"someone's own")
        tcfix("edit", *ADD, library)
        self.assertEqual(sorted(os.listdir(self.folder)), [".tcfix-notes.txt", library.name])

    def test_undo_removes_leftovers_beside_its_journal(self):
        library, journal = self.make(), self.folder / "notes" / "journal.json"
        journal.parent.mkdir()
        tcfix("edit", *ADD, "--journal", journal, library)
        for folder in (self.folder, journal.parent):
            (folder / ".tcfix-0123abcd.tmp").write_bytes(b"left behind")
        tcfix("undo", "--journal", journal)
        self.assertEqual(list(self.folder.rglob("*.tmp")), [])

    def test_interrupted_reading_ends_at_once(self):
        library = self.make(content=bytes(30_000_000))
        process = subprocess.Popen([harness.TCFIX, "verify", *[library] * 200],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(), (-signal.SIGINT, 1))


class Output(CliTest):
    def test_help_has_examples_and_fits_80_columns(self):
        names = re.findall(r"^  (\w+)  ", tcfix("--help").stdout, re.M)
        self.assertIn("apply", names)
        for command in ([], *([name] for name in names)):
            text = tcfix(*command, "--help").stdout
            with self.subTest(command):
                if command:
                    self.assertIn("Examples:", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_common_options_work_everywhere(self):
        library = self.make()
        version = tcfix("--version").stdout
        self.assertRegex(version, r"^tcfix \d+\.\d+\.\d+ ")
        self.assertEqual(tcfix("inspect", "--version").stdout, version)
        self.assertEqual(json.loads(tcfix("--json", "inspect", library).stdout),
                         tcfix_json("inspect", library))
        self.assertNotIn("{", tcfix("inspect", "--json=false", library).stdout)
        report = json.loads(run(harness.TCFIX, "frobnicate", "--json").stdout)
        self.assertEqual((report["ok"], report["errors"][0]["code"]), (False, "usage"))

    def test_colour_only_on_request(self):
        library = self.make()
        self.assertNotIn("\x1b", tcfix("inspect", library).stdout)
        self.assertIn("\x1b", tcfix("inspect", "--color", "always", library).stdout)

    def test_quiet_prints_nothing(self):
        result = tcfix("edit", "-q", *ADD, self.make())
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    @not_on_windows("names cannot have such characters")
    def test_control_characters_are_not_printed(self):
        library = self.make("evil\x1b[31m.dylib")
        self.assertNotIn("\x1b", tcfix("inspect", library).stdout)


if __name__ == "__main__":
    unittest.main()
