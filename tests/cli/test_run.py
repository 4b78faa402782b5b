"""`doctor --run` and `apply --run`: a real Python and the real ld.so, with a torchcodec of a few lines.
tests/real/test_run.py does the same with the real torchcodec."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import harness
from doctor_trees import MacTree
from harness import FilesTest, find_tool, not_on_windows, run

# The findings that these tests demonstrate, for tests/cli/test_findings.py.
SHOWN = {"loads-for-real", "simulation-disagrees", "import-fails"}

# Tries its majors like the real one.
PACKAGE = """
import ctypes, pathlib
for major in (8, 7):
    core = pathlib.Path(__file__).with_name(f"libtorchcodec_core{major}.so")
    try:
        ctypes.CDLL(str(core))
    except OSError:
        continue
    ffmpeg_major_version = major
    break
else:
    raise RuntimeError("Could not load libtorchcodec. Likely causes:\\n 1. none")
"""
# They need no C library: their constructors end, stop or hang the process.
FOR_EVER = "int pause(void); __attribute__((constructor)) void start(void) { for (;;) pause(); }"
CRASHES = "void abort(void); __attribute__((constructor)) void start(void) { abort(); }"


def setUpModule():
    if not find_tool("gcc") or sys.platform != "linux":
        raise unittest.SkipTest("needs Linux and gcc")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "LD_PRELOAD", "TCFIX_FFMPEG"):
        os.environ.pop(name, None)


def compile_library(path, source="int here;", needs=()):
    """`needs`: {name: source} of libraries that only the linker uses."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        others = [compile_library(pathlib.Path(scratch) / name) for name in needs]
        subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--allow-shlib-undefined", "-Wl,--no-as-needed",
                        f"-Wl,-soname,{path.name}", "-o", path, "-x", "c", "-", "-x", "none", *others],
                       input=source, text=True, check=True)
    return path


@not_on_windows("Python is a script here")
class RunTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        cls.addClassCleanup(scratch.cleanup)
        cls.empty = pathlib.Path(scratch.name) / "env"
        run(sys.executable, "-m", "venv", "--without-pip", cls.empty, check=0)

    def setUp(self):
        super().setUp()
        self.env = self.folder / "env"
        shutil.copytree(self.empty, self.env, symlinks=True)
        self.site, = self.env.glob("lib/python*/site-packages")
        self.package = self.site / "torchcodec"
        self.python = self.env / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.install("torchcodec", "0.9.1", PACKAGE)
        self.install("torch", "2.9.1", "")
        compile_library(self.site / "torch" / "lib" / "libtorch_cpu.so")

    def install(self, name, version, source, libraries=()):
        (self.site / name).mkdir()
        (self.site / name / "__init__.py").write_text(source)
        info = self.site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "RECORD").write_text("".join(f"{name}/{library},,\n" for library in libraries))

    def core(self, major, *arguments, **options):
        return compile_library(self.package / f"libtorchcodec_core{major}.so", *arguments, **options)

    def tcfix(self, *arguments, check, cwd=None, **variables):
        result = subprocess.run([harness.TCFIX, *map(str, arguments)], text=True, capture_output=True, cwd=cwd,
                                env={**os.environ, **variables}, errors="replace")
        self.assertEqual(result.returncode, check, result.stdout + result.stderr)
        return result

    def doctor(self, *arguments, check, **options):
        words = arguments or (self.env,)
        return json.loads(self.tcfix("doctor", "--run", "--json", *words, check=check, **options).stdout)

    def finding(self, report, code):
        found, = [one for one in report["findings"] if one["code"] == code]
        return found

    def replace_python(self, script):
        self.python.unlink()
        self.python.write_text("#!/bin/sh\n" + script)
        self.python.chmod(0o755)

    def everything(self):
        return {str(path): path.lstat().st_mtime_ns for path in self.env.rglob("*")}


class Verdicts(RunTest):
    def test_both_load(self):
        self.core(8, needs=["libavutil.so.60"])
        self.core(7)
        before = self.everything()
        report = self.doctor(check=0)
        self.assertEqual(report["verdict"], "ok")
        ran = report["run"]
        self.assertEqual((ran["ok"], ran["agrees"], ran["ffmpeg_major"], ran["python"]),
                         (True, True, 7, str(self.python)))
        self.assertEqual([(group["ffmpeg"], group["loads"], group["simulated"]) for group in ran["groups"]],
                         [(8, False, False), (7, True, True)])
        self.assertIn("libavutil.so.60: cannot open", ran["groups"][0]["libraries"][0]["error"])
        self.assertIsNone(ran["groups"][1]["libraries"][0]["error"])
        self.assertGreater(ran["seconds"], 0)
        finding = self.finding(report, "loads-for-real")
        self.assertEqual((finding["severity"], finding["action"]), ("info", None))
        page = self.folder / "page.html"
        text = self.tcfix("doctor", "--run", "--html", page, self.env, check=0).stdout
        self.assertRegex(text, r"(?m)^  python    loads          with FFmpeg 7 \(\d+\.\d s\)$")
        self.assertRegex(page.read_text(), r'<th scope="row">python</th>.*loads.*with FFmpeg 7')
        self.assertEqual(self.everything(), before)  # bytecode is not written, either

    def test_both_fail(self):
        self.core(7, needs=["libavutil.so.59"])
        report = self.doctor(check=1)
        self.assertEqual((report["run"]["ok"], report["run"]["agrees"]), (False, True))
        self.assertIn("Could not load libtorchcodec", report["run"]["error"])
        self.assertNotIn("loads-for-real", [one["code"] for one in report["findings"]])
        text = self.tcfix("doctor", "--run", self.env, check=1).stdout
        self.assertIn("  python    does not load  RuntimeError: Could not load libtorchcodec\n", text)

    def test_required_majors(self):
        self.core(8, needs=["libavutil.so.60"])
        self.core(7)
        self.doctor("--require", 7, self.env, check=0)
        self.assertFalse(self.doctor("--require", "7,8", self.env, check=1)["run"]["ok"])
        self.tcfix("apply", "--run", "--require", 7, self.env, check=0)
        said = self.tcfix("apply", "--run", "--require", 8, self.env, check=4)
        self.assertIn("not confirmed by", said.stdout)

    def test_python_loads_but_the_simulation_does_not(self):
        self.core(7, needs=["libavutil.so.59"])
        variables = {"LD_PRELOAD": str(compile_library(self.folder / "libavutil.so.59")),
                     "ASAN_OPTIONS": "verify_asan_link_order=0"}  # for a sanitized tcfix
        report = self.doctor(check=0, **variables)
        self.assertEqual((report["verdict"], report["run"]["ok"], report["run"]["agrees"]), ("ok", True, False))
        finding = self.finding(report, "simulation-disagrees")
        self.assertEqual(finding["severity"], "error")
        self.assertEqual(finding["evidence"]["real"], "loads")
        self.assertRegex(finding["evidence"]["simulated"], r"does not load \(.*libavutil.so.59")
        self.assertRegex(finding["evidence"]["report"],
                         r"^FFmpeg 7: simulated: does not load \(.*\); real: loads; torchcodec 0.9.1, torch 2.9.1, python3.*, Linux ")
        self.assertEqual(finding["action"], f"tcfix doctor --run --json {self.env}")
        # The simulation's cause is not the real one.
        self.assertEqual([one["code"] for one in report["findings"] if one["severity"] == "error"],
                         ["simulation-disagrees"])

        said = self.tcfix("apply", "--run", self.env, check=0, **variables)
        self.assertIn("disagree", said.stderr)
        self.assertIn("confirmed by", said.stdout)

    def test_python_crashes_but_the_simulation_loads(self):
        self.core(7, CRASHES)
        self.tcfix("doctor", self.env, check=0)
        report = self.doctor(check=1)
        self.assertEqual((report["verdict"], report["run"]["ok"], report["run"]["agrees"]), ("broken", False, False))
        finding = self.finding(report, "simulation-disagrees")
        self.assertIn("crashed with signal 6", finding["message"])
        self.assertTrue(finding["path"].endswith("libtorchcodec_core7.so"))
        self.assertEqual(finding["evidence"]["simulated"], "loads")
        # No repair is recommended that would not help.
        self.assertEqual(report["action"], finding["action"])
        self.tcfix("apply", self.env, check=0)
        (target,) = json.loads(self.tcfix("apply", "--run", "--json", self.env, check=4).stdout)["targets"]
        self.assertEqual((target["loads"]["after"], target["run"]["ok"]), (True, False))

    def test_import_that_fails_for_another_reason(self):
        self.core(7)
        (self.package / "__init__.py").write_text("import absent_module")
        report = self.doctor(check=1)
        self.assertEqual((report["run"]["ok"], report["run"]["agrees"]), (False, True))
        finding = self.finding(report, "import-fails")
        self.assertEqual(finding["severity"], "error")
        self.assertIn("No module named 'absent_module'", finding["message"])
        self.assertIn("absent_module", subprocess.run(finding["action"], shell=True, text=True,
                                                      capture_output=True).stderr)

    def test_package_without_a_recipe(self):
        """Its code loads a library before another one that needs it and could not find it."""
        self.install("tiny", "1.0", "import ctypes, pathlib\nhere = pathlib.Path(__file__).parent\n"
                                    "ctypes.CDLL(str(here / 'libb.so'))\nctypes.CDLL(str(here / '_a.so'))\n",
                     ["_a.so", "libb.so"])
        compile_library(self.site / "tiny" / "_a.so", needs=["libb.so"])
        compile_library(self.site / "tiny" / "libb.so")
        report = self.doctor("--package", "tiny", self.env, check=0)
        group, = report["run"]["groups"]
        self.assertEqual((group["ffmpeg"], group["loads"], group["agrees"]), (None, True, True))
        self.assertEqual(report["run"]["smoke_test"], "import tiny")
        self.assertIsNone(report["run"]["ffmpeg_major"])

    def test_one_library_alone(self):
        library = compile_library(self.package / "mine.so")
        self.assertTrue(self.doctor(library, check=0)["run"]["ok"])
        compile_library(library, needs=["libnone.so"])
        self.assertFalse(self.doctor(library, check=1)["run"]["ok"])


class Isolation(RunTest):
    def setUp(self):
        super().setUp()
        self.core(7)

    def test_nothing_of_the_user_is_imported(self):
        poison = self.folder / "poison"
        poison.mkdir()
        for name in ("json", "os", "ctypes", "torchcodec", "sitecustomize", "usercustomize"):
            (poison / f"{name}.py").write_text("raise SystemExit('poison')")
        report = self.doctor(check=0, cwd=poison, PYTHONPATH=str(poison), PYTHONHOME=str(poison),
                             PYTHONUSERBASE=str(poison), PYTHONSTARTUP=str(poison / "json.py"))
        self.assertTrue(report["run"]["ok"])

    def test_packages_of_the_user_count_where_the_environment_has_them(self):
        """--system-site-packages without -s; and still not the current directory."""
        config = self.env / "pyvenv.cfg"
        config.write_text(config.read_text().replace("include-system-site-packages = false",
                                                     "include-system-site-packages = true"))
        home, poison = self.folder / "home", self.folder / "poison"
        user = home / ".local" / self.site.relative_to(self.env)
        user.mkdir(parents=True)
        poison.mkdir()
        (user / "users_own.py").write_text("")
        (poison / "json.py").write_text("raise SystemExit('poison')")
        (self.package / "__init__.py").write_text("import users_own\n" + PACKAGE)
        self.assertTrue(self.doctor(check=0, cwd=poison, HOME=str(home))["run"]["ok"])

    def test_output_of_the_package_does_no_harm(self):
        noise = textwrap.dedent("""
            import os, sys
            os.write(1, b'\\xff\\x00garbage' * 500000)
            os.write(2, b'\\xfe' * 3000000)
            print("tcfix-trial: nonsense", end="")
            sys.stdout = sys.stderr = None
            """)
        (self.package / "__init__.py").write_text(noise + PACKAGE)
        report = self.doctor(check=0)
        self.assertEqual((report["run"]["ok"], report["run"]["ffmpeg_major"]), (True, 7))

    def test_standard_input_is_empty(self):
        (self.package / "__init__.py").write_text("import sys\nassert sys.stdin.read() == ''\n" + PACKAGE)
        self.doctor(check=0)

    def test_the_hook_does_not_run(self):
        (self.package / "__init__.py").write_text("import os\nassert os.environ['TCFIX_DISABLE'] == '1'\n" + PACKAGE)
        self.doctor(check=0, TCFIX_DISABLE="0")

    def test_interrupt_ends_python(self):
        self.core(7, FOR_EVER)
        note = self.folder / "pid"
        (self.package / "__init__.py").write_text(
            f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()) + '.')\ntime.sleep(1000)")
        for command in ("doctor", "apply"):
            with self.subTest(command):
                note.unlink(missing_ok=True)
                process = subprocess.Popen([harness.TCFIX, command, "--run", self.env], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                while not (note.exists() and note.read_text().endswith(".")):
                    self.assertIsNone(process.poll())
                    time.sleep(0.02)
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate()
                self.assertEqual(process.returncode, 130, errors)
                self.assertIn("interrupted", errors)
                child = pathlib.Path("/proc") / note.read_text().strip(".") / "stat"
                self.assertTrue(not child.exists() or child.read_text().split()[2] == "Z")

    def test_without_the_option_nothing_is_started(self):
        mark = self.folder / "started"
        self.replace_python(f": > {mark}\n")
        for command in (["doctor"], ["apply"], ["list"]):
            subprocess.run([harness.TCFIX, *command, self.env], capture_output=True)
            self.assertFalse(mark.exists(), command)
        report = self.doctor(check=1)
        self.assertTrue(mark.exists())
        self.assertIn("exit code 0 and without a result", report["run"]["error"])

    def test_python_that_cannot_be_started(self):
        self.python.unlink()
        self.python.write_text("no program")
        self.python.chmod(0o755)
        self.assertIn("failed to start Python", self.doctor(check=1)["run"]["error"])


class Refusals(RunTest):
    def refused(self, target, *options, words):
        """By both commands, before anything is written."""
        before = self.everything()
        for command in ("doctor", "apply"):
            errors = json.loads(self.tcfix(command, "--run", "--json", *options, target, check=2).stdout)["errors"]
            self.assertEqual([error["code"] for error in errors], ["usage"])
            self.assertIn(words, errors[0]["message"])
            self.assertTrue(errors[0]["hint"])
        self.assertEqual(self.everything(), before)

    def setUp(self):
        super().setUp()
        self.core(7)

    def test_sysroot(self):
        self.refused(self.env, "--sysroot", "/", words="below --sysroot")

    def test_another_platform(self):
        tree = MacTree(self.folder / "mac")
        self.refused(tree.env, words="the libraries are for macOS")

    def test_no_python(self):
        shutil.rmtree(self.env / "bin")
        self.refused(self.env, words="no Python found")
        bare = self.folder / "bare" / "site-packages"
        shutil.copytree(self.site, bare)
        self.refused(bare, words="no Python found")

    def test_python_that_is_not_a_program(self):
        self.python.unlink()
        self.python.write_text("")
        self.refused(self.env, words="not executable")

    @unittest.skipIf(os.geteuid() != 0, "only root can lend power")
    def test_root_starts_no_python_of_another_user(self):
        for path in (self.env, self.site, self.env / "bin"):
            with self.subTest(path):
                os.chown(path, 1234, -1)
                self.refused(self.env, words="belongs to user 1234")
                os.chown(path, 0, -1)
        self.doctor(check=0)

    def test_incompatible_options(self):
        for option in ("--dry-run", "--check"):
            self.assertIn("cannot be combined", self.tcfix("apply", "--run", option, self.env, check=2).stderr)
        self.assertIn("--traceback and --run cannot be combined",
                      self.tcfix("doctor", "--run", "--traceback", "/dev/null", check=2).stderr)

    def test_null_without_it(self):
        self.assertIsNone(json.loads(self.tcfix("doctor", "--json", self.env, check=0).stdout)["run"])
        (target,) = json.loads(self.tcfix("apply", "--json", self.env, check=0).stdout)["targets"]
        self.assertIsNone(target["run"])


if __name__ == "__main__":
    unittest.main()
