"""The pictures of README.md equal the output of scripts/make-pictures. scripts/update-golden updates them."""
import struct
import sys
import unittest

from harness import FilesTest, ROOT, run

PICTURES = ROOT / "docs" / "pictures"
NO_BROWSER = 77


class Pictures(FilesTest):
    def test_are_up_to_date(self):
        result = run(sys.executable, ROOT / "scripts" / "make-pictures", self.folder)
        self.assertIn(result.returncode, (0, NO_BROWSER), result.stderr)
        for theme in ("light", "dark"):
            made = (self.folder / f"repair-{theme}.svg").read_text(encoding="utf-8")
            self.assertEqual(made, (PICTURES / f"repair-{theme}.svg").read_text(encoding="utf-8"))
            if result.returncode != NO_BROWSER:  # fonts differ between machines, and with them the height
                widths = {self.width(folder / f"doctor-{theme}.png") for folder in (self.folder, PICTURES)}
                self.assertEqual(len(widths), 1, widths)
        if result.returncode == NO_BROWSER:
            self.skipTest(result.stderr.strip())

    def test_the_readme_shows_all_of_them(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for picture in PICTURES.iterdir():
            self.assertIn(f"docs/pictures/{picture.name}", readme)
            self.assertLess(picture.stat().st_size, 150_000, picture.name)

    def width(self, path):
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">I", data[16:20])


if __name__ == "__main__":
    unittest.main()
