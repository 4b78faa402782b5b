"""The hook from installation to removal, with real pip, real uv, the real ld.so, and the published torchcodec and
PyAV. Only torch is a stand-in (sources/torch_stand_in.py)."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import harness
from harness import FilesTest, find_tool, link_tree, run, tcfix, tcfix_json
from linux_trees import require_tools
from torch_stand_in import av_wheel, torch_wheel, torchcodec_wheel

# Imports torchcodec; prints which FFmpeg it uses, and whether a process was started.
PROGRAM = """
import sys
started = []
sys.addaudithook(lambda event, _: event in ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec",
                                            "os.system") and started.append(event))
import torchcodec
print(torchcodec.ffmpeg_major_version, "repaired" if started else "as it was")
"""
UNREPAIRED = "Could not load libtorchcodec"


def setUpModule():
    require_tools()
    scratch = tempfile.TemporaryDirectory(prefix="tcfix-test-")
    unittest.addModuleCleanup(scratch.cleanup)
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "TCFIX_DISABLE", "TCFIX_FFMPEG",
                 "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"):
        os.environ.pop(name, None)
    global WHEELS
    WHEELS = pathlib.Path(scratch.name)
    for version in ("15.1.0", "16.0.1"):
        av_wheel(WHEELS, version)
    torch_wheel(WHEELS)
    shutil.copy2(torchcodec_wheel(), WHEELS)


class Story(FilesTest):
    """Every test has its own environment in which pip or uv installed torch, torchcodec and PyAV."""

    before = ()  # a command prefix for Python

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        cls.addClassCleanup(scratch.cleanup)
        cls.first = pathlib.Path(scratch.name) / "env"
        cls.create(cls.first)
        cls.install_into(cls.first, "torch==2.9.1", "torchcodec==0.9.1", "av==15.1.0")

    def setUp(self):
        super().setUp()
        self.env = self.folder / "env"
        shutil.copytree(self.first, self.env, symlinks=True, copy_function=harness.link_or_copy)
        self.site, = self.env.glob("lib/python*/site-packages")

    def install(self, *requirements):
        self.install_into(self.env, *requirements)

    def start(self, *flags, code=PROGRAM, **variables):
        return subprocess.Popen([*self.before, self.env / "bin" / "python", *flags, "-c", code],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **variables})

    def imports(self, *flags, **options):
        """The output of one start of Python, or its failure, which must be torchcodec's own."""
        return self.outcome(self.start(*flags, **options))

    def outcome(self, process):
        out, errors = process.communicate()
        if process.returncode == 0:
            self.assertEqual(errors, "")
            return out.strip()
        self.assertIn(UNREPAIRED, errors)
        self.assertNotIn("tcfix_hook", errors)
        return UNREPAIRED

    def check_settled(self, major):
        """The next start finds nothing to do, and neither does tcfix."""
        self.assertEqual(self.imports(), f"{major} as it was")
        tcfix("apply", "--check", self.env)

    def hook_files(self):
        return sorted(str(path.relative_to(self.site)) for path in self.site.rglob("*")
                      if "tcfix_hook" in str(path.relative_to(self.site)))


class Tests:
    """Requirements for every installer."""

    def test_a_reinstalled_package_is_repaired_again(self):
        self.assertEqual(self.imports(), UNREPAIRED)
        tcfix("hook", "install", self.env)
        self.assertEqual(self.imports(), "7 repaired")
        self.check_settled(7)
        published = self.published()
        self.assertNotEqual(self.digests(), published)
        self.reinstall("torchcodec==0.9.1")
        self.assertEqual(self.digests(), published)
        self.assertEqual(self.imports(), "7 repaired")
        self.check_settled(7)

    def published(self):
        with zipfile.ZipFile(next(WHEELS.glob("torchcodec-*"))) as archive:
            return {name: hashlib.sha256(archive.read(name)).hexdigest()
                    for name in archive.namelist() if name.endswith(".so")}

    def digests(self):
        return {str(path.relative_to(self.site)): harness.sha256(path)
                for path in self.site.glob("torchcodec/*.so")}

    def test_another_ffmpeg_triggers_it(self):
        tcfix("hook", "install", self.env)
        self.assertEqual(self.imports(), "7 repaired")
        self.install("av==16.0.1")
        self.assertEqual(self.imports(), "8 repaired")
        self.check_settled(8)
        self.uninstall("av")
        self.assertEqual(self.imports(), UNREPAIRED)
        self.install("av==15.1.0")
        self.assertEqual(self.imports(), "7 repaired")
        self.check_settled(7)

    def test_many_at_once_are_one_repair(self):
        tcfix("hook", "install", self.env)
        for _ in range(2):
            outcomes = [self.outcome(process) for process in [self.start() for _ in range(8)]]
            self.assertEqual(sorted(outcomes), ["7 as it was"] * 7 + ["7 repaired"])
            self.reinstall("torchcodec==0.9.1")

    def test_remove_leaves_nothing(self):
        self.assertEqual(self.hook_files(), [])
        tcfix("hook", "install", self.env)
        written = self.hook_files()
        self.assertEqual(tcfix_json("hook", "status", self.env)["state"], "installed")
        self.assertEqual(self.imports(), "7 repaired")
        self.assertLess(set(written), set(self.hook_files()))
        tcfix("hook", "remove", self.env)
        self.assertEqual(self.hook_files(), [])
        self.assertEqual(tcfix_json("hook", "status", self.env, check=1)["state"], "absent")

    def test_the_installer_can_remove_it(self):
        tcfix("hook", "install", self.env)
        self.assertEqual(self.imports(), "7 repaired")
        self.assertIn("tcfix_hook/stamp.json", self.hook_files())
        self.uninstall("tcfix_hook")
        self.assertEqual(self.hook_files(), [])
        self.assertEqual(self.imports(), "7 as it was")


class Pip(Story, Tests):
    @staticmethod
    def create(env):
        run(sys.executable, "-m", "venv", env, check=0)

    @staticmethod
    def pip(env, *arguments):
        return run(env / "bin" / "python", "-m", "pip", "--disable-pip-version-check", *arguments, check=0)

    @classmethod
    def install_into(cls, env, *requirements):
        cls.pip(env, "install", "--no-index", "--find-links", WHEELS, "--no-deps", *requirements)

    def reinstall(self, *requirements):
        self.install("--force-reinstall", *requirements)

    def uninstall(self, name):
        self.pip(self.env, "uninstall", "--yes", name)

    def test_pip_finds_all_in_order(self):
        tcfix("hook", "install", self.env)
        self.assertIn("No broken requirements", self.pip(self.env, "check").stdout)
        shown = self.pip(self.env, "show", "--files", "tcfix_hook").stdout
        for name in self.hook_files():
            if (self.site / name).is_file():
                self.assertIn(name, shown)


class Uv(Story, Tests):
    @staticmethod
    def uv(*arguments):
        return run(sys.executable, "-m", "uv", "--offline", "--cache-dir", WHEELS / "cache", *arguments,
                   check=0)

    @classmethod
    def create(cls, env):
        cls.uv("venv", "--python", sys.executable, env)

    @classmethod
    def install_into(cls, env, *requirements):
        cls.uv("pip", "install", "--python", env, "--no-index", "--find-links", WHEELS, "--no-deps",
               *requirements)

    def reinstall(self, *requirements):
        self.install("--reinstall", *requirements)

    def uninstall(self, name):
        self.uv("pip", "uninstall", "--python", self.env, name)


class Circumstances(Story):
    """Independent of the installer: here uv, which is fast."""

    create, install_into, uv = Uv.create, Uv.install_into, staticmethod(Uv.uv)
    reinstall = Uv.reinstall

    def setUp(self):
        super().setUp()
        self.program = shutil.copy2(harness.TCFIX, self.folder / "tcfix")
        run(self.program, "hook", "install", self.env, check=0)

    def test_disabled(self):
        self.assertEqual(self.imports(TCFIX_DISABLE="1"), UNREPAIRED)
        self.assertEqual(self.imports(), "7 repaired")
        self.reinstall("torchcodec==0.9.1")
        self.assertEqual(self.imports(TCFIX_DISABLE="1"), UNREPAIRED)

    def test_without_site(self):
        self.assertEqual(self.imports("-S", PYTHONPATH=str(self.site)), UNREPAIRED)

    def test_isolated(self):
        self.assertEqual(self.imports("-I"), "7 repaired")

    def test_without_tcfix(self):
        os.unlink(self.program)
        self.assertEqual(tcfix_json("hook", "status", self.env, check=1)["state"], "stale")
        self.assertEqual(self.imports(PATH="/usr/bin:/bin"), UNREPAIRED)

    def test_on_a_read_only_disk(self):
        if os.geteuid() == 0:  # root may write anywhere without this
            self.before = ("setpriv", "--bounding-set=-dac_override")
            if not find_tool("setpriv") or run(*self.before, "true").returncode:
                self.skipTest("root may write everywhere")
        folders = [path for path in self.env.rglob("*") if path.is_dir() and not path.is_symlink()]
        for folder in folders:
            folder.chmod(0o555)
        self.addCleanup(lambda: [folder.chmod(0o755) for folder in folders])
        names = self.hook_files()
        self.assertEqual(self.imports(), UNREPAIRED)
        self.assertEqual(self.hook_files(), names)

    def test_without_bytecode(self):
        self.assertEqual(self.imports(PYTHONDONTWRITEBYTECODE="1"), "7 repaired")
        self.assertEqual(self.imports(PYTHONDONTWRITEBYTECODE="1"), "7 as it was")
        self.assertFalse([name for name in self.hook_files() if "__pycache__" in name])

    def test_moved(self):
        self.assertEqual(self.imports(), "7 repaired")
        self.env = self.env.rename(self.folder / "another place")
        self.site, = self.env.glob("lib/python*/site-packages")
        self.assertEqual(self.imports(), "7 repaired")
        self.check_settled(7)

    def test_workers_of_a_program_that_is_a_zip(self):
        """As pytest-xdist and torchrun start them: each is a new Python whose path begins with a zip."""
        program = self.folder / "program.pyz"
        with zipfile.ZipFile(program, "w") as archive:
            archive.writestr("work.py", "def major(_):\n"
                                        "    import torchcodec\n    return torchcodec.ffmpeg_major_version\n")
            archive.writestr("__main__.py", "import multiprocessing, work\n"
                             "if __name__ == '__main__':\n"
                             "    with multiprocessing.get_context('spawn').Pool(3) as pool:\n"
                             "        print(*pool.map(work.major, range(6)))\n")
        result = run(self.env / "bin" / "python", program, check=0)
        self.assertEqual((result.stdout, result.stderr), ("7 7 7 7 7 7\n", ""))
        self.check_settled(7)

    def test_the_stamp_covers_what_the_repair_depends_on(self):
        self.assertEqual(self.imports(), "7 repaired")
        stamp = json.loads((self.site / "tcfix_hook" / "stamp.json").read_text())
        names = {os.path.relpath(entry[0], self.site.resolve()) for entry in stamp["files"]}
        self.assertLessEqual({".", "torchcodec/libtorchcodec_core7.so", "torch/lib/libtorch_cpu.so",
                              "torchcodec-0.9.1.dist-info/RECORD", "torch-2.9.1.dist-info/RECORD",
                              "av-15.1.0.dist-info/RECORD"}, names)
        self.assertTrue([name for name in names if name.startswith("av.libs/libavcodec-")])


if __name__ == "__main__":
    sys.exit(unittest.main())
