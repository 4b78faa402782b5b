"""`tcfix doctor --traceback` on what programs printed in public reports: testdata/tracebacks/table.tsv
has the cause, how it is known, and the finding and command that are expected where the text proves it."""
import csv
import json
import unittest

from harness import ROOT, tcfix

TEXTS = ROOT / "testdata" / "tracebacks"
NOTHING = "-"


def rows():
    with open(TEXTS / "table.tsv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Reports(unittest.TestCase):
    def explain(self, row):
        result = tcfix("doctor", "--json", "--traceback", TEXTS / row["file"], check=None)
        return result.returncode, json.loads(result.stdout)

    def test_what_a_text_proves(self):
        for row in rows():
            if row["basis"] != "proven" or row["code"] == NOTHING:
                continue
            with self.subTest(row["file"]):
                exit, said = self.explain(row)
                self.assertEqual(exit, 1, said)
                codes = [finding["code"] for finding in said["findings"]]
                self.assertIn(codes[0] if codes else said["verdict"], row["code"].split("|"))
                if row["command-contains"] != NOTHING:
                    self.assertRegex(said["action"], row["command-contains"])

    def test_a_failure_is_never_called_ok(self):
        for row in rows():
            with self.subTest(row["file"]):
                exit, said = self.explain(row)
                expected = 0 if row["code"] == NOTHING else 1
                self.assertEqual((exit, said["verdict"] == "ok"), (expected, expected == 0), said)

    def test_the_table(self):
        names = [row["file"] for row in rows()]
        self.assertEqual(len(names), len(set(names)))
        for row in rows():
            with self.subTest(row["file"]):
                self.assertTrue((TEXTS / row["file"]).is_file())
                self.assertIn(row["basis"], ("said", "proven", "inferred"))
                self.assertTrue(all(row[column] for column in ("source", "cause", "code", "remedy")))


if __name__ == "__main__":
    unittest.main()
