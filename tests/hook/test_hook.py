"""The hook inside a real Python: it runs for one package, once, if something changed, and prints nothing."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import FilesTest, not_on_windows, tcfix

# A stand-in for tcfix: records its arguments, reports one library, a torch and an FFmpeg.
PROGRAM = """#!{python} -S
import json, os, sys, time
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
time.sleep({seconds})
open({log!r} + ".done", "w").close()
print(json.dumps({{"ok": not {code}, "targets": [
    {{"files": [{{"path": {library!r}}}], "torch": {{"path": {torch!r}}},
     "ffmpeg": {{"path": {ffmpeg!r}}}}}]}}))
sys.exit({code})
"""


class HookTest(FilesTest):
    before = ()  # a command prefix for Python

    def setUp(self):
        super().setUp()
        self.venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.venv], check=True)
        self.python = self.venv / "bin" / "python"
        self.site, = self.venv.glob("lib/python*/site-packages")
        tcfix("hook", "install", "--ffmpeg", "av", self.venv)
        for package in ("torchcodec", "av", "torch", "other"):
            (self.site / package).mkdir()
            (self.site / package / "__init__.py").write_text("name = __name__\n")
            (self.site / f"{package}-1.0.dist-info").mkdir()
            (self.site / f"{package}-1.0.dist-info" / "RECORD").write_text("")
        self.library = self.site / "torchcodec" / "libtorchcodec_core7.so"
        self.library.write_bytes(b"library")
        self.torch = self.site / "torch" / "lib"
        self.torch.mkdir()
        (self.torch / "libtorch_cpu.so").write_bytes(b"torch")
        kegs = self.folder / "Cellar" / "ffmpeg"
        for version in ("8.0", "8.1"):
            (kegs / version / "lib").mkdir(parents=True)
            (kegs / version / "lib" / "libavcodec.so.61").write_bytes(b"codec")
        self.keg = self.folder / "opt-ffmpeg"
        self.keg.symlink_to(kegs / "8.0")
        self.ffmpeg = self.keg / "lib"
        self.log = self.folder / "log"
        self.program = self.folder / "tcfix"
        self.write_program()
        self.stamp = self.site / "tcfix_hook" / "stamp.json"
        self.set(tcfix=str(self.program))

    def set(self, **settings):
        path = self.site / "tcfix_hook" / "settings.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))

    def write_program(self, code=0, seconds=0):
        self.program.write_text(PROGRAM.format(
            python=sys.executable, log=str(self.log), library=str(self.library),
            torch=str(self.torch), ffmpeg=str(self.ffmpeg), code=code, seconds=seconds))
        self.program.chmod(0o755)

    def start(self, code="import torchcodec", *flags, **variables):
        return subprocess.Popen([*self.before, self.python, *flags, "-c", code + "; print('fine')"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **variables})

    def run_python(self, *arguments, **variables):
        """Runs it; the import must succeed and nothing may be printed."""
        process = self.start(*arguments, **variables)
        self.assertEqual((*process.communicate(), process.returncode), ("fine\n", "", 0))

    def calls(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] \
            if self.log.exists() else []


class Triggers(HookTest):
    def test_with_the_recorded_options_and_the_environment(self):
        self.run_python()
        self.assertEqual(self.calls(), [["apply", "--json", "--quiet", "--ffmpeg", "av", "--",
                                         str(self.venv.resolve())]])

    def test_only_for_its_packages(self):
        self.run_python("import av, torch, other, json")
        self.assertEqual(self.calls(), [])
        self.run_python("import importlib.util; importlib.util.find_spec('torchcodec')")
        self.assertEqual(len(self.calls()), 1)

    def test_again_only_when_something_changed(self):
        self.run_python()
        self.run_python()
        self.assertEqual(len(self.calls()), 1)
        changes = {
            "a replaced library": lambda: self.replace(self.library),
            "a touched library": lambda: os.utime(self.library, ns=(5, 5)),
            "another RECORD of av": lambda: self.replace(self.site / "av-1.0.dist-info" / "RECORD"),
            "another RECORD of torch":
                lambda: self.replace(self.site / "torch-1.0.dist-info" / "RECORD"),
            "a new package": lambda: (self.site / "new").mkdir(),
            "another torch": lambda: self.replace(self.torch / "libtorch_cpu.so"),
            "an upgraded keg": self.upgrade,
            "another FFmpeg": lambda: self.replace(self.ffmpeg / "libavcodec.so.61"),
            "no FFmpeg": lambda: (self.ffmpeg / "libavcodec.so.61").unlink(),
            "conda": lambda: (self.venv / "conda-meta").mkdir(),
            "a damaged stamp": lambda: self.stamp.write_text("{"),
            "a stamp that makes no sense": lambda: self.stamp.write_text('{"good": true, "files": [[]]}'),
            "a stamp without end": lambda: self.stamp.write_text("[" * 100000),
            "other options": lambda: self.set(arguments=["--ffmpeg", "none"]),
        }
        for number, (name, change) in enumerate(changes.items()):
            with self.subTest(name):
                change()
                self.run_python()
                self.run_python()
                self.assertEqual(len(self.calls()), number + 2)

    def replace(self, path):
        new = path.with_name("new-" + path.name)
        new.write_bytes(b"another")
        new.replace(path)

    def upgrade(self):
        """Like Homebrew: another directory at the same path."""
        new = self.keg.with_name("new")
        new.symlink_to(self.keg.resolve().with_name("8.1"))
        new.replace(self.keg)

    def test_once_for_many_processes(self):
        self.write_program(seconds=0.5)
        # All wait for the repair, not only the process that runs it.
        code = f"import torchcodec, os; assert os.path.exists({str(self.log) + '.done'!r})"
        workers = [self.start(code) for _ in range(32)]
        for worker in workers:
            self.assertEqual(worker.communicate(), ("fine\n", ""))
        self.assertEqual(len(self.calls()), 1)

    def test_once_for_many_processes_even_if_it_fails(self):
        here = self.folder / "here"
        here.mkdir()
        self.write_program(code=4, seconds=0.5)
        self.program.write_text(self.program.read_text().replace(
            "time.sleep", f"while len(os.listdir({str(here)!r})) < 8: time.sleep(0.05)\ntime.sleep", 1))
        code = (f"import os, tcfix_hook.repair; open(os.path.join({str(here)!r}, str(os.getpid())), 'w'); "
                "import torchcodec")
        for worker in [self.start(code) for _ in range(8)]:
            self.assertEqual(worker.communicate(), ("fine\n", ""))
        self.assertEqual(len(self.calls()), 1)

    def test_on_a_disk_without_locks(self):
        self.run_python("import errno, fcntl\ndef flock(*_): raise OSError(errno.ENOLCK, 'no locks')\n"
                        "fcntl.flock = flock\nimport torchcodec")
        self.assertEqual(len(self.calls()), 1)

    def test_again_if_an_installer_ran_meanwhile(self):
        self.program.write_text(self.program.read_text().replace(
            "import json", f"import os; os.mkdir({str(self.site / 'late')!r})\nimport json", 1))
        self.run_python()
        self.write_program()
        self.run_python()
        self.run_python()
        self.assertEqual(len(self.calls()), 2)

    def test_again_after_a_failure(self):
        self.write_program(code=4)
        self.run_python()
        self.write_program(code=0)
        self.run_python()
        self.run_python()
        self.assertEqual(len(self.calls()), 2)

    def test_again_in_one_process_only_after_an_installer(self):
        """As in a notebook: the import failed, and the missing package is then installed."""
        self.write_program(code=4)
        asks = "import importlib.util, os; [importlib.util.find_spec('torchcodec') for _ in range(3)]; "
        self.run_python(asks + f"os.mkdir({str(self.site / 'av.libs')!r}); import torchcodec")
        self.assertEqual(len(self.calls()), 2)

    def test_again_after_a_failure_whose_exit_code_is_lost(self):
        self.write_program(code=4)
        for number in (1, 2):
            self.run_python("import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); import torchcodec")
            self.assertEqual(len(self.calls()), number)

    def test_once_although_torch_has_no_libraries(self):
        self.program.write_text(self.program.read_text().replace(repr(str(self.torch)), "None"))
        (self.folder / "torch-in-this-folder").touch()
        for _ in range(2):
            self.run_python(f"import os; os.chdir({str(self.folder)!r}); import torchcodec")
        self.assertEqual(len(self.calls()), 1)

    def test_once_whatever_encoding_a_process_has(self):
        self.venv = self.venv.rename(self.folder / "vénv")
        self.python = self.venv / "bin" / "python"
        for name in ("site", "library", "torch"):
            inside = str(getattr(self, name)).replace("/venv/", "/vénv/")
            setattr(self, name, type(self.site)(inside))
        self.write_program()
        text = self.program.read_text().replace("print(", "os.write(1, ").replace(
            "]}))", "]}, ensure_ascii=False).encode())")  # as tcfix prints it
        self.program.write_text(text, encoding="utf-8")
        for variables in ({"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "LC_ALL": "C"}, {}):
            self.run_python(**variables)
            self.assertEqual(len(self.calls()), 1)

    def interrupted_import(self, before=""):
        """Starts an import whose tcfix needs some time to clean up after Ctrl-C."""
        self.tidy = self.folder / "tidy"
        self.program.write_text(f"#!/bin/sh\ntrap 'sleep 0.5; echo > {self.tidy}; exit 130' INT\n"
                                f"echo > {self.log}\nwhile :; do sleep 0.1; done\n")
        return subprocess.Popen([self.python, "-c", before + "import torchcodec"],
                                start_new_session=True, stderr=subprocess.PIPE, text=True)

    @not_on_windows("there are no such signals")
    def test_ctrl_c_waits_until_tcfix_has_cleaned_up(self):
        process = self.interrupted_import()
        while not self.log.exists():
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        self.assertIn("KeyboardInterrupt", process.communicate()[1])
        self.assertTrue(self.tidy.exists())

    @not_on_windows("there are no such signals")
    def test_ctrl_c_while_tcfix_is_being_started(self):
        process = self.interrupted_import(f"""
import os, signal, subprocess
start = subprocess.Popen.__init__
def interrupted(self, *arguments, **options):
    start(self, *arguments, **options)
    while not os.path.exists({str(self.log)!r}):
        pass
    os.killpg(0, signal.SIGINT)
subprocess.Popen.__init__ = interrupted
""")
        self.assertIn("KeyboardInterrupt", process.communicate()[1])
        self.assertTrue(self.tidy.exists())


class StaysQuiet(HookTest):
    def test_without_the_package(self):
        shutil.rmtree(self.site / "torchcodec")
        self.run_python("import importlib.util; assert not importlib.util.find_spec('torchcodec')")
        self.assertEqual(self.calls(), [])

    def test_when_disabled(self):
        self.run_python(TCFIX_DISABLE="1")
        self.assertEqual(self.calls(), [])
        self.run_python(TCFIX_DISABLE="0")
        self.assertEqual(len(self.calls()), 1)

    def test_without_site(self):
        self.run_python("import sys; assert len(sys.meta_path) == 3", "-S")
        self.assertEqual(self.calls(), [])

    def test_without_tcfix(self):
        self.program.unlink()
        self.run_python(PATH="/nonexistent")
        self.run_python(PATH=str(self.folder))

    def test_finds_tcfix_on_the_path_when_it_has_moved(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.program.rename(elsewhere / "tcfix")
        self.run_python(PATH=str(elsewhere))
        self.assertEqual(len(self.calls()), 1)

    def test_any_output_of_tcfix(self):
        for text in ("echo no json", "exit 3", "echo '{}'", "kill -9 $$"):
            with self.subTest(text):
                self.program.write_text("#!/bin/sh\n" + text + "\n")
                self.run_python()

    def test_with_invalid_settings(self):
        for text in ("", "[]", '{"tcfix": 3}'):
            (self.site / "tcfix_hook" / "settings.json").write_text(text)
            self.run_python()

    def test_on_a_read_only_disk(self):
        if os.geteuid() == 0:  # root may write anywhere without this
            self.before = ("setpriv", "--bounding-set=-dac_override")
            if subprocess.run([*self.before, "true"], capture_output=True).returncode:
                self.skipTest("root may write everywhere")
        (self.site / "tcfix_hook").chmod(0o555)
        self.addCleanup((self.site / "tcfix_hook").chmod, 0o755)
        self.run_python()
        self.assertEqual(self.calls(), [])

    def test_after_it_was_removed(self):
        shutil.rmtree(self.site / "tcfix_hook")
        for name in ("tcfix_hook.pth", "tcfix_hook.start"):
            (self.site / name).unlink()
        self.run_python()

    def test_leaves_no_files(self):
        self.run_python()
        names = {path.name for path in (self.site / "tcfix_hook").iterdir()} - {"__pycache__"}
        self.assertEqual(names, {"__init__.py", "finder.py", "repair.py", "settings.json", "stamp.json"})


class Start(HookTest):
    def test_adds_one_finder_before_the_others(self):
        """Python reads the .pth files of a virtual environment twice."""
        self.run_python("import sys; assert ['Finder' in str(finder) and 'tcfix_hook' in dir(finder) "
                        "for finder in sys.meta_path] == [True, False, False, False], sys.meta_path")

    def test_nothing_is_imported(self):
        """And so nothing is compiled, which would take longer than the hook itself."""
        self.run_python("import sys; assert sys.meta_path[0].__name__ == 'Finder'; "
                        "assert not {'tcfix_hook', 'json', 'subprocess', 'contextlib'} & {*sys.modules}")

    def test_start_file_refers_to_a_callable(self):
        # Python 3.15 and later read this instead of the .pth file's import line (PEP 829).
        line, = (self.site / "tcfix_hook.start").read_text().splitlines()
        code = (f"import pkgutil, sys; del sys.meta_path[0]; pkgutil.resolve_name({line!r})(); "
                "assert sys.meta_path[0].__module__ == 'tcfix_hook.finder'; import torchcodec")
        self.run_python(code)
        self.assertEqual(len(self.calls()), 1)

    def test_packages_of_the_users_choice(self):
        tcfix("hook", "install", "--package", "some-thing", "--package", "other", self.venv)
        self.assertIn('PACKAGES = (\\"some_thing\\", \\"other\\",)',
                      (self.site / "tcfix_hook.pth").read_text())
        tcfix("hook", "status", self.venv)
        for name in ("", "a'b", 'a"b', "a\\b", "a\nb", "a b", "é"):
            tcfix("hook", "install", "--package", name, self.venv, check=2)


if __name__ == "__main__":
    sys.exit(unittest.main())
