"""`tcfix doctor --traceback` on what programs printed in public reports: testdata/tracebacks/table.tsv
has the cause, how it is known, and the finding and command that are expected where the text proves it."""
import csv
import html
import json
import os
import re
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from bounds import unbounded
from harness import ROOT, TCFIX

TEXTS = ROOT / "testdata" / "tracebacks"
NOTHING = "-"


def rows():
    with open(TEXTS / "table.tsv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def prefixed(prefix):
    return lambda text: "".join(prefix + line + "\n" for line in text.splitlines())


# What loggers, containers, pages and consoles make of a text.
SHAPES = {
    "compose": prefixed("web-server-1  | "),
    "worker": prefixed("(EngineCore_DP0 pid=271) ERROR 11-02 09:14:05 [core.py:866] "),
    "ray": prefixed("\x1b[36m(RayWorker pid=207, ip=10.0.0.7)\x1b[0m "),
    "journal": prefixed("Nov 03 11:02:17 gpu01 python[4711]: "),
    "kubernetes": prefixed("2026-11-03T11:02:17.123456789Z stderr F "),
    "workflow": prefixed("2026-11-03T11:02:17.1234567Z "),
    "loguru": prefixed("2026-11-03 11:02:17.123 | ERROR    | app.worker:run:88 - "),
    "quoted": prefixed("> "),
    "pytest": prefixed("E   "),
    "box": lambda text: "".join(f"│ {line:<96} │\n" for line in text.splitlines()),
    "page": html.escape,
    "windows": lambda text: text.replace("\n", "\r\n"),
    "utf-16": lambda text: text.encode("utf-16"),
    "json": lambda text: json.dumps({"message": "error:\n\n\n" + text}),
}


def healthy():
    """Logs of programs that work: healthy.txt has a heading for each."""
    parts = re.split(r"^======== (.+)\n", (TEXTS / "healthy.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def explain_all(texts):
    """Exit code and document for each text, as strings or bytes."""
    def explain(text):
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        result = subprocess.run([TCFIX, "doctor", "--json", "--traceback", "-"], input=data, capture_output=True)
        return result.returncode, json.loads(result.stdout)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(explain, texts))


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        names = [row["file"] for row in rows()]
        cls.outcomes = dict(zip(names, explain_all((TEXTS / name).read_bytes() for name in names)))

    def explain(self, row):
        return self.outcomes[row["file"]]

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
        fragments = []
        for row in rows():
            if row["code"] == NOTHING or row["basis"] != "proven":
                continue
            lines = (TEXTS / row["file"]).read_text(encoding="utf-8").splitlines(keepends=True)
            third = len(lines) // 3
            for part in (lines[:-third or None], lines[third:2 * third], lines[2 * third:]):
                text = "".join(part)
                if sign.search(text):
                    fragments.append((row["file"], text))
        self.assertGreater(len(fragments), 300)
        for (name, text), (exit, said) in zip(fragments, explain_all(text for _, text in fragments)):
            with self.subTest(name, text=text):
                self.assertNotEqual(said["verdict"], "ok")
                self.assertEqual(exit, 1)

    def test_other_shapes_of_a_text_have_the_same_cause(self):
        chosen = [row for row in rows() if row["basis"] == "proven" and row["code"] != NOTHING][::7]
        texts = [(TEXTS / row["file"]).read_text(encoding="utf-8") for row in chosen]
        for name, change in SHAPES.items():
            for row, (_, said) in zip(chosen, explain_all(map(change, texts))):
                with self.subTest(row["file"], shape=name):
                    codes = [finding["code"] for finding in said["findings"]]
                    expected = [finding["code"] for finding in self.explain(row)[1]["findings"]]
                    self.assertEqual(codes[:1], expected[:1])

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
        for name, (exit, said) in zip(healthy(), explain_all(healthy().values())):
            with self.subTest(name):
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
