"""The package as people get it: built by pip, uv and pipx from the sources, used from an environment."""
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

import harness
from harness import FilesTest, run


def venv(folder):
    run(sys.executable, "-m", "venv", folder, check=0)
    return folder / "bin"


class Package(FilesTest):
    @classmethod
    def setUpClass(cls):
        cls.tools = os.path.dirname(sys.executable)

    def tool(self, name):
        path = shutil.which(name, path=self.tools) or shutil.which(name)
        if not path:
            self.skipTest(f"{name} is not installed")
        return path

    def setUp(self):
        super().setUp()
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--wheel-dir", self.folder, harness.ROOT, check=0)
        self.wheel, = self.folder.glob("*.whl")

    def test_wheel(self):
        self.assertRegex(self.wheel.name, r"^tcfix-[\d.]+-py3-none-\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            names = {name.split("/", 1)[1] for name in archive.namelist()}
        for name in ("scripts/tcfix", "data/share/man/man1/tcfix.1", "py.typed", "__main__.py"):
            self.assertIn(name, names)
        judge = run(self.tool("check-wheel-contents"), self.wheel)
        self.assertEqual(judge.returncode, 0, judge.stdout)
        judge = run(self.tool("twine"), "check", "--strict", self.wheel)
        self.assertEqual(judge.returncode, 0, judge.stdout)

        scripts = venv(self.folder / "venv")
        run(scripts / "pip", "install", "--quiet", "--no-index", self.wheel, check=0)
        version = run(scripts / "tcfix", "--version", check=0).stdout
        self.assertEqual(run(scripts / "python", "-m", "tcfix", "--version", check=0).stdout, version)
        code = "import tcfix; print(tcfix.program())"
        found = run(scripts / "python", "-c", code, check=0).stdout.strip()
        self.assertEqual(found, str(scripts / "tcfix"))
        run(scripts / "pip", "uninstall", "--quiet", "--yes", "tcfix", check=0)
        self.assertFalse((scripts / "tcfix").exists())

        for place in ("--prefix", "--target"):
            with self.subTest(place):
                folder = self.folder / place.strip("-")
                run(scripts / "pip", "install", "--quiet", "--no-index", place, folder, self.wheel,
                    check=0)
                site, = {path.parent.parent for path in folder.rglob("py.typed")}
                found = subprocess.run([scripts / "python", "-c", code], capture_output=True,
                                       text=True, env={**os.environ, "PYTHONPATH": str(site)})
                self.assertEqual(found.stdout.strip(), str(folder / "bin" / "tcfix"))

        for command in (["uvx", "--from", self.wheel], ["pipx", "run", "--spec", self.wheel]):
            with self.subTest(command[0]):
                result = subprocess.run(
                    [self.tool(command[0]), *command[1:], "tcfix", "--version"],
                    capture_output=True, text=True,
                    env={**os.environ, "UV_CACHE_DIR": str(self.folder / "uv"),
                         "UV_TOOL_DIR": str(self.folder / "uv-tools"),
                         "PIPX_HOME": str(self.folder / "pipx")})
                self.assertEqual(result.stdout, version, result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
