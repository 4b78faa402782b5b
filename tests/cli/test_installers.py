"""Real pip and real uv on an environment that tcfix repaired, and tcfix on theirs."""
import os
import re
import sys
import unittest
import unittest.mock
import zipfile

import harness
from harness import FilesTest, run, tcfix
from package_checks import content, record_problems
from tiny_world import INFO, LIBRARIES, package_files

JOURNAL = f"{INFO}/tcfix-journal.json"


def make_wheel(folder, version="0.9.1"):
    path = folder / f"torchcodec-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in package_files(info=f"torchcodec-{version}.dist-info").items():
            archive.writestr(name, data)
    return path


class Installer(FilesTest):
    def setUp(self):
        super().setUp()
        patched = unittest.mock.patch.dict(os.environ)
        patched.start()
        self.addCleanup(patched.stop)
        for name in ("PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"):
            os.environ.pop(name, None)
        self.wheel = make_wheel(self.folder)
        self.env = self.folder / "env"
        run(sys.executable, "-m", "venv", "--without-pip", self.env, check=0)
        self.site = next(self.env.glob("lib/*/site-packages"))

    def pip(self, *arguments):
        """Runs pip, which must not complain."""
        result = run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python",
                     self.env / "bin" / "python", *arguments, check=0)
        self.assertEqual(result.stderr, "")
        self.assertNotRegex(result.stdout, re.compile("warning|error", re.IGNORECASE))
        return result.stdout

    def uv(self, *arguments):
        result = run(sys.executable, "-m", "uv", "--offline", "--cache-dir", self.folder / "cache",
                     "pip", *arguments, check=0)
        self.assertNotRegex(result.stderr, re.compile("warning|error", re.IGNORECASE))

    def repair(self):
        """A macOS library on any machine: the directory of FFmpeg is assumed."""
        tcfix("apply", "--ffmpeg", "/opt/homebrew/lib", self.env)
        self.assertEqual(record_problems(self.site), [])
        self.assertTrue((self.site / JOURNAL).exists())

    def left(self):
        return sorted(path.name for path in self.site.iterdir() if "torchcodec" in path.name)


class Pip(Installer):
    def setUp(self):
        super().setUp()
        self.pip("install", "--no-index", self.wheel)
        self.fresh = content(self.site)
        self.repair()

    def test_lists_the_journal(self):
        shown = self.pip("show", "-f", "torchcodec")
        self.assertIn(JOURNAL, shown)
        self.assertIn("No broken requirements", self.pip("check"))

    def test_uninstall_leaves_nothing(self):
        self.pip("uninstall", "-y", "torchcodec")
        self.assertEqual(self.left(), [])

    def test_a_reinstall_is_clean(self):
        self.pip("install", "--no-index", "--force-reinstall", self.wheel)
        self.assertEqual(content(self.site).keys(), self.fresh.keys())
        for name in LIBRARIES:
            self.assertEqual(content(self.site)[f"torchcodec/{name}"],
                             self.fresh[f"torchcodec/{name}"])
        self.repair()

    def test_an_upgrade_leaves_nothing(self):
        self.pip("install", "--no-index", "-U", make_wheel(self.folder, "0.9.2"))
        self.assertEqual(self.left(), ["torchcodec", "torchcodec-0.9.2.dist-info"])
        self.assertFalse([path for path in content(self.site) if "tcfix" in path])
        tcfix("apply", self.env)
        self.assertEqual(record_problems(self.site), [])

    def test_undo_restores_its_files(self):
        tcfix("undo", self.env)
        self.assertEqual(content(self.site), self.fresh)


class Uv(Installer):
    def test_every_link_mode(self):
        # Links of the host are not links of Windows.
        for mode in ("copy", "hardlink") if harness.IS_WINDOWS else ("copy", "hardlink", "symlink"):
            with self.subTest(mode):
                self.uv("install", "--python", self.env, "--reinstall", f"--link-mode={mode}",
                        self.wheel)
                fresh = content(self.site)
                cached = {path: path.read_bytes() for path in (self.folder / "cache").rglob("*")
                          if path.name in LIBRARIES}
                self.assertEqual(len(cached), len(LIBRARIES))
                self.repair()
                self.assertEqual({path: path.read_bytes() for path in cached}, cached)
                tcfix("undo", self.env)
                self.assertEqual(content(self.site), fresh)
                self.repair()
                self.uv("uninstall", "--python", self.env, "torchcodec")
                self.assertEqual(self.left(), [])

    def test_a_reinstall_is_clean(self):
        self.uv("install", "--python", self.env, self.wheel)
        fresh = content(self.site)
        self.repair()
        self.uv("install", "--python", self.env, "--reinstall", self.wheel)
        self.assertEqual(content(self.site), fresh)

    def test_an_upgrade_leaves_nothing(self):
        self.uv("install", "--python", self.env, self.wheel)
        self.repair()
        self.uv("install", "--python", self.env, make_wheel(self.folder, "0.9.2"))
        self.assertEqual(self.left(), ["torchcodec", "torchcodec-0.9.2.dist-info"])
        self.assertFalse([path for path in content(self.site) if "tcfix" in path])

    def test_the_cache_itself_is_refused(self):
        self.uv("install", "--python", self.env, self.wheel)
        cached = next(path for path in (self.folder / "cache").rglob(LIBRARIES[0]))
        before = cached.read_bytes()
        for target in (cached, cached.parent, cached.parent.parent):
            self.assertIn("cache", tcfix("apply", target, check=3).stderr)
        self.assertEqual(cached.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
