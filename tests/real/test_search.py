"""`--search` for an extension that was linked with a private library and without a search path to it: the classic
`library_dirs` of a setup.py. Built with this machine's compiler and loaded by its loader."""
import pathlib
import subprocess
import sys
import unittest

from harness import FilesTest, run, tcfix, tcfix_json

SOURCES = {
    "deep.c": "int deep(void) { return 1; }",
    "private.c": "int deep(void); int answer(void) { return 41 + deep(); }",
    "extension.c": "int answer(void); int get(void) { return answer(); }"
                   "void *PyInit__ext(void) { return 0; }",
}
LOAD = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).get())"


class Search(FilesTest):
    def setUp(self):
        super().setUp()
        run(sys.executable, "-m", "venv", "--without-pip", self.folder / "venv", check=0)
        (self.site,) = (self.folder / "venv/lib").glob("python*/site-packages")
        self.extension = self.site / "mine/_ext.so"
        self.extension.parent.mkdir()
        info = self.site / "mine-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
        (info / "RECORD").write_text("mine/_ext.so,,\n")
        for name, text in SOURCES.items():
            (self.folder / name).write_text(text)

    def build(self, folder):
        """The private library in a directory that is in no search path, and its own dependency beside it."""
        folder.mkdir(parents=True)
        def link(output, source, *libraries):
            run("cc", "-shared", "-fPIC", self.folder / source, "-o", output, f"-L{folder}",
                f"-Wl,-rpath-link,{folder}", *libraries, check=0)
        link(folder / "libdeep.so", "deep.c")
        link(folder / "libpriv.so", "private.c", "-ldeep")
        link(self.extension, "extension.c", "-lpriv")

    def loads(self):
        result = subprocess.run([self.folder / "venv/bin/python", "-c", LOAD, self.extension],
                                capture_output=True, text=True)
        return result.stdout.strip() if result.returncode == 0 else result.stderr.splitlines()[-1]

    def doctor(self, *options, check=0):
        return tcfix_json("doctor", "--package", "mine", *options, self.folder / "venv",
                          check=check)

    def check(self, folder, entry):
        original = self.extension.read_bytes()
        self.assertIn("libpriv.so", self.loads())
        tcfix("apply", "--package", "mine", "--search", folder, self.folder / "venv")
        self.assertEqual(self.loads(), "42")
        self.assertEqual(tcfix_json("inspect", self.extension)["files"][0]["rpaths"], [entry])
        self.assertEqual(self.doctor()["verdict"], "ok")
        self.assertIn("nothing to do", tcfix("apply", "--package", "mine", "--search", folder,
                                             self.folder / "venv").stdout)
        tcfix("undo", self.folder / "venv")
        self.assertEqual(self.extension.read_bytes(), original)

    def test_somewhere_else(self):
        private = self.folder / "private"
        self.build(private)
        (finding,) = self.doctor(check=1)["findings"]
        self.assertIn("libpriv.so", finding["message"])
        self.assertTrue(finding["action"].endswith("--search DIR"))
        self.check(private, str(private))

    def test_inside_the_environment(self):
        private = self.site / "vendor/native/lib"
        self.build(private)
        (finding,) = self.doctor(check=1)["findings"]
        self.assertIn(f"there is one in {private}", finding["message"])
        self.check(pathlib.Path(finding["action"].split()[-1]), "$ORIGIN/../vendor/native/lib")

    def test_a_link_into_the_environment(self):
        private = self.site / "vendor/lib"
        self.build(private)
        (self.folder / "link").symlink_to(self.folder / "venv")
        self.check(self.folder / "link" / private.relative_to(self.folder / "venv"),
                   "$ORIGIN/../vendor/lib")


if __name__ == "__main__":
    unittest.main()
