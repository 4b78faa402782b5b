"""If the target's disk is unknown, apply writes what wheel writes, byte for byte: with and without torch beside
it, and with PyAV what wheel writes for that PyAV."""
import pathlib
import tempfile
import unittest
import zipfile

import harness

MAC = "torchcodec-0.9.1-cp312-cp312-macosx_11_0_arm64.whl"
MAC_NEW = "torchcodec-0.17.0-cp312-cp312-macosx_14_0_arm64.whl"
WINDOWS = "torchcodec-0.9.1-cp312-cp312-win_amd64.whl"
WINDOWS_NEW = "torchcodec-0.17.0-cp312-cp312-win_amd64.whl"
MAC_AV = "av-15.1.0-cp312-cp312-macosx_13_0_arm64.whl"
WINDOWS_AV = "av-15.1.0-cp312-cp312-win_amd64.whl"


def unpack(archive, folder):
    with zipfile.ZipFile(archive) as wheel:
        wheel.extractall(folder)


def libraries(folder):
    found = {path.name: path.read_bytes() for path in (folder / "torchcodec").iterdir()
             if path.name.startswith("libtorchcodec")}
    assert found
    return found


class PortableTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.archives = harness.archives(MAC, MAC_NEW, WINDOWS, WINDOWS_NEW, MAC_AV, WINDOWS_AV)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def environment(self, *wheels):
        windows = "win" in wheels[0]
        site = self.scratch / "venv" / ("Lib" if windows else "lib/python3.12") / "site-packages"
        site.mkdir(parents=True)
        (self.scratch / "venv/pyvenv.cfg").write_text("version = 3.12.1\n")
        for wheel in wheels:
            unpack(self.archives / wheel, site)
        return site

    def in_wheel(self, wheel, *options):
        out = self.scratch / "out"
        harness.tcfix("wheel", self.archives / wheel, "-o", out, *options)
        unpack(next(out.glob("*.whl")), self.scratch / "repaired")
        return libraries(self.scratch / "repaired")

    def check(self, wheels, *options, beside=()):
        site = self.environment(*wheels)
        for name in beside:
            (site / name).parent.mkdir(parents=True)
            (site / name).write_bytes(b"")
        original = libraries(site)
        applied = harness.tcfix_json("apply", self.scratch / "venv")
        self.assertIsNone(applied["targets"][0]["loads"]["before"])
        self.assertEqual(len(applied["warnings"]), 1, applied["warnings"])
        expected, found = self.in_wheel(wheels[0], *options), libraries(site)
        self.assertEqual(expected.keys(), found.keys())
        self.assertNotEqual(original, found)
        for name in expected:
            self.assertEqual(found[name], expected[name], name)
        again = harness.tcfix_json("apply", self.scratch / "venv")
        self.assertEqual(again["targets"][0]["summary"]["changed"], 0)
        harness.tcfix("undo", self.scratch / "venv")
        self.assertEqual(libraries(site), original)

    def test_macos(self):
        self.check([MAC])

    def test_macos_with_torch(self):
        self.check([MAC], beside=["torch/lib/libtorch.dylib"])

    def test_macos_with_image_and_heic_libraries(self):
        self.check([MAC_NEW])

    def test_windows(self):
        self.check([WINDOWS])

    def test_windows_with_torch(self):
        self.check([WINDOWS], beside=["torch/lib/torch.dll"])

    def test_windows_with_image_libraries(self):
        self.check([WINDOWS_NEW])

    def test_pyav_is_used_for_its_major(self):
        self.check([MAC, MAC_AV], "--ffmpeg", "av", "--av-wheel", self.archives / MAC_AV)

    def test_pyav_on_windows(self):
        self.check([WINDOWS, WINDOWS_AV], "--ffmpeg", "av", "--av-wheel",
                   self.archives / WINDOWS_AV)


if __name__ == "__main__":
    unittest.main()
