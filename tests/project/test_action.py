"""action.yml: its shell code and scripts/github-action, as a runner starts them."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

import harness
import ruamel.yaml
from tiny_world import LIBRARIES, TinyWorld

ACTION = ruamel.yaml.YAML(typ="safe").load(harness.ROOT / "action.yml")
STEP = ACTION["runs"]["steps"][0]


class ActionTest(harness.FilesTest):
    def setUp(self):
        super().setUp()
        self.world = TinyWorld(self.folder / "root")
        self.sysroot = f"--sysroot '{self.world.root}'"
        self.temporary = self.folder / "runner temp"
        self.temporary.mkdir()

    def use(self, check=0, path=(), cwd=None, variables=None, **inputs):
        """Runs the step with these inputs; returns its output and the outputs that it sets."""
        self.assertLessEqual(set(inputs), set(ACTION["inputs"]))
        values = {name: inputs.get(name, declared["default"]) for name, declared in ACTION["inputs"].items()}
        environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
        environment.update({key: values[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text).group(1)]
                            for key, text in STEP["env"].items()})
        folders = [*map(str, path), os.path.dirname(harness.TCFIX), os.path.dirname(sys.executable)]
        environment.update(GITHUB_ACTION_PATH=str(harness.ROOT), RUNNER_TEMP=str(self.temporary),
                           GITHUB_OUTPUT=str(self.folder / "output"), GITHUB_PATH=str(self.folder / "path"),
                           PATH=os.pathsep.join([*folders, environment["PATH"]]), **(variables or {}))
        (self.folder / "output").write_text("")
        # Like GitHub with `shell: bash`.
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]],
                              env=environment, cwd=cwd or self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, check, done.stdout + done.stderr)
        lines = (self.folder / "output").read_text().splitlines()
        return done.stdout, dict(line.split("=", 1) for line in lines)

    def test_repairs_and_reports(self):
        inputs = dict(version="installed", environment=str(self.world.env), args=f"{self.sysroot} --require 7")
        text, outputs = self.use(**inputs)
        self.assertEqual(outputs["changed"], str(len(LIBRARIES)))
        document = json.loads(pathlib.Path(outputs["json"]).read_text())
        self.assertEqual((document["command"], document["ok"]), ("apply", True))
        self.assertEqual(set(outputs), set(ACTION["outputs"]))
        self.assertRegex(text, "(?m)^torchcodec .*: loads")
        self.assertEqual(self.use(**inputs)[1]["changed"], "0")

    def test_finds_the_environment(self):
        for variables in ({"VIRTUAL_ENV": str(self.world.env)}, {}):
            text, _ = self.use(version="installed", args=self.sysroot, cwd=self.world.env.parent,
                               variables=variables, doctor="false")
            self.assertIn(".venv: ", text)
        # Without one, the Python on PATH, which has no torchcodec.
        text, _ = self.use(version="installed", check=2)
        self.assertIn(os.path.dirname(os.path.dirname(sys.executable)), text)

    def test_failure_is_annotated_and_explained(self):
        inputs = dict(version="installed", environment=str(self.world.env), args=f"{self.sysroot} --require 8")
        text, outputs = self.use(**inputs, check=4)
        self.assertRegex(text, r"(?m)^::warning::.*FFmpeg 8")
        self.assertIn("torchcodec 0.9.1 in", text)
        self.assertEqual(outputs["changed"], str(len(LIBRARIES)))
        self.assertNotIn("torchcodec 0.9.1 in", self.use(**inputs, doctor="false", check=4)[0])

    def test_packages(self):
        text, _ = self.use(version="installed", environment=str(self.world.env), packages="torch\nabsent",
                           args=self.sysroot, doctor="false", check=2)
        self.assertIn("absent", text)

    def test_wrong_inputs(self):
        for inputs, word in (({"version": "1.0; rm -rf /"}, "version:"), ({"doctor": "maybe"}, "doctor:"),
                             ({"args": "'unclosed"}, "args:"), ({"args": "--no-such-option"}, "no-such-option")):
            text, _ = self.use(check=2, **{"version": "installed", **inputs})
            self.assertRegex(text, f"(?m)^::error::.*{word}")

    def test_environment_that_cannot_be_created(self):
        (self.temporary / "tcfix").write_text("in the way")
        text, _ = self.use(check=2)
        self.assertRegex(text, "(?m)^::error::.*cannot create a virtual environment")

    def test_installs_into_a_separate_environment(self):
        wheel = self.folder / "tcfix-9.9.9-py3-none-any.whl"
        info = "tcfix-9.9.9.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:  # a stand-in that reports its arguments
            archive.writestr("stand_in.py", "import json, sys\n\n\ndef main():\n"
                             "    print(json.dumps({'errors': [], 'warnings': [], 'words': sys.argv[1:]}))\n")
            archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tcfix\nVersion: 9.9.9\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\ntcfix = stand_in:main\n")
            archive.writestr(f"{info}/RECORD", "")
        _, outputs = self.use(version=str(wheel), environment="one\n  two words  \n", args="--ffmpeg av --rpath '/a b'",
                              packages="x y", doctor="false")
        self.assertTrue(outputs["program"].startswith(str(self.temporary / "tcfix")))
        self.assertEqual((self.folder / "path").read_text().strip(), os.path.dirname(outputs["program"]))
        self.assertEqual(json.loads(pathlib.Path(outputs["json"]).read_text())["words"],
                         ["apply", "--json", "--package", "x", "--package", "y", "--ffmpeg", "av", "--rpath", "/a b",
                          "one", "two words"])


if __name__ == "__main__":
    sys.exit(unittest.main())
