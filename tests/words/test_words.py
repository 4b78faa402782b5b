"""Words that tcfix does not use: none of them is in this repository, and each one is found."""
import unittest
from pathlib import Path

import words

ROOT = Path(__file__).parents[2]


class Words(unittest.TestCase):
    def found(self, path, text):
        return [(line, phrase) for line, phrase, _ in words.find(path, text)]

    def test_this_repository(self):
        self.assertEqual(words.check(ROOT), [])

    def test_every_excluded_path_exists(self):
        for path in words.EXCLUDED:
            self.assertTrue((ROOT / path).exists(), path)

    def test_comments_and_strings_of_sources(self):
        source = 'int folder; // the folder\nauto x = fail("is damaged");\n/* nobody\n * knows */\n'
        self.assertEqual(sorted(self.found("lib/a.cc", source)),
                         [(1, "folder"), (2, "damaged"), (3, "nobody")])

    def test_tests_may_have_any_strings(self):
        self.assertEqual(self.found("tests/a.cc", 'auto x = "a folder"; // nobody\n'), [(1, "nobody")])
        self.assertEqual(sorted(self.found("tests/a.py", 'x = "a folder"\ndef f():\n    """Made anew."""\n')),
                         [(3, "anew")])

    def test_python(self):
        source = 'folder = 1  # a folder\ndef f():\n    """Made anew."""\n'
        self.assertEqual(sorted(self.found("python/a.py", source)), [(1, "folder"), (3, "anew")])

    def test_documents(self):
        self.assertEqual(self.found("docs/a.md", "First line.\nIt is no library.\n"), [(2, "is no")])

    def test_phrases_across_lines(self):
        self.assertEqual(self.found("lib/a.h", "/// A library that\n/// comes to\n/// nothing.\n"),
                         [(2, "comes to nothing")])
        self.assertEqual(self.found("lib/a.cc", 'fail("made to "\n     "deceive");\n'), [(1, "made to deceive")])

    def test_words_that_only_look_alike(self):
        for text in ("there is no such file", "it is no longer used", "lib/a/folder_target.cc", "cannot tell whether",
                     "a fold", "the judging"):
            with self.subTest(text):
                self.assertEqual(self.found("docs/a.md", text), [])

    def test_windows_has_folders(self):
        self.assertEqual(self.found("lib/pe/a.cc", "// the DLL's folder\n"), [])
        self.assertEqual(self.found("docs/a.md", "a folder on Windows"), [])


if __name__ == "__main__":
    unittest.main()
