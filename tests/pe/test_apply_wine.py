"""`tcfix apply` on an environment with the layout of Windows, with the real torchcodec, torch and PyAV, loaded
by Wine. "python" is a program that loads DLLs as Python does, with nothing on PATH, and reads a video with the
FFmpeg that torchcodec loaded."""
import hashlib
import pathlib
import struct
import tempfile
import unittest
import zipfile

from harness import archives, tcfix, tcfix_json
from package_checks import stamps
from windows_world import WindowsTest

TORCH, PYAV = "$ORIGIN\\..\\torch\\lib", "$ORIGIN\\..\\av.libs"
LATER = "%FFMPEG_SHARED_BIN%"
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


class Windows(WindowsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_video(cls.drive / "video.mp4")

    def check(self, *options, loads, before=None):
        """Checks with Wine and tcfix that `before` loads at first and `loads` after the repair, which is stable."""
        self.assertEqual([major for major, one in self.verdicts().items() if one], before or [])
        code = 0 if loads else 4
        (target,) = tcfix_json("apply", *options, self.root, check=code)["targets"]
        self.assertEqual([major for major, one in self.verdicts().items() if one], loads)
        # On an unknown disk, a DLL that was not found may still exist.
        fails = False if "--sysroot" in options else None
        for regime in ("loads", "loads_bare"):
            self.assertEqual(target[regime], {"before": bool(before) or fails, "after": bool(loads) or fails}, regime)
        once = stamps(self.site)
        self.assertIn("nothing to do", tcfix("apply", *options, self.root, check=code).stdout)
        self.assertEqual(dict(stamps(self.site).items() - once.items()), {})
        return target

    def content(self):
        return {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
                for path in self.site.rglob("*") if path.is_file() and "torchcodec" in str(path)}

    def search_list(self, name):
        return tcfix_json("inspect", self.package / name)["files"][0]["rpaths"]

    def test_pyav(self):
        self.install("av", "15.1.0")
        for sysroot in (("--sysroot", self.disk), ()):
            with self.subTest(sysroot=bool(sysroot)):
                untouched = self.content()
                core = self.windows_path(self.package / "libtorchcodec_core7.dll")
                self.assertEqual(self.load(core), ["error 126"])
                target = self.check(*sysroot, loads=[7])
                self.assertEqual((target["ffmpeg"]["major"], target["ffmpeg"]["source"]), (7, "pyav"))
                self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, PYAV])
                self.assertEqual(self.search_list("libtorchcodec_core6.dll"), [TORCH, LATER])
                self.assertEqual(self.load(core, "-v", "C:\\video.mp4"),
                                 ["loaded", f"{FRAMES} packets of video"])
                tcfix("undo", *sysroot, self.root)
                self.assertEqual(self.content(), untouched)

    def test_ffmpeg_in_a_usual_place(self):
        """C:\\Tools\\ffmpeg-shared\\bin is found on a known disk, and can be given otherwise."""
        tools = self.drive / "Tools" / "ffmpeg-shared" / "bin"
        self.ffmpeg_in(tools)
        target = self.check("--sysroot", self.disk, loads=[7])
        place = "C:\\Tools\\ffmpeg-shared\\bin"
        self.assertEqual(target["ffmpeg"]["path"], place)
        self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, place])
        core = self.windows_path(self.package / "libtorchcodec_core7.dll")
        self.assertEqual(self.load(core, "-v", "C:\\video.mp4"), ["loaded", f"{FRAMES} packets of video"])

    def test_ffmpeg_on_trust(self):
        """A folder on an unknown disk is written as typed."""
        self.ffmpeg_in(self.drive / "mine")
        (target,) = tcfix_json("apply", "--ffmpeg", "C:\\mine", self.root)["targets"]
        self.assertEqual(target["loads"], {"before": None, "after": None})
        self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, "C:\\mine"])
        self.assertEqual([major for major, one in self.verdicts().items() if one], [7])

    def test_ffmpeg_installed_later(self):
        """An FFmpeg installed after the repair is found without another repair."""
        self.check("--sysroot", self.disk, loads=[])
        self.assertEqual(self.search_list("libtorchcodec_core7.dll"), [TORCH, LATER])
        self.ffmpeg_in(self.drive / "mine")
        self.assertEqual([major for major, one in self.verdicts().items() if one], [])
        later = self.verdicts(FFMPEG_SHARED_BIN="C:\\mine")
        self.assertEqual([major for major, one in later.items() if one], [7])

    def test_converges(self):
        untouched = self.content()
        options = ("--sysroot", self.disk)
        mine = self.drive / "mine"
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
        tools = self.drive / "mine"
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
            core = self.windows_path(self.package / "libtorchcodec_core7.dll")
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
            document = tcfix_json("apply", "--sysroot", self.disk, self.root, check=3)
            self.assertEqual([pathlib.Path(error["path"]).name for error in document["errors"]], [lone.name])
            self.assertIn("supports only x86_64", document["errors"][0]["message"])
            self.assertEqual(lone.read_bytes(), spoiled)
            self.assertTrue(self.verdicts()[7])


if __name__ == "__main__":
    unittest.main()
