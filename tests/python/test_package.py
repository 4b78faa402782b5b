"""The package as users install it: built by pip, uv and pipx from the sources, used from an environment."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import unittest
import unittest.mock
import zipfile

import harness
from harness import FilesTest, run

sys.path[:0] = [str(harness.ROOT / "tests" / "cli"), str(harness.ROOT / "scripts")]

import tiny_world
from releasing import packages, wheels
from releasing.archives import Member


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
        run(sys.executable, "-m", "uv", "build", "--quiet", "--sdist", "--out-dir", self.folder,
            harness.ROOT, check=0)
        self.sources, = self.folder.glob("*.tar.gz")
        with tarfile.open(self.sources) as archive:
            archive.extractall(self.folder / "sources")
        unpacked, = (self.folder / "sources").iterdir()
        # The compiler that CMake chooses, not the one Python was built with: ccache has its objects.
        compiler = {"CXX": os.environ.get("CXX", "c++")}
        with unittest.mock.patch.dict(os.environ, compiler):
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                "--config-settings=build-dir=build", "--wheel-dir", self.folder, unpacked, check=0)
        self.wheel, = self.folder.glob("*.whl")

    def check_sources(self):
        """The files that a build needs, as in the wheel, and no build products."""
        with tarfile.open(self.sources) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        self.assertLess({"LICENSE", "scripts/bootstrap", "examples/Dockerfile"}, names)
        self.assertEqual({name for name in names if name.startswith(("build/", "tests/", "testdata/"))},
                         set())

    def check_released_wheel(self):
        """scripts/release writes wheels without scikit-build-core: with the same files and metadata."""
        made = wheels.write_wheel(self.folder, harness.ROOT, "made", Member("tcfix", b"", True),
                                  {path: b"" for path in packages.GENERATED}, [])
        with zipfile.ZipFile(made) as ours, zipfile.ZipFile(self.wheel) as theirs:
            self.assertEqual(*({name for name in each.namelist() if not name.endswith("/")} for each in (ours, theirs)))
            metadata, = (name for name in ours.namelist() if name.endswith("/METADATA"))
            self.assertEqual(ours.read(metadata), theirs.read(metadata))
        made.unlink()

    def check_default_target(self, scripts):
        """Without an active environment, the default is the one that tcfix is installed in."""
        variables = {name: value for name, value in os.environ.items()
                     if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
        for command in ([scripts / "tcfix"], [scripts / "python", "-m", "tcfix"]):
            result = subprocess.run([*command, "hook", "install", "--json"], cwd=self.folder,
                                    env=variables, capture_output=True, text=True)
            files = json.loads(result.stdout)["files"]
            self.assertTrue(files)
            for file in files:
                self.assertTrue(file.startswith(str(scripts.parent)), file)
        run(scripts / "pip", "uninstall", "--quiet", "--yes", "tcfix_hook", check=0)

    def test_wheel(self):
        self.check_sources()
        self.check_released_wheel()
        self.assertRegex(self.wheel.name, r"^tcfix-[\d.]+-py3-none-\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            names = {name.split("/", 1)[1] for name in archive.namelist()}
        for name in ("scripts/tcfix", "data/share/man/man1/tcfix.1", "py.typed", "__main__.py"):
            self.assertIn(name, names)
        result = run(self.tool("check-wheel-contents"), self.wheel)
        self.assertEqual(result.returncode, 0, result.stdout)
        result = run(self.tool("twine"), "check", "--strict", self.wheel)
        self.assertEqual(result.returncode, 0, result.stdout)

        scripts = venv(self.folder / "venv")
        run(scripts / "pip", "install", "--quiet", "--no-index", self.wheel, check=0)
        version = run(scripts / "tcfix", "--version", check=0).stdout
        self.assertEqual(run(scripts / "python", "-m", "tcfix", "--version", check=0).stdout, version)
        code = "import tcfix; print(tcfix.program())"
        found = run(scripts / "python", "-c", code, check=0).stdout.strip()
        self.assertEqual(found, str(scripts / "tcfix"))
        self.check_default_target(scripts)
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
                world = tiny_world.TinyWorld(self.folder / ("disk-" + command[0]))
                result = subprocess.run(
                    [self.tool(command[0]), *command[1:], "tcfix", "apply", "--json", "--sysroot",
                     world.root, world.env], capture_output=True, text=True,
                    env={**os.environ, "UV_CACHE_DIR": str(self.folder / "uv"),
                         "UV_TOOL_DIR": str(self.folder / "uv-tools"),
                         "PIPX_HOME": str(self.folder / "pipx")})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(json.loads(result.stdout)["targets"][0]["summary"]["changed"], 3)


if __name__ == "__main__":
    sys.exit(unittest.main())
