"""`tcfix doctor --traceback` on what programs printed in public reports: testdata/tracebacks/table.tsv
has the cause, how it is known, and the finding and command that are expected where the text proves it."""
import csv
import json
import re
import subprocess
import unittest

from bounds import unbounded
from harness import ROOT, TCFIX, tcfix

TEXTS = ROOT / "testdata" / "tracebacks"
NOTHING = "-"


def rows():
    with open(TEXTS / "table.tsv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def healthy():
    """Logs of programs that work: healthy.txt has a heading for each."""
    parts = re.split(r"^======== (.+)\n", (TEXTS / "healthy.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def explain_text(text):
    result = subprocess.run([TCFIX, "doctor", "--json", "--traceback", "-"], input=text, encoding="utf-8",
                            capture_output=True, check=False)
    return result.returncode, json.loads(result.stdout)


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

    def test_a_fragment_of_a_failure_is_never_called_ok(self):
        # Recognized by words that no log of a success has, independent of doctor.
        sign = re.compile(r"Traceback \(|Error: |, line \d+, in |cannot open shared|undefined symbol|No such file or dir"
                          r"|Library not loaded|DLL load failed|Could not (load|find)|unsatisfiable")
        for row in rows():
            if row["code"] == NOTHING or row["basis"] != "proven":
                continue
            lines = (TEXTS / row["file"]).read_text(encoding="utf-8").splitlines(keepends=True)
            third = len(lines) // 3
            for part in (lines[:-third or None], lines[third:2 * third], lines[2 * third:]):
                text = "".join(part)
                if sign.search(text):
                    with self.subTest(row["file"], text=text):
                        exit, said = explain_text(text)
                        self.assertNotEqual(said["verdict"], "ok")
                        self.assertEqual(exit, 1)

    def test_every_command_can_be_typed_and_carries_bounds(self):
        for row in rows():
            with self.subTest(row["file"]):
                _, said = self.explain(row)
                commands = [said["action"] or ""] + [finding["action"] or "" for finding in said["findings"]]
                system = said.get("told", {}).get("system")
                for command in commands:
                    self.assertEqual(unbounded(command), [])
                    # Windows PowerShell 5.1 has no "&&"
                    self.assertFalse(system == "Windows" and "&&" in command, command)

    def test_logs_of_programs_that_work_are_ok(self):
        self.assertGreaterEqual(len(healthy()), 40)
        for name, text in healthy().items():
            with self.subTest(name):
                exit, said = explain_text(text)
                self.assertEqual((exit, said["verdict"], said["findings"]), (0, "ok", []))

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
