"""`cmake --install`, and the example in examples/cpp built against the installed files."""
import os
import re
import unittest

import harness
from harness import run
from tiny_macho import dylib

CMAKE = os.environ.get("CMAKE", "cmake")


class Example(harness.FilesTest):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        run(CMAKE, "--install", os.environ["TCFIX_BUILD"], "--prefix", self.prefix, check=0)

    def installed(self, pattern):
        return sorted(path.relative_to(self.prefix).as_posix() for path in self.prefix.glob(pattern))

    def test_installs_program_documents_and_library(self):
        self.assertEqual(self.installed("bin/*"), ["bin/tcfix"])
        self.assertEqual(self.installed("share/man/man1/*"), ["share/man/man1/tcfix.1"])
        self.assertEqual(self.installed("include/tcfix/*"), ["include/tcfix/image.h", "include/tcfix/tcfix.h"])
        self.assertEqual(len(self.installed("lib*/**/libtcfix.a")), 1)
        self.assertEqual(len(self.installed("lib*/**/tcfixConfig.cmake")), 1)

    def test_the_package_has_no_paths_of_the_installation(self):
        for file in self.prefix.glob("lib*/**/*.cmake"):
            text = file.read_text()
            for path in (self.prefix, os.environ["TCFIX_BUILD"]):
                self.assertNotIn(str(path), text, file.name)
            self.assertNotRegex(text, r"[\";]/[^;\"]*\.(a|so|dylib)\b", file.name)

    def test_the_example(self):
        build, moved = self.folder / "example", self.folder / "moved"
        self.prefix.rename(moved)
        run(CMAKE, "-S", harness.ROOT / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={moved}", check=0)
        run(CMAKE, "--build", build, check=0)
        library = self.folder / "libtiny.dylib"
        library.write_bytes(dylib(dependencies=("/usr/lib/libSystem.B.dylib", "@loader_path/libabsent.dylib")))

        printed = run(build / "example", library, "@loader_path/../torch/lib", check=0).stdout
        self.assertEqual(printed.splitlines()[:4], [
            "changed",
            "arm64 searches @loader_path/../torch/lib",
            "arm64 requires /usr/lib/libSystem.B.dylib",
            "arm64 requires @loader_path/libabsent.dylib"])
        self.assertRegex(printed, r"does not load: .*libabsent\.dylib")
        self.assertEqual(harness.tcfix_json("inspect", library)["files"][0]["rpaths"], ["@loader_path/../torch/lib"])

        again = run(build / "example", library, "@loader_path/../torch/lib", check=0).stdout
        self.assertTrue(again.startswith("unchanged\n"))
        failed = run(build / "example", self.folder / "absent", "/x", check=1)
        self.assertTrue(re.match(r".*/absent: \S", failed.stderr))


if __name__ == "__main__":
    unittest.main()
