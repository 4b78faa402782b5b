"""Pages whose examples are compared with the program's output. scripts/update-golden updates them.

    test_golden.py tests [--update]    those in this directory, on small trees made for the purpose
    test_golden.py docs [--update]     those in docs/ and the README, on the published wheels
"""
import difflib
import sys
import tempfile
import unittest

import demos
import harness
import transcript
import trees

PAGES = {"tests": (trees.make, sorted((harness.ROOT / "tests" / "golden").glob("*.md"))),
         "docs": (demos.make, [harness.ROOT / "README.md", *sorted((harness.ROOT / "docs").glob("*.md"))])}


def rerun(page):
    with tempfile.TemporaryDirectory(prefix="tcfix-test-") as scratch:
        return transcript.rerun(page.read_text(encoding="utf-8"), MAKE, scratch)


@harness.not_on_windows("the pages have separators of Linux, terminals, and both streams in order")
class Transcripts(unittest.TestCase):
    def test_pages(self):
        for page in FILES:
            text, differences = rerun(page)
            with self.subTest(page.name):
                if not differences:  # else the next check would repeat it
                    self.assertEqual(text, page.read_text(encoding="utf-8"))
            for command, expected, printed in differences:
                with self.subTest(page.name, command=command):
                    lines = difflib.unified_diff(expected, printed, "expected", "printed", lineterm="")
                    self.fail("\n".join(["(scripts/update-golden writes what is printed now)", *lines]))


def update():
    for page in FILES:
        text, differences = rerun(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"{page.relative_to(harness.ROOT)}: {len(differences)} examples changed")


if __name__ == "__main__":
    KIND = next(word for word in sys.argv if word in PAGES)
    sys.argv.remove(KIND)
    MAKE, FILES = PAGES[KIND]
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
