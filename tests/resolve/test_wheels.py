"""Real wheels of macOS and Windows, loaded as torchcodec does: after torch. The expected results come from their
tables (read by lief and pefile) and from users' reports."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import wheels

PROBE = os.environ["TCFIX_PROBE"]


def install(home, group, *names):
    """The wheels side by side, as installed by pip, without copying."""
    site = pathlib.Path(os.path.realpath(home)) / "site-packages"
    site.mkdir()
    for name in names:
        (source,) = wheels(group).glob(name)
        for entry in source.iterdir():
            (site / entry.name).symlink_to(entry)
    return site


def simulate(*arguments):
    result = subprocess.run([PROBE, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


class AfterTorch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.addCleanup(folder.cleanup)
        self.home = folder.name

    def missing(self, load):
        return [problem["dependency"] for problem in load["problems"] if problem["code"] == "missing-dependency"]

    def symbols(self, load):
        return sum(len(problem["symbols"]) for problem in load["problems"] if problem["code"] == "missing-symbols")

    def test_macos(self):
        site = install(self.home, "macos", "torch-2.9.1-*macosx*", "torchcodec-0.9.1-*macosx*", "av-15*macosx*")
        # On a known disk, otherwise a missing library could be anywhere.
        torch, core, bundled = simulate(site / "torch/lib/libtorch_python.dylib",
                                        site / "torchcodec/libtorchcodec_core7.dylib",
                                        site / "av/.dylibs/libavcodec.61.19.101.dylib")
        self.assertEqual((torch["verdict"], torch["problems"]), ("loads", []))
        self.assertEqual(bundled["verdict"], "loads", bundled["problems"])
        self.assertEqual(self.missing(core)[0], "@rpath/libavutil.59.dylib")
        self.assertEqual((len(self.missing(core)), self.symbols(core)), (7, 0))

    def test_windows(self):
        for version, count in {"0.9.1": 0, "0.17.0": 11}.items():
            with self.subTest(version=version), tempfile.TemporaryDirectory(prefix="tcfix-test-") as home:
                site = install(home, "windows", "torch-2.9.1-*win*", f"torchcodec-{version}-*win*")
                *torch, core = simulate("--unknown", "--windows", "--dll-folder", site / "torch/lib",
                                        *sorted((site / "torch/lib").glob("*.dll")),
                                        site / "torchcodec/libtorchcodec_core7.dll")
                self.assertEqual({load["verdict"] for load in torch}, {"loads"})
                # On an unknown disk FFmpeg may be anywhere, but torch's symbols are known.
                self.assertEqual((core["verdict"], self.missing(core)), ("fails" if count else "unknown", []))
                self.assertEqual(self.symbols(core), count)


if __name__ == "__main__":
    unittest.main()
