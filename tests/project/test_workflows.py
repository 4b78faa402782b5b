"""Workflows, action and issue forms, checked by actionlint, zizmor and the published schemas."""
import os
import re
import shutil
import subprocess
import sys
import unittest

import harness
import ruamel.yaml
from harness import pip_tool, run

GITHUB = harness.ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def load(path):
    return ruamel.yaml.YAML(typ="safe").load(path)


class Schemas(unittest.TestCase):
    def check(self, schema, *files):
        result = run(pip_tool("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *files)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_published_schemas(self):
        self.check("github-workflows", *WORKFLOWS)
        self.check("github-actions", harness.ROOT / "action.yml")
        self.check("github-issue-forms", *FORMS)
        self.check("github-issue-config", GITHUB / "ISSUE_TEMPLATE" / "config.yml")
        self.check("dependabot", GITHUB / "dependabot.yml")


class Linters(harness.FilesTest):
    def actionlint(self, *files):
        shellcheck = pip_tool("shellcheck")  # checks the shell code inside workflows
        return run(pip_tool("actionlint"), "-no-color", "-shellcheck", shellcheck, *files)

    def test_actionlint(self):
        result = self.actionlint(*WORKFLOWS, harness.ROOT / "examples" / "github-action.yml")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_actionlint_detects_mistakes(self):
        text = WORKFLOWS[0].read_text()
        for old, new in (("needs: release-programs", "needs: nothing"), ("matrix.target", "matrix.goal"),
                         ("macos-15-intel", "macos-13"), ('brew install "$formula"', "brew install $formula")):
            path = self.folder / "ci.yml"
            self.assertIn(old, text)
            path.write_text(text.replace(old, new))
            self.assertEqual(self.actionlint(path).returncode, 1, new)

    def test_shell_code_of_the_action(self):
        for step in load(harness.ROOT / "action.yml")["runs"]["steps"]:
            done = subprocess.run([pip_tool("shellcheck"), "--shell", step["shell"], "-"], input=step["run"],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_zizmor(self):
        result = subprocess.run([pip_tool("zizmor"), "--offline", "--no-progress", GITHUB, harness.ROOT / "action.yml"],
                                capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Steps(harness.FilesTest):
    """Steps of more than one command, run as a runner would start them."""

    def step(self, workflow, job, name, **variables):
        steps = load(GITHUB / "workflows" / workflow)["jobs"][job]["steps"]
        [text] = [step["run"] for step in steps if step.get("name") == name]
        return subprocess.run(["bash", "-e", "-c", text], cwd=harness.ROOT, capture_output=True, text=True,
                              env={**os.environ, **variables})

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def test_the_tag_is_the_version(self):
        version = re.search(r"project\(tcfix VERSION ([0-9.]+)", (harness.ROOT / "CMakeLists.txt").read_text()).group(1)
        for tag, code in ((f"v{version}", 0), (f"v{version}.1", 1), (version, 1)):
            done = self.step("release.yml", "build", "The tag is the version", GITHUB_REF_NAME=tag)
            self.assertEqual(done.returncode, code, tag)

    def test_bootstrap_on_a_mac(self):
        """The step installs what scripts/bootstrap prints, formula by formula; then bootstrap succeeds."""
        brew, cache = self.folder / "brew", self.folder / "cache"
        self.program(self.folder / "bin" / "uname", "echo Darwin")
        self.program(self.folder / "bin" / "brew", f"""case $1 in
            --prefix) echo '{brew}' ;;
            install) echo "$2" >> '{brew}/installed'; mkdir -p '{brew}/opt/'"$2" ;;
            esac""")
        (brew / "opt" / "fmt").mkdir(parents=True)
        # The test tools are installed.
        self.program(cache / "tools" / "bin" / "actionlint",
                     "echo " + re.search(r"actionlint=(\S+)", (harness.ROOT / "scripts" / "bootstrap").read_text()).group(1))
        shutil.copy(harness.ROOT / "testdata" / "test-tools.txt", cache / "tools")
        done = self.step("ci.yml", "macos", "Install what scripts/bootstrap requires", TCFIX_CACHE=str(cache),
                         PATH=f"{self.folder}/bin{os.pathsep}{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = (brew / "installed").read_text().split()
        self.assertIn("llvm", installed)
        self.assertNotIn("fmt", installed)


class Content(unittest.TestCase):
    def test_actions_are_pinned_by_commit(self):
        for path in WORKFLOWS:
            used = re.findall(r"uses: (\S+)(.*)", path.read_text())
            self.assertTrue(used)
            for action, comment in used:
                if action != "./":
                    self.assertRegex(action, r"^[\w/-]+@[0-9a-f]{40}$")
                    self.assertRegex(comment, r"^ # v\d+\.\d+\.\d+$")

    def test_scripts_exist(self):
        """Each file of the project that a workflow runs exists."""
        for path in WORKFLOWS:
            for name in set(re.findall(r"(?<![\w/])(?:scripts|tests)[/\\][\w./\\-]*\w", path.read_text())):
                name = name.replace("\\", "/")
                self.assertTrue((harness.ROOT / name).exists(), f"{path.name}: {name}")

    def test_forms_request_the_diagnosis(self):
        for path in FORMS:
            labels = [field["attributes"].get("label") for field in load(path)["body"]]
            self.assertIn("tcfix doctor --json", labels, path.name)

    def test_release_targets_are_those_of_ci(self):
        jobs = load(GITHUB / "workflows" / "ci.yml")["jobs"]
        built = set(jobs["release-programs"]["strategy"]["matrix"]["target"])
        native = {row["target"] for row in jobs["macos"]["strategy"]["matrix"]["include"]}
        self.assertEqual(built, native | {"windows-x86_64"})


if __name__ == "__main__":
    sys.exit(unittest.main())
