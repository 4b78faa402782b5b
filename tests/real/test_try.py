"""scripts/try: both demos end with an environment that loads, doctor's page and the next commands."""
import os
import subprocess
import unittest

from harness import FilesTest, ROOT, TCFIX


class Try(FilesTest):
    def run_try(self, *arguments):
        result = subprocess.run([ROOT / "scripts" / "try", *arguments], text=True, capture_output=True,
                                env={**os.environ, "TCFIX": TCFIX, "TCFIX_DEMO": str(self.folder / "demo")})
        if result.returncode == 77:
            self.skipTest(result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for name in ("before", "after"):
            page = self.folder / "demo" / f"{name}.html"
            self.assertIn("<title>", page.read_text(encoding="utf-8"))
            self.assertIn(str(page), result.stdout.split("== next")[1])
        before, after = result.stdout.split("== repair it")
        self.assertIn("(exit code 1)", before)
        self.assertNotIn("(exit code", after)
        self.assertIn("nothing to do", after)
        for line in after.split("== next")[1].splitlines():
            self.assertNotRegex(line, r"inspect *$")  # a library was found
        return after

    def test_macos(self):
        after = self.run_try()
        self.assertIn(f"undo --sysroot {self.folder}/demo {self.folder}/demo/.venv", after)

    def test_linux(self):
        after = self.run_try("--linux")
        self.assertIn("\nFFmpeg 7\n", after)  # printed by the environment's own Python

    def test_wrong_usage(self):
        result = subprocess.run([ROOT / "scripts" / "try", "--mac"], text=True, capture_output=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown option: --mac", result.stderr)


if __name__ == "__main__":
    unittest.main()
