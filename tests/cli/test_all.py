"""`tcfix doctor --all` and `tcfix apply --all` on environments of tiny real libraries: what decides the
verdict, what is only a warning, and what may be written. Checked with the environment's own Python if possible."""
import base64
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import not_on_windows, run, tcfix, tcfix_json, TCFIX

SUFFIX = subprocess.run([sys.executable, "-c", "import sysconfig as s; print(s.get_config_var('EXT_SUFFIX'))"],
                        capture_output=True, text=True, check=True).stdout.strip()

SHOWN = {"on-demand-missing", "driver-missing"}  # findings


def module(name):
    """The source of an extension module without Python's headers; it is not imported."""
    return f"void *PyInit_{name}(void) {{ return 0; }}"


class Environment:
    """A virtual environment of this Python, with packages that are compiled here."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "venv"
        run(sys.executable, "-m", "venv", "--without-pip", self.path, check=0)
        (self.site,) = self.path.glob("lib/python3*/site-packages")
        self.scratch = pathlib.Path(folder) / "scratch"
        self.scratch.mkdir()

    def library(self, name, source="int here;", needs=(), flags=(), soname=None):
        """Compiles a library into the site; `needs` are paths of libraries or names of stand-ins."""
        path = self.site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        command = ["gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--no-as-needed",
                   f"-Wl,-soname,{soname or path.name}", "-o", path, "-x", "c", "-", "-x", "none"]
        for need in needs:
            if not isinstance(need, pathlib.Path):
                stand_in = self.scratch / need
                if not stand_in.exists():
                    subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{need}", "-o",
                                    stand_in, "-x", "c", "-"], input="int stand_in;", text=True, check=True)
                need = stand_in
            command.append(need)
        subprocess.run([*map(str, command), *flags], input=source, text=True, check=True)
        return path

    def install(self, name, version="1.0", code="", requires=(), top=None):
        """Writes .dist-info for the files in the package's directories."""
        top = top or name.replace("-", "_")
        if code is not None:
            (self.site / top).mkdir(exist_ok=True)
            (self.site / top / "__init__.py").write_text(code)
        info = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        lines = [f"Requires-Dist: {each}\n" for each in requires]
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(lines))
        rows = []
        for folder in (self.site / top, self.site / f"{top}.libs"):
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=")
                    rows.append(f"{file.relative_to(self.site)},sha256={digest.decode()},{file.stat().st_size}\n")
        (info / "RECORD").write_text("".join(rows) + f"{info.name}/RECORD,,\n")

    def doctor(self, *options, check=0):
        return tcfix_json("doctor", "--all", *options, self.path, check=check)

    def packages(self, *options, check=0):
        return {each["name"]: each for each in self.doctor(*options, check=check)["packages"]}


@unittest.skipUnless(sys.platform == "linux" and shutil.which("gcc"), "needs gcc on Linux")
@not_on_windows("the environments are this machine's")
class All(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.env = Environment(folder.name)

    def test_an_environment_without_libraries_is_healthy(self):
        result = self.env.doctor()
        self.assertEqual((result["verdict"], result["packages"]), ("ok", []))
        self.assertNotIn("groups", result)

    def test_modules_decide_and_other_libraries_warn(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.library("one/plugin.so", needs=["libgone.so.1"])
        self.env.install("one")
        self.env.library(f"two/bad{SUFFIX}", module("bad"), needs=["libgone.so.1"])
        self.env.library(f"two/fine{SUFFIX}", module("fine"))
        self.env.install("two", "2.0")
        packages = self.env.packages(check=1)
        one, two = packages["one"], packages["two"]
        self.assertEqual((one["verdict"], one["warnings"], one["libraries"]), ("ok", 1, 2))
        self.assertIsNone(one["cause"])
        self.assertEqual((two["verdict"], two["version"]), ("broken", "2.0"))
        self.assertIn("libgone.so.1", two["cause"])
        self.assertEqual((two["needed"], two["needed_failing"]), (2, 1))
        text = tcfix("doctor", "--all", self.env.path, check=1).stdout
        self.assertIn("two 2.0  does not load: 1 of 2 modules", text)
        self.assertIn("one 1.0  loads, with warnings", text)
        self.assertIn("broken: 2 packages with native libraries", text)

    def test_exports_identify_a_module(self):
        self.env.library("one/plain.so", module("plain"), needs=["libgone.so.1"])
        self.env.install("one")
        self.env.library("two/plain.so", module("other"), needs=["libgone.so.1"])
        self.env.library(f"two/good{SUFFIX}", module("good"))
        self.env.install("two")
        packages = self.env.packages(check=1)
        self.assertEqual(packages["one"]["verdict"], "broken")
        self.assertEqual(packages["two"]["verdict"], "ok")

    def test_a_known_optional_module_warns(self):
        self.env.library(f"numba/good{SUFFIX}", module("good"))
        self.env.library(f"numba/tbbpool{SUFFIX}", module("tbbpool"), needs=["libtbb.so.12"])
        self.env.install("numba")
        package = self.env.packages()["numba"]
        self.assertEqual((package["verdict"], package["warnings"]), ("ok", 1))

    def test_without_modules_requirements_of_others_decide(self):
        wanted = self.env.library("base/lib/libwanted.so.1")
        self.env.library("base/lib/libextra.so.1", needs=["libgone.so.1"])
        self.env.install("base", code=None)
        self.env.library(f"user/good{SUFFIX}", module("good"), needs=[wanted],
                         flags=["-Wl,-rpath,$ORIGIN/../base/lib"])
        self.env.install("user")
        self.assertEqual({name: each["verdict"] for name, each in self.env.packages().items()},
                         {"base": "ok", "user": "ok"})
        # No package requires them, and no code loads them.
        shutil.rmtree(self.env.site / "user-1.0.dist-info")
        package = self.env.packages()["base"]
        self.assertEqual((package["verdict"], package["warnings"]), ("ok", 1))

    def test_without_modules_libraries_loaded_by_code_decide(self):
        self.env.library("one/lib/libone.so", needs=["libgone.so.1"])
        self.env.install("one", code="import ctypes; ctypes.CDLL('libone.so')\n")
        self.assertEqual(self.env.packages(check=1)["one"]["verdict"], "broken")

    def test_a_function_that_this_python_lacks_is_reported(self):
        self.env.library(f"one/good{SUFFIX}", "void *PyLong_FromLong(long); void *PyInit_good(void) "
                         "{ return PyLong_FromLong(1); }")
        self.env.install("one")
        self.env.library(f"two/old{SUFFIX}", "void *PyBooq_Type(long); void *PyInit_old(void) "
                         "{ return PyBooq_Type(1); }")
        self.env.install("two")
        packages = self.env.packages(check=1)
        self.assertEqual(packages["one"]["verdict"], "ok")
        self.assertEqual(packages["two"]["verdict"], "broken")
        self.assertIn("PyBooq_Type", packages["two"]["cause"])

    def test_a_missing_module_is_reported(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        gone = self.env.library(f"one/gone{SUFFIX}", module("gone"))
        self.env.install("one")
        gone.unlink()
        package = self.env.packages(check=1)["one"]
        self.assertEqual(package["verdict"], "broken")
        self.assertIn(gone.name, package["cause"])

    def test_a_truncated_module_is_reported(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        cut = self.env.library(f"one/cut{SUFFIX}", module("cut"))
        self.env.install("one")
        cut.write_bytes(cut.read_bytes()[:40])
        package = self.env.packages(check=1)["one"]
        self.assertEqual(package["verdict"], "broken")
        self.assertIn(cut.name, package["cause"])

    def test_siblings_count_if_the_code_loads_them(self):
        sibling = self.env.library("one/deep/libsibling.so")
        self.env.library(f"one/user{SUFFIX}", module("user"), needs=[sibling])
        self.env.install("one", code="import ctypes; ctypes.CDLL('libsibling.so')\n")
        self.assertEqual(self.env.packages()["one"]["verdict"], "ok")
        shutil.rmtree(self.env.site / "one-1.0.dist-info")
        self.env.install("one", code="")
        self.assertEqual(self.env.packages(check=1)["one"]["verdict"], "broken")

    def test_the_driver_belongs_to_the_machine(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.library("one/libgpu.so", needs=["libcuda.so.1"])
        self.env.install("one")
        if pathlib.Path("/usr/lib/x86_64-linux-gnu/libcuda.so.1").exists():
            self.skipTest("this machine has the driver")
        result = self.env.doctor()
        self.assertEqual([(each["code"], each["severity"]) for each in result["findings"]],
                         [("on-demand-missing", "info")])
        self.assertIn("NVIDIA driver", result["findings"][0]["message"])
        self.env.library(f"one/bad{SUFFIX}", module("bad"), needs=["libcuda.so.1"])
        shutil.rmtree(self.env.site / "one-1.0.dist-info")
        self.env.install("one")
        result = self.env.doctor(check=1)
        self.assertIn(("driver-missing", "error"),
                      [(each["code"], each["severity"]) for each in result["findings"]])

    def test_apply_uses_libraries_of_the_environment(self):
        wanted = self.env.library("nvidia/cublas/lib/libcublas.so.12")
        self.env.install("nvidia-cublas-cu12", top="nvidia", code=None)
        self.env.library(f"one/good{SUFFIX}", module("good"))
        provider = self.env.library("one/libprovider.so", needs=[wanted])
        healthy = self.env.library(f"two/good{SUFFIX}", module("good"))
        self.env.install("one")
        self.env.install("two")
        before = {path: path.read_bytes() for path in (provider, healthy)}
        record = (self.env.site / "one-1.0.dist-info/RECORD").read_bytes()
        package = self.env.packages()["one"]
        self.assertEqual((package["warnings"], package["action"]),
                         (1, f"tcfix apply --package one {self.env.path}"))

        files = tcfix_json("apply", "--all", self.env.path)["targets"][0]["files"]
        changed = [each for each in files if each["status"] == "changed"]
        self.assertEqual([pathlib.Path(each["path"]).name for each in changed], ["libprovider.so"])
        self.assertEqual([edit["value"] for edit in changed[0]["edits"]],
                         ["$ORIGIN/../nvidia/cublas/lib"])
        self.assertEqual(healthy.read_bytes(), before[healthy])
        python = self.env.path / "bin/python"
        run(python, "-c", f"import ctypes; ctypes.CDLL({str(provider)!r})", check=0)
        self.assertEqual(self.env.packages()["one"]["warnings"], 0)

        stamp = provider.stat().st_mtime_ns
        again = tcfix_json("apply", "--all", self.env.path)["targets"][0]
        self.assertEqual((again["summary"]["changed"], provider.stat().st_mtime_ns), (0, stamp))
        tcfix("undo", self.env.path)
        self.assertEqual(provider.read_bytes(), before[provider])
        self.assertEqual((self.env.site / "one-1.0.dist-info/RECORD").read_bytes(), record)

    def test_apply_uses_libraries_of_a_required_package(self):
        wanted = self.env.library("parts/lib/libpart.so.6")
        self.env.install("whole-parts", top="parts", code=None)
        broken = self.env.library(f"whole/core{SUFFIX}", module("core"), needs=[wanted])
        self.env.install("whole", requires=["whole-parts (>=1)", "other ; extra == 'x'"])
        self.assertEqual(self.env.packages(check=1)["whole"]["verdict"], "broken")
        self.assertIn('next: python -c "import whole.core"\n', tcfix("apply", "--all", self.env.path).stdout)
        run(self.env.path / "bin/python", "-c", f"import ctypes; ctypes.CDLL({str(broken)!r})", check=0)
        self.assertEqual(self.env.packages()["whole"]["verdict"], "ok")

    def test_an_unreadable_module_is_the_cause(self):
        bad = self.env.library(f"one/bad{SUFFIX}", module("bad"))
        self.env.library("one/libplugin.so", needs=["libgone.so.1"])
        self.env.install("one", code="import ctypes\ndef f(x):\n    ctypes.CDLL(x)\n")
        bad.write_bytes(bad.read_bytes()[:40])
        package = self.env.packages(check=1)["one"]
        self.assertEqual(package["verdict"], "broken")
        self.assertIn(bad.name, package["cause"])

    def test_apply_recommends_nothing_that_proves_nothing(self):
        wanted = self.env.library("nvidia/cublas/lib/libcublas.so.12")
        self.env.library("nvidia/cusolver/lib/libcusolver.so.11", needs=[wanted])
        self.env.install("nvidia-cu12", top="nvidia", code=None)
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.library("one/libplugin.so", needs=[wanted])
        self.env.install("one")
        text = tcfix("apply", "--all", self.env.path).stdout
        self.assertIn("2 libraries changed", text)
        self.assertNotIn("next:", text)

    def test_a_module_uses_the_libraries_that_imports_before_it_have_loaded(self):
        part = self.env.library("one.libs/libpart.so.1")
        self.env.library(f"one/_first{SUFFIX}", module("_first"), needs=[part],
                         flags=["-Wl,-rpath,$ORIGIN/../one.libs"])
        self.env.library(f"one/_later{SUFFIX}", module("_later"), needs=[part])
        self.env.install("one", code="from . import _first\n")
        self.assertEqual(self.env.packages()["one"]["verdict"], "ok")
        (self.env.site / "one/__init__.py").write_text("def load():\n    from . import _first\n")
        self.assertEqual(self.env.packages(check=1)["one"]["verdict"], "broken")

    def test_libraries_that_cannot_be_repaired_are_not_changed(self):
        broken = self.env.library(f"one/bad{SUFFIX}", module("bad"), needs=["libgone.so.1"])
        self.env.install("one")
        before = broken.read_bytes()
        result = tcfix_json("apply", "--all", self.env.path, check=4)
        self.assertEqual(result["targets"][0]["summary"]["changed"], 0)
        self.assertEqual(broken.read_bytes(), before)

    def test_python_confirms_each_module(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.library(f"one/bad{SUFFIX}", module("bad"), needs=["libgone.so.1"])
        self.env.install("one")
        result = self.env.doctor("--run", check=1)
        self.assertEqual(result["packages"][0]["verdict"], "broken")
        self.assertTrue(result["run"]["agrees"])
        loads = {pathlib.Path(each["libraries"][0]["path"]).name.split(".")[0]: each["loads"]
                 for each in result["run"]["groups"]}
        self.assertEqual(loads, {"good": True, "bad": False})

    def test_a_crash_is_a_disagreement(self):
        self.env.library(f"one/crash{SUFFIX}", module("crash") +
                         "__attribute__((constructor)) static void start(void) { *(volatile int *)0 = 1; }")
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.install("one")
        self.assertEqual(self.env.packages()["one"]["verdict"], "ok")
        result = self.env.doctor("--run", check=1)
        (finding,) = [each for each in result["findings"] if each["code"] == "simulation-disagrees"]
        self.assertIn("crash", finding["message"])
        self.assertEqual([each["loads"] for each in result["run"]["groups"]], [False, True])

    def test_the_page_has_a_row_for_each_package(self):
        self.env.library(f"one/good{SUFFIX}", module("good"))
        self.env.install("one")
        self.env.library(f"two/bad{SUFFIX}", module("bad"), needs=["libgone.so.1"])
        self.env.install("two")
        page = self.env.path / "page.html"
        tcfix("doctor", "--all", "--html", page, self.env.path, check=1)
        text = page.read_text()
        for part in ("one 1.0", "two 1.0", "libgone.so.1", 'class="sort"', "<svg "):
            self.assertIn(part, text)
        self.assertNotIn("{{", text)

    def test_wrong_usage(self):
        for options in (["--package", "x"], ["--dot"]):
            self.assertEqual(run(TCFIX, "doctor", "--all", *options, self.env.path).returncode, 2)
        for options in (["--package", "x"], ["--rpath", "/x"], ["--replace-from", "/"]):
            self.assertEqual(run(TCFIX, "apply", "--all", *options, self.env.path).returncode, 2)
        self.assertEqual(run(TCFIX, "doctor", "--all", self.env.scratch).returncode, 2)


if __name__ == "__main__":
    unittest.main()
