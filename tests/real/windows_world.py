"""A Windows machine for tests: Wine's own drive C:, which is also a sysroot, with environments of the real
torchcodec, torch and PyAV. "python" is a program that loads DLLs as Python does, with nothing on PATH."""
import pathlib
import re
import shutil
import tempfile
import unittest

import pefile

from harness import ROOT, find_tool, link_tree, run, tcfix, wheels
from wine import WINE_TOOLS, start_wine, wine

SOURCES = ROOT / "tests" / "pe" / "sources"
GCC = "x86_64-w64-mingw32-gcc"


def build_interpreter(folder):
    """python.exe, and a python312.dll with every symbol that torchcodec and torch import from it."""
    folder.mkdir()
    run(GCC, "-O1", "-municode", SOURCES / "loader.c", "-o", folder / "python.exe", check=0)
    names = set()
    for path in [*wheel("torchcodec", "0.9.1").glob("torchcodec/*7.*"), *wheel("torch", "2.9.1").glob("torch/lib/torch_python.dll")]:
        image = pefile.PE(str(path), fast_load=True)
        image.parse_data_directories(directories=[1])
        for entry in image.DIRECTORY_ENTRY_IMPORT:
            if entry.dll.lower() == b"python312.dll":
                names.update(one.name.decode() for one in entry.imports)
        image.close()
    source, exports = folder / "stub.s", folder / "stub.def"
    source.write_text(".text\nstub: xor %eax, %eax\nret\n" +
                      "".join(f".globl {name}\n.set {name}, stub\n" for name in sorted(names)))
    exports.write_text("EXPORTS\n" + "".join(f"  {name}\n" for name in sorted(names)))
    run(GCC, "-shared", "-nostdlib", "-Wl,-e,0", source, exports, "-o", folder / "python312.dll", check=0)
    for path in (source, exports):
        path.unlink()


def wheel(name, version):
    return wheels("windows") / f"{name}-{version}-cp312-cp312-win_amd64"


class WindowsTest(unittest.TestCase):
    """A test with its own environment of torchcodec 0.9.1 and torch 2.9.1."""

    count = 0

    @classmethod
    def setUpClass(cls):
        absent = [tool for tool in (*WINE_TOOLS, GCC) if not find_tool(tool)]
        if absent:
            raise unittest.SkipTest("not installed: " + ", ".join(absent))
        folder = tempfile.mkdtemp(prefix="tcfix-test-")
        cls.addClassCleanup(shutil.rmtree, folder)
        home = pathlib.Path(folder).resolve()
        cls.interpreter = home / "interpreter"
        build_interpreter(cls.interpreter)
        cls.addClassCleanup(start_wine(home / "prefix"))
        wine(cls.interpreter / "python.exe")  # creates the prefix
        # Its drive C: is also the sysroot, with Wine's own Windows on it.
        cls.disk = home / "disk"
        cls.drive = cls.disk / "C"
        cls.disk.mkdir()
        (home / "prefix" / "drive_c").rename(cls.drive)
        (home / "prefix" / "drive_c").symlink_to(cls.drive)

    def setUp(self):
        WindowsTest.count += 1
        self.root = self.drive / "envs" / f"env{WindowsTest.count}"
        self.site = self.root / "Lib" / "site-packages"
        self.package = self.site / "torchcodec"
        shutil.copytree(self.interpreter, self.root / "Scripts")
        (self.root / "pyvenv.cfg").write_text("home = C:\\Python312\nversion = 3.12.4\n")
        self.addCleanup(shutil.rmtree, self.root)
        for name, version in (("torchcodec", "0.9.1"), ("torch", "2.9.1")):
            self.install(name, version)

    def windows_path(self, path):
        return "C:\\" + str(path.relative_to(self.drive)).replace("/", "\\")

    def install(self, name, version):
        link_tree(wheel(name, version), self.site)

    def uninstall(self, name):
        for path in self.site.glob(f"{name}[.-]*"):
            shutil.rmtree(path)
        shutil.rmtree(self.site / name)

    def ffmpeg_in(self, folder, version="15.1.0"):
        """PyAV's FFmpeg under the usual names."""
        shutil.copytree(wheel("av", version) / "av.libs", folder)
        self.addCleanup(shutil.rmtree, folder)
        usual = {path.name: f"{path.stem.rpartition('-')[0]}.dll" for path in folder.iterdir()
                 if re.match(r"(av|sw)\w+-\d+-\w+\.dll", path.name)}
        renames = [part for old, new in usual.items() for part in ("--rename-dependency", f"{old}={new}")]
        for old, new in usual.items():
            (folder / old).rename(folder / new)
            tcfix("edit", *renames, folder / new)

    def load(self, *arguments, **variables):
        program = self.root / "Scripts" / "python.exe"
        lines = wine(program, *arguments, environment={"WINEPATH": "", **variables})
        return [line for line in lines if not line.startswith(("debug:", "  "))]

    def libraries(self, major):
        return [self.windows_path(self.package / name) for name in
                (f"libtorchcodec_core{major}.dll", f"libtorchcodec_custom_ops{major}.dll",
                 f"libtorchcodec_pybind_ops{major}.pyd")]

    def verdicts(self, **variables):
        """{major: whether all its libraries load}, each in its own process."""
        return {major: self.load(*self.libraries(major), **variables) == ["loaded"] * 3
                for major in (8, 7, 6, 5, 4)}
