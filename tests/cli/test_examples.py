"""The examples for users, and `tcfix hook print`, which prints them."""
import sys
import unittest

import harness
from harness import pip_tool, run, tcfix, tcfix_json

EXAMPLES = harness.ROOT / "examples"
KINDS = {"ci": "ci.sh", "conda": "conda.sh", "docker": "Dockerfile", "github-action": "github-action.yml",
         "pre-commit": "pre-commit.yaml"}


class Print(unittest.TestCase):
    def test_prints_the_files(self):
        self.assertEqual(set(KINDS.values()), {path.name for path in EXAMPLES.iterdir() if path.is_file()})
        for kind, name in KINDS.items():
            text = (EXAMPLES / name).read_text()
            self.assertEqual(tcfix("hook", "print", kind).stdout, text)
            self.assertEqual(tcfix_json("hook", "print", kind)["snippet"], text)

    def test_refuses_other_names(self):
        for words in ((), ("kubernetes",), ("ci.sh",)):
            self.assertIn("github-action", tcfix("hook", "print", *words, check=2).stderr)


class Linters(unittest.TestCase):
    def test_dockerfile(self):
        result = run(pip_tool("hadolint"), "--no-color", EXAMPLES / "Dockerfile")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_github_action(self):
        result = run(pip_tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows",
                     EXAMPLES / "github-action.yml")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_scripts(self):
        for name in ("ci.sh", "conda.sh"):
            run("sh", "-n", EXAMPLES / name, check=0)


if __name__ == "__main__":
    sys.exit(unittest.main())
