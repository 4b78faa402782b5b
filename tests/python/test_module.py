"""The Python module: options become arguments, documents become values, failures become exceptions."""
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

import harness
from harness import FilesTest

sys.path[:0] = [str(harness.ROOT / "python"), str(harness.ROOT / "tests" / "cli")]

import tiny_macho
import tcfix
from tcfix import _run


class ModuleTest(FilesTest):
    def setUp(self):
        super().setUp()
        self.use(harness.TCFIX)
        self.library = self.folder / "libtiny.dylib"
        self.library.write_bytes(tiny_macho.dylib())

    def use(self, program):
        patch = mock.patch.object(_run, "program", lambda: str(program))
        patch.start()
        self.addCleanup(patch.stop)

    def use_script(self, text):
        script = self.folder / "fake"
        script.write_text("#!/bin/sh\n" + text)
        script.chmod(0o755)
        self.use(script)


class Options(ModuleTest):
    def test_become_words(self):
        words = list(_run._words({"dry_run": True, "quiet": False, "ffmpeg": None, "j": 4,
                                  "rpath": ["/a", pathlib.Path("/b")], "arch": "-odd"}))
        self.assertEqual(words, ["--dry-run", "-j", "4", "--rpath=/a", "--rpath=/b", "--arch=-odd"])

    def test_bytes_are_a_string_not_numbers(self):
        words = list(_run._words({"rpath": b"/a", "ffmpeg": [b"/b\xff"]}))
        self.assertEqual([os.fsencode(word) for word in words], [b"--rpath=/a", b"--ffmpeg=/b\xff"])

    def test_reach_the_program_in_their_order(self):
        report = tcfix.edit(self.library, dry_run=True, no_sign=True, add_rpath=["/b", "/a"])
        file = report["files"][0]
        self.assertEqual(file["status"], "would_change")
        self.assertEqual([edit["value"] for edit in file["edits"]], ["/b", "/a"])

    def test_an_operand_is_never_an_option(self):
        with self.assertRaises(tcfix.TcfixError) as caught:
            tcfix.inspect("--help")
        self.assertEqual(caught.exception.errors[0]["path"], "--help")


class Outcomes(ModuleTest):
    def test_a_detected_problem_is_a_result(self):
        report = tcfix.verify(self.library)
        self.assertFalse(report["ok"])
        self.assertFalse(report["files"][0]["valid"])

    def test_wrong_usage_is_an_exception_with_a_hint(self):
        with self.assertRaises(tcfix.TcfixError) as caught:
            tcfix.edit(self.library, rpath_kind="sideways")
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("--rpath-kind takes runpath", str(caught.exception))
        self.assertEqual(caught.exception.hint, "see tcfix edit --help")

    def test_a_failure_reports_what_was_done(self):
        text = self.folder / "text"
        text.write_text("no library")
        with self.assertRaises(tcfix.TcfixError) as caught:
            tcfix.edit(text, self.library, add_rpath="/a")
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertIn(str(text), str(caught.exception))
        self.assertEqual([file["status"] for file in caught.exception.document["files"]],
                         ["failed", "changed"])

    def test_an_exception_can_be_pickled(self):
        with self.assertRaises(tcfix.TcfixError) as caught:
            tcfix.inspect(self.folder / "absent")
        there, here = caught.exception, pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((here.exit_code, here.errors, here.document, str(here)),
                         (there.exit_code, there.errors, there.document, str(there)))

    def test_a_crash_is_an_exception_with_the_log(self):
        self.use_script("echo oh no >&2; exit 70")
        with self.assertRaises(tcfix.TcfixError) as caught:
            tcfix.verify(self.library)
        self.assertEqual((caught.exception.exit_code, str(caught.exception)), (70, "oh no"))

    @harness.not_on_windows("the module starts this program")
    def test_ctrl_c_waits_until_the_program_has_cleaned_up(self):
        done = self.folder / "done"
        self.use_script(f"sleep 1; head -c 300000 /dev/zero; echo > {done}")
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            tcfix.verify(self.library)
        self.assertTrue(done.exists())


class Program(FilesTest):
    def python(self, *arguments, path):
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                              env={"PYTHONPATH": str(harness.ROOT / "python"), "PATH": path})

    @harness.not_on_windows("the module starts this program")
    def test_python_m_is_the_program(self):
        found = str(pathlib.Path(harness.TCFIX).parent)
        result = self.python("-m", "tcfix", "verify", "absent", path=found)
        self.assertEqual(result.returncode, 2)
        self.assertIn("absent: no such file", result.stderr)

    def test_the_modules_own_program_is_used(self):
        """pip install --target beside an environment that has its own tcfix."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / "venv"], check=True)
        target = self.folder / "target"
        shutil.copytree(harness.ROOT / "python" / "tcfix", target / "tcfix")
        (target / "tcfix-1.0.dist-info").mkdir()
        (target / "tcfix-1.0.dist-info" / "METADATA").write_text("Name: tcfix\nVersion: 1.0\n")
        (target / "tcfix-1.0.dist-info" / "RECORD").write_text("bin/tcfix,,\n")
        (target / "bin").mkdir()
        for program in (target / "bin" / "tcfix", self.folder / "venv" / "bin" / "tcfix"):
            program.touch()
        found = subprocess.run([self.folder / "venv" / "bin" / "python", "-c",
                                "import tcfix; print(tcfix.program())"],
                               env={"PYTHONPATH": str(target)}, capture_output=True, text=True).stdout
        self.assertEqual(found.strip(), str(target / "bin" / "tcfix"))

    def test_reports_a_missing_program(self):
        result = self.python("-m", "tcfix", "--version", path="/nonexistent")
        self.assertEqual(result.returncode, 2)
        self.assertIn("pip install", result.stderr)


class Types(FilesTest):
    USER = """import pathlib
import tcfix

report = tcfix.apply(".venv", pathlib.Path("other"), dry_run=True, rpath=["/a", pathlib.Path("/b")], j=2)
for target in report["targets"]:
    torch = target["torch"]
    print(torch["version"] if torch else None, target["loads"]["after"], target["files"][0]["edits"])
try:
    print(tcfix.hook("status", ".venv")["state"], tcfix.run("wheel", "a.whl", o="dist")["wheels"])
except tcfix.TcfixError as error:
    print(error.exit_code + 1, error.hint)
"""

    def mypy(self, *arguments):
        result = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull,
                                 *arguments], capture_output=True, text=True,
                                env={**os.environ, "MYPYPATH": str(harness.ROOT / "python")})
        if "No module named mypy" in result.stderr:
            self.skipTest("mypy is not installed")
        return result

    def test_mypy_agrees(self):
        result = self.mypy(harness.ROOT / "python" / "tcfix")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_types_are_useful(self):
        program = self.folder / "program.py"
        program.write_text(self.USER)
        result = self.mypy(program)
        self.assertEqual(result.returncode, 0, result.stdout)
        for right, wrong in (('["targets"]', '["target"]'), ('["edits"]', '["changes"]'),
                             ('"status", ".venv"', "1"), ("rpath=[", "rpath=[object(), ")):
            program.write_text(self.USER.replace(right, wrong))
            self.assertEqual(self.mypy(program).returncode, 1, wrong)


if __name__ == "__main__":
    sys.exit(unittest.main())
