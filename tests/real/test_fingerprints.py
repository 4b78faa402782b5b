"""Versions by fingerprint: tracebacks made from the Python code of real wheels, which contain no version, are
recognized correctly."""
import re
import unittest

import harness
from harness import FilesTest, tcfix_json

TORCHCODEC = {"0.3.0": "0.3 to 0.4", "0.8.1": "0.8", "0.9.1": "0.9", "0.13.0": "0.11 to 0.15",
              "0.17.0": "0.16 to 0.17"}


def frame(path, root, pattern):
    """The traceback line for the first line of code that matches, with its function."""
    function = "<module>"
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r"def (\w+)", line):
            function = match[1]
        elif line and not line[0].isspace() and not line.startswith((")", "#")):
            function = "<module>"
        if re.search(pattern, line):
            inside = path.relative_to(root).as_posix()
            return f'  File "/v/lib/python3.12/site-packages/{inside}", line {number}, in {function}\n'
    raise AssertionError(f"{path} has no {pattern}")


class Fingerprints(FilesTest):
    def told(self, text, check=1):
        path = self.folder / "text"
        path.write_text("Traceback (most recent call last):\n" + text)
        return tcfix_json("doctor", "--traceback", path, check=check)["told"]

    def sources(self, version):
        return next(harness.wheels("macos").glob(f"torchcodec-{version}-cp312-cp312-macosx*"))

    def test_lines_of_torchcodec(self):
        for version, expected in TORCHCODEC.items():
            folder = self.sources(version)
            loader = next(path for path in (folder / "torchcodec/_internally_replaced_utils.py",
                                            folder / "torchcodec/_core/ops.py")
                          if "Could not load libtorchcodec" in path.read_text())
            lines = [line for line in loader.read_text().splitlines() if "raise RuntimeError(" in line]
            self.assertEqual(len(lines), 1)
            raised = frame(loader, folder, r"raise RuntimeError\(")
            with self.subTest(version):
                # 0.8 has the same lines as 0.5 to 0.7; its wording differs.
                wanted = "0.5 to 0.8" if version == "0.8.1" else expected
                self.assertEqual(self.told(raised + "OSError: x\n")["torchcodec"], wanted)

    def test_words_of_torchcodec(self):
        for version, expected in {**TORCHCODEC, "0.3.0": "0.0 to 0.8", "0.13.0": "0.10 to 0.15"}.items():
            folder = self.sources(version)
            source = "".join(path.read_text() for path in folder.glob("torchcodec/**/*.py"))
            words = re.search(r"Could not load libtorchcodec.*?exceptions below", source, re.S)[0]
            with self.subTest(version):
                self.assertEqual(self.told(f"RuntimeError: {words}\n")["torchcodec"], expected)

    def test_lines_of_torch(self):
        seen = set()
        for folder in sorted(harness.wheels("macos").glob("torch-*")):
            version = folder.name.split("-")[1]
            source = folder / "torch" / "_ops.py"
            if not source.is_file():
                continue
            seen.add(version)
            with self.subTest(version):
                line = frame(source, folder, r"ctypes\.CDLL\(path\)")
                line = re.sub(r"in \S+$", "in load_library", line.rstrip()) + "\n"
                self.assertEqual(self.told(line + "OSError: x\n")["torch"],
                                 ".".join(version.split(".")[:2]))
        self.assertGreaterEqual(len(seen), 2)


if __name__ == "__main__":
    unittest.main()
