"""`tcfix apply` on an environment of Windows' layout, with the real torchcodec, torch and PyAV, judged
by Wine. python is a program that loads DLLs as Python does, with nothing on PATH, and that reads a
video with the FFmpeg that torchcodec brought in."""
import hashlib
import pathlib
import re
import shutil
import struct
import tempfile
import unittest
import zipfile

import pefile

from harness import archives, find_tool, link_tree, run, tcfix, tcfix_json, wheels
from wine import WINE_TOOLS, start_wine, wine

SOURCES = pathlib.Path(__file__).resolve().parent / "sources"
GCC = "x86_64-w64-mingw32-gcc"
TORCH, PYAV = "$ORIGIN\\..\\torch\\lib", "$ORIGIN\\..\\av.libs"
FRAMES = 12


def make_video(path):
    import av
    with av.open(str(path), "w") as file:
        stream = file.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(FRAMES):
            frame = av.VideoFrame(64, 48, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([number * 20]) * plane.buffer_size)
            file.mux(stream.encode(frame))
        file.mux(stream.encode())


def build_interpreter(folder):
    """python.exe, and a python312.dll with every symbol that torchcodec and torch ask it for."""
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


def setUpModule():
    absent = [tool for tool in (*WINE_TOOLS, GCC) if not find_tool(tool)]
    if absent:
        raise unittest.SkipTest("not installed: " + ", ".join(absent))
    global HOME, DRIVE
    folder = tempfile.mkdtemp(prefix="tcfix-test-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    HOME = pathlib.Path(folder).resolve()
    build_interpreter(HOME / "interpreter")
    unittest.addModuleCleanup(start_wine(HOME / "prefix"))
    wine(HOME / "interpreter" / "python.exe")  # makes the prefix
    # Its drive C: is the one of a sysroot, with Wine's own Windows on it.
    DRIVE = HOME / "disk" / "C"
    DRIVE.parent.mkdir()
    (HOME / "prefix" / "drive_c").rename(DRIVE)
    (HOME / "prefix" / "drive_c").symlink_to(DRIVE)
    make_video(DRIVE / "video.mp4")


def windows_path(path):
    return "C:\\" + str(path.relative_to(DRIVE)).replace("/", "\\")


class Windows(unittest.TestCase):
    count = 0

    def setUp(self):
        Windows.count += 1
        self.root = DRIVE / "envs" / f"env{Windows.count}"
        self.site = self.root / "Lib" / "site-packages"
        self.package = self.site / "torchcodec"
        shutil.copytree(HOME / "interpreter", self.root / "Scripts")
        (self.root / "pyvenv.cfg").write_text("home = C:\\Python312\nversion = 3.12.4\n")
        self.addCleanup(shutil.rmtree, self.root)
        for name, version in (("torchcodec", "0.9.1"), ("torch", "2.9.1")):
            self.install(name, version)

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
        return [windows_path(self.package / name) for name in
                (f"libtorchcodec_core{major}.dll", f"libtorchcodec_custom_ops{major}.dll",
                 f"libtorchcodec_pybind_ops{major}.pyd")]

    def verdicts(self, **variables):
        """{major: whether all its libraries load}, each in a process of its own."""
        return {major: self.load(*self.libraries(major), **variables) == ["loaded"] * 3
                for major in (8, 7, 6, 5, 4)}

    def check(self, *options, loads, before=None):
        """Before, what loads is `before`; afterwards `loads`, says Wine, and tcfix, and tcfix again."""
        self.assertEqual([major for major, one in self.verdicts().items() if one], before or [])
        code = 0 if loads else 4
        (target,) = tcfix_json("apply", *options, self.root, check=code)["targets"]
        self.assertEqual([major for major, one in self.verdicts().items() if one], loads)
        # On a disk that cannot be seen, what was not found may yet be there.
        fails = False if "--sysroot" in options else None
        for regime in ("loads", "loads_bare"):
            self.assertEqual(target[regime], {"before": bool(before) or fails, "after": bool(loads) or fails}, regime)
        once = self.stamps()
        self.assertIn("nothing to do", tcfix("apply", *options, self.root, check=code).stdout)
        self.assertEqual(dict(self.stamps().items() - once.items()), {})
        return target

    def stamps(self):
        return {path: (path.stat().st_mtime_ns, path.stat().st_ctime_ns, path.stat().st_ino)
                for path in self.site.rglob("*")}

    def content(self):
        return {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
                for path in self.site.rglob("*") if path.is_file() and "torchcodec" in str(path)}

    def search_list(self, name):
        return tcfix_json("inspect", self.package / name)["files"][0]["rpaths"]

    def test_pyav(self):
        self.install("av", "15.1.0")
        for sysroot in (("--sysroot", DRIVE.parent), ()):
            with self.subTest(sysroot=bool(sysroot)):
                untouched = self.content()
                core = windows_path(self.package / "libtorchcodec_core7.dll")
                self.assertEqual(self.load(core), ["error 126"])
                target = self.check(*sysroot, loads=[7])
                self.assertEqual((target["ffmpeg"]["major"], target["ffmpeg"]["source"]), (7, "pyav"))
                self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, PYAV])
                self.assertEqual(self.search_list("libtorchcodec_core6.dll"), [TORCH])
                self.assertEqual(self.load(core, "-v", "C:\\video.mp4"),
                                 ["loaded", f"{FRAMES} packets of video"])
                tcfix("undo", *sysroot, self.root)
                self.assertEqual(self.content(), untouched)

    def test_ffmpeg_in_a_usual_place(self):
        """C:\\Tools\\ffmpeg-shared\\bin is found on a known disk, and can be named otherwise."""
        tools = DRIVE / "Tools" / "ffmpeg-shared" / "bin"
        self.ffmpeg_in(tools)
        target = self.check("--sysroot", DRIVE.parent, loads=[7])
        place = "C:\\Tools\\ffmpeg-shared\\bin"
        self.assertEqual(target["ffmpeg"]["path"], place)
        self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, place])
        core = windows_path(self.package / "libtorchcodec_core7.dll")
        self.assertEqual(self.load(core, "-v", "C:\\video.mp4"), ["loaded", f"{FRAMES} packets of video"])

    def test_ffmpeg_on_trust(self):
        """A folder of a disk that is out of reach is written as it is typed."""
        self.ffmpeg_in(DRIVE / "mine")
        (target,) = tcfix_json("apply", "--ffmpeg", "C:\\mine", self.root)["targets"]
        self.assertEqual(target["loads"], {"before": None, "after": None})
        self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, "C:\\mine"])
        self.assertEqual([major for major, one in self.verdicts().items() if one], [7])

    def test_converges(self):
        untouched = self.content()
        options = ("--sysroot", DRIVE.parent)
        mine = DRIVE / "mine"
        self.ffmpeg_in(mine)
        for av, more, major in (("15.1.0", (), 7), ("16.0.1", (), 8), (None, (), None),
                                (None, ("--ffmpeg", "C:\\mine"), 7), ("15.1.0", (), 7)):
            with self.subTest(av=av, more=more):
                if (self.site / "av").exists():
                    self.uninstall("av")
                if av:
                    self.install("av", av)
                tcfix("apply", *options, *more, self.root, check=0 if major else 4)
                loads = [major] if major else []
                self.assertEqual([one for one, verdict in self.verdicts().items() if verdict], loads)
                state = {path: digest for path, (digest, _) in self.content().items()
                         if path.suffix in (".dll", ".pyd")}
                tcfix("undo", *options, self.root)
                tcfix("apply", *options, *more, self.root, check=0 if major else 4)
                self.assertEqual({path: digest for path, (digest, _) in self.content().items()
                                  if path.suffix in (".dll", ".pyd")}, state)
        self.uninstall("av")
        tcfix("undo", *options, self.root)
        self.assertEqual(self.content(), untouched)

    def install_repaired(self, *options):
        """torchcodec from a wheel that tcfix wheel repaired."""
        name = "torchcodec-0.9.1-cp312-cp312-win_amd64.whl"
        if self.package.exists():
            self.uninstall("torchcodec")
        with tempfile.TemporaryDirectory() as folder:
            wheel, = tcfix_json("wheel", "-o", folder, *options, archives(name) / name)["wheels"]
            with zipfile.ZipFile(wheel["output"]) as archive:
                archive.extractall(self.site)

    def test_repaired_wheels(self):
        tools = DRIVE / "mine"
        self.ffmpeg_in(tools)
        def majors(**variables):
            return [major for major, one in self.verdicts(**variables).items() if one]
        with self.subTest("the usual entries"):
            self.install_repaired()
            self.assertEqual(majors(), [])
            self.assertEqual(majors(FFMPEG_SHARED_BIN="C:\\mine"), [7])
        with self.subTest("an FFmpeg inside"):
            self.install_repaired("--bundle-ffmpeg", tools)
            self.assertEqual(majors(), [7])
            core = windows_path(self.package / "libtorchcodec_core7.dll")
            self.assertEqual(self.load(core, "-v", "C:\\video.mp4"),
                             ["loaded", f"{FRAMES} packets of video"])
        with self.subTest("PyAV"):
            pyav = "av-15.1.0-cp312-cp312-win_amd64.whl"
            self.install_repaired("--ffmpeg", "av", "--av-wheel", archives(pyav) / pyav)
            self.assertEqual(majors(), [])
            self.install("av", "15.1.0")
            self.assertEqual(majors(), [7])

    def test_other_machines_are_refused_alone(self):
        self.install("av", "15.1.0")
        lone = self.package / "libtorchcodec_core4.dll"
        original = lone.read_bytes()
        lone.unlink()
        for machine in (0xAA64, 0x014C):  # arm64, i386
            header = struct.unpack_from("<I", original, 0x3C)[0]
            lone.write_bytes(original[:header + 4] + struct.pack("<H", machine) + original[header + 6:])
            spoiled = lone.read_bytes()
            document = tcfix_json("apply", "--sysroot", DRIVE.parent, self.root, check=3)
            self.assertEqual([pathlib.Path(error["path"]).name for error in document["errors"]], [lone.name])
            self.assertIn("not supported", document["errors"][0]["message"])
            self.assertEqual(lone.read_bytes(), spoiled)
            self.assertTrue(self.verdicts()[7])


if __name__ == "__main__":
    unittest.main()
