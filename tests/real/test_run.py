"""`--run` with a real Python, the real ld.so, the published torchcodec and PyAV; only torch is a stand-in
(sources/torch_stand_in.py)."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness
from harness import FilesTest, tcfix, tcfix_json
from linux_trees import private_ffmpeg, require_tools
from torch_stand_in import make_environment


def setUpModule():
    require_tools()
    for name in ("TCFIX_FFMPEG", "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX"):
        os.environ.pop(name, None)


class RunTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        cls.addClassCleanup(scratch.cleanup)
        wheels = pathlib.Path(scratch.name)
        cls.first = wheels / "env"
        make_environment(cls.first, wheels)

    def setUp(self):
        super().setUp()
        self.env = self.folder / "env"
        shutil.copytree(self.first, self.env, symlinks=True, copy_function=harness.link_or_copy)
        self.site, = self.env.glob("lib/python*/site-packages")
        self.files = self.listing()

    def listing(self):
        return sorted(str(path) for path in self.env.rglob("*"))

    def doctor(self, *options, check, **variables):
        result = subprocess.run([harness.TCFIX, "doctor", "--run", "--json", *options, self.env], text=True,
                                capture_output=True, env={**os.environ, **variables})
        self.assertEqual(result.returncode, check, result.stdout + result.stderr)
        return harness.json.loads(result.stdout)

    def loading(self, report):
        return [group["ffmpeg"] for group in report["run"]["groups"] if group["loads"]]

    def codes(self, report):
        return [finding["code"] for finding in report["findings"]]

    def test_both_fail_then_both_load(self):
        report = self.doctor(check=1)
        self.assertFalse(report["run"]["ok"])
        self.assertTrue(report["run"]["agrees"], report["run"])
        self.assertEqual(self.loading(report), [])
        self.assertIn("libavutil.so", report["run"]["groups"][0]["libraries"][0]["error"])
        self.assertIn("Could not load libtorchcodec", report["run"]["error"])
        self.assertEqual(report["action"], f"tcfix apply {self.env}")
        self.assertEqual(self.listing(), self.files)  # no bytecode, either

        (target,) = tcfix_json("apply", "--run", self.env)["targets"]
        self.assertTrue(target["run"]["ok"])
        self.assertTrue(target["run"]["agrees"])
        self.assertEqual(target["run"]["ffmpeg_major"], 7)
        self.assertIn("confirmed by", tcfix("apply", "--run", self.env).stdout)

        report = self.doctor(check=0)
        self.assertEqual((report["run"]["ok"], report["run"]["agrees"], report["run"]["ffmpeg_major"]),
                         (True, True, 7))
        self.assertEqual(self.loading(report), [7])
        self.assertEqual([group["ffmpeg"] for group in report["run"]["groups"]], [8, 7, 6, 5, 4])
        self.assertIn("loads-for-real", self.codes(report))
        self.assertNotIn("simulation-disagrees", self.codes(report))
        self.assertEqual(report["run"]["python"], str(next(self.env.glob("bin/python3.*"))))
        self.assertIn("python    loads          with FFmpeg 7", tcfix("doctor", "--run", self.env).stdout)

        # The required majors, in the real Python.
        self.assertTrue(self.doctor("--require", "7", check=0)["run"]["ok"])
        self.assertFalse(self.doctor("--require", "7,8", check=1)["run"]["ok"])
        tcfix("apply", "--run", "--require", "7", self.env)
        tcfix("apply", "--run", "--require", "8", self.env, check=4)

    def test_the_real_result_decides_if_they_disagree(self):
        """LD_PRELOAD loads an FFmpeg that the simulation ignores."""
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0", "--rpath-kind", "rpath", "--add-rpath", "$ORIGIN")
        preload = " ".join(str(path) for path in ffmpeg.glob("lib[as][vw]*.so.*"))
        report = self.doctor(check=0, LD_PRELOAD=preload)
        self.assertEqual((report["run"]["ok"], report["run"]["agrees"], report["verdict"]), (True, False, "ok"))
        (finding,) = [one for one in report["findings"] if one["code"] == "simulation-disagrees"]
        self.assertEqual(finding["severity"], "error")
        self.assertIn("in the simulation it does not load", finding["message"])
        self.assertEqual(finding["evidence"]["real"], "loads")
        self.assertIn("libavutil.so.59", finding["evidence"]["simulated"])
        self.assertIn("FFmpeg 7: simulated: does not load", finding["evidence"]["report"])
        self.assertIn("torchcodec 0.9.1, torch 2.9.1", finding["evidence"]["report"])
        self.assertEqual(finding["action"], f"tcfix doctor --run --json {self.env}")
        self.assertEqual([one["severity"] for one in report["findings"] if one["severity"] == "error"], ["error"])

    def test_import_that_fails_although_the_libraries_load(self):
        tcfix("apply", self.env)
        module = self.site / "torchcodec" / "__init__.py"
        text = module.read_text()
        module.unlink()
        module.write_text("import absent_module\n" + text)
        tcfix("doctor", self.env)
        report = self.doctor(check=1)
        self.assertEqual((report["run"]["ok"], report["run"]["agrees"]), (False, True))
        (finding,) = [one for one in report["findings"] if one["code"] == "import-fails"]
        self.assertIn("No module named 'absent_module'", finding["message"])
        self.assertIn("No module named 'absent_module'", report["summary"])
        self.assertNotEqual(report["action"], f"tcfix apply {self.env}")
        tcfix("apply", "--run", self.env, check=4)
        tcfix("apply", self.env)


if __name__ == "__main__":
    unittest.main()
