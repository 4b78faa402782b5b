"""A team's package index, a real one on this machine's loopback: repaired wheels of three platforms are uploaded
beside the originals, and pip and uv choose the repaired ones."""
import pathlib
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
import zipfile

import harness
from harness import FilesTest, run, tcfix

PLATFORMS = {  # the wheel's tag -> uv's name
    "macosx_11_0_arm64": "aarch64-apple-darwin",
    "manylinux_2_28_x86_64": "x86_64-manylinux_2_28",
    "win_amd64": "x86_64-pc-windows-msvc",
}
WHEELS = {tag: f"torchcodec-0.9.1-cp312-cp312-{tag}.whl" for tag in PLATFORMS}
TOOLS = pathlib.Path(sys.executable).parent
REQUIREMENT = "torchcodec==0.9.1"  # as in existing requirements


class Index(FilesTest):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "index.log"
        with socket.socket() as probe:  # a free port
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        (self.folder / "packages").mkdir()
        with open(self.log, "w") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", "pypiserver", "run", "--interface", "127.0.0.1",
                 "--port", str(port), "--disable-fallback", "--passwords", ".",
                 "--authenticate", ".", "--server", "wsgiref", str(self.folder / "packages")],
                stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.wait()

    def wait(self):
        for _ in range(1200):  # two minutes: the machine may be busy
            try:
                urllib.request.urlopen(self.url).close()
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.fail("the index does not answer: " + self.log.read_text())

    def test_installers_take_the_repaired_wheels(self):
        archives = harness.archives(*WHEELS.values())
        originals = [archives / name for name in WHEELS.values()]
        tcfix("wheel", "-o", self.folder / "dist", *originals)
        repaired = sorted((self.folder / "dist").iterdir())
        self.assertEqual(len(repaired), 3)
        run(TOOLS / "twine", "upload", "--non-interactive", "--username", "a", "--password", "b",
            "--repository-url", self.url, *originals, *repaired, check=0)
        for tag, platform in PLATFORMS.items():
            wheel, = (path for path in repaired if tag in path.name)
            with self.subTest(tag), zipfile.ZipFile(wheel) as archive:
                pip, uv = self.folder / "pip" / tag, self.folder / "uv" / tag
                run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir",
                    "--disable-pip-version-check", "--index-url", self.url + "/simple/",
                    "--target", pip, "--only-binary=:all:", "--python-version", "3.12",
                    "--implementation", "cp", "--platform", tag, REQUIREMENT, check=0)
                run(TOOLS / "uv", "pip", "install", "--quiet", "--no-deps", "--no-cache",
                    "--index-url", self.url + "/simple/", "--target", uv, "--python-version", "3.12",
                    "--python", sys.executable, "--python-platform", platform, REQUIREMENT, check=0)
                for site in (pip, uv):
                    self.assertTrue((site / "torchcodec-0.9.1+tcfix1.dist-info").is_dir())
                    for name in archive.namelist():
                        if "libtorchcodec" in name:
                            self.assertEqual((site / name).read_bytes(), archive.read(name))


if __name__ == "__main__":
    unittest.main()
