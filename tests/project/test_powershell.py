"""scripts/windows: grammar, conventions and, if pwsh is installed, behaviour.

Usually neither Windows nor PowerShell is available, so every name that a script uses is looked up: commands,
their parameters, variables.
"""
import re
import sys
import unittest

import harness
import powershell_grammar
from powershell_grammar import nodes, text_of

FOLDER = harness.ROOT / "scripts" / "windows"
SCRIPTS = sorted(FOLDER.glob("*.ps1"))
PROGRAMS = [path for path in SCRIPTS if path.name != "common.ps1"]

# The commands of PowerShell 5.1 that the scripts use, with the parameters that they use.
COMMANDS = {
    "ConvertFrom-Json": set(), "ForEach-Object": set(), "Where-Object": set(), "Out-Host": set(),
    "Get-ChildItem": {"LiteralPath", "File", "Filter", "ErrorAction"},
    "Get-Command": {"Name", "CommandType", "ErrorAction"},
    "Get-Content": {"LiteralPath", "TotalCount"},
    "Join-Path": {"Path", "ChildPath"},
    "New-Object": {"TypeName", "ArgumentList"},
    "Remove-Item": {"LiteralPath", "Recurse", "Force", "ErrorAction"},
    "Resolve-Path": {"LiteralPath"},
    "Select-Object": {"First"},
    "Set-StrictMode": {"Version"},
    "Sort-Object": {"Descending"},
    "Test-Path": {"LiteralPath", "PathType"},
    "Write-Output": {"InputObject"}, "Write-Verbose": {"Message"}, "Write-Warning": {"Message"},
}
# https://learn.microsoft.com/powershell/scripting/developer/cmdlet/approved-verbs-for-windows-powershell-commands
APPROVED_VERBS = {"Assert", "ConvertTo", "Find", "Get", "Invoke", "Resolve", "Set", "Stop", "Test", "Write"}
AUTOMATIC = {"_", "null", "true", "false", "pscmdlet", "psscriptroot", "lastexitcode", "matches",
             "whatifpreference", "erroractionpreference"}


def variable_name(node):
    return text_of(node).lstrip("$@").strip("{}").lower()


def scope_nodes(scope, *types):
    """Nodes of a function or a script, without those of the functions inside it."""
    for child in scope.children:
        if child.type in types:
            yield child
        if child.type != "function_statement":
            yield from scope_nodes(child, *types)


def parameters(scope):
    """The parameters that a function or a script declares; $true in their attributes is not one."""
    return [text_of(child)[1:] for parameter in scope_nodes(scope, "script_parameter")
            for child in parameter.children if child.type == "variable"]


def assigned(scope):
    targets = scope_nodes(scope, "left_assignment_expression", "foreach_statement")
    return {variable_name(next(nodes(target, "variable"))) for target in targets} | {
        name.lower() for name in parameters(scope)}


def functions(root):
    return {text_of(next(nodes(node, "function_name"))): node for node in nodes(root, "function_statement")}


class Grammar(unittest.TestCase):
    def test_every_script_parses(self):
        for path in [*SCRIPTS, harness.ROOT / "scripts" / "check-on-windows"]:
            self.assertFalse(powershell_grammar.parse(path.read_text()).has_error, path.name)

    def test_mistakes_are_detected(self):
        for path in SCRIPTS:
            text = path.read_text()
            end = re.search(r"\n[})]\n", text).start()  # of the first block
            self.assertTrue(powershell_grammar.parse(text[:end] + text[end + 2:]).has_error, path.name)

    def test_windows_powershell_reads_it(self):
        """5.1 reads a file without a byte order mark as ANSI, and lacks the operators of 7."""
        for path in SCRIPTS:
            self.assertTrue(path.read_text().isascii(), path.name)
            code = re.sub(r"<#.*?#>|#[^\n]*|'[^']*'|\"[^\"]*\"", "", path.read_text(), flags=re.DOTALL)
            self.assertNotRegex(code, r"\?\?|\?\.|&&|\|\|", path.name)


class Habits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trees = {path: powershell_grammar.parse(path.read_text()) for path in SCRIPTS}
        cls.shared = functions(cls.trees[FOLDER / "common.ps1"])

    def test_commands_and_parameters_exist(self):
        for path, tree in self.trees.items():
            own = {name: set(parameters(node)) for name, node in {**self.shared, **functions(tree)}.items()}
            for command in nodes(tree, "command"):
                name = next((text_of(child) for child in command.children if child.type == "command_name"), None)
                if name is None:  # a program in a variable
                    continue
                with self.subTest(script=path.name, command=text_of(command)[:60]):
                    known = own.get(name, COMMANDS.get(name))
                    self.assertIsNotNone(known, "neither a known command nor a function: an alias?")
                    elements = [child for child in command.children if child.type == "command_elements"]
                    used = {text_of(part)[1:] for element in elements for part in element.children
                            if part.type == "command_parameter"}
                    self.assertLessEqual(used, known)

    def test_verbs_are_approved(self):
        for path, tree in self.trees.items():
            for name in functions(tree):
                self.assertIn(name.split("-")[0], APPROVED_VERBS, f"{path.name}: {name}")

    def test_variables_are_assigned(self):
        for path, tree in self.trees.items():
            outside = assigned(tree)
            for scope in [tree, *nodes(tree, "function_statement")]:
                known = outside | assigned(scope) | AUTOMATIC
                for node in scope_nodes(scope, "variable"):
                    name = variable_name(node)
                    if not name.startswith("env:"):
                        self.assertIn(name, known, f"{path.name}, line {node.start_point[0] + 1}")

    def test_help_explains_every_parameter(self):
        for path in PROGRAMS:
            text = path.read_text()
            help_text = re.match(r"<#\n(.*?)\n#>\n", text, re.DOTALL).group(1)
            for keyword in (".SYNOPSIS", ".DESCRIPTION", ".EXAMPLE", "Exit codes:"):
                self.assertIn(keyword, help_text, path.name)
            block = next(nodes(self.trees[path], "param_block"))
            self.assertEqual(re.findall(r"^\.PARAMETER (\w+)$", help_text, re.MULTILINE), parameters(block))

    def test_commands_that_change_something_have_whatif(self):
        for path in PROGRAMS:
            changes = path.name != "doctor.ps1"
            self.assertEqual("SupportsShouldProcess" in path.read_text(), changes, path.name)

    def test_ffmpeg_table_equals_that_of_tcfix(self):
        source = (harness.ROOT / "lib" / "providers" / "ffmpeg_name.cc").read_text()
        components = re.findall(r'"(\w+)"', re.search(r"kComponents\[\] = \{(.*?)\}", source, re.DOTALL).group(1))
        wanted = {major: dict(zip(components, numbers.split(", ")))
                  for major, numbers in re.findall(r"\{(\d+), \{([\d, ]+)\}\}", source)}
        rows = re.findall(r"^    (\d+) = @\{ (.*) \}$", (FOLDER / "common.ps1").read_text(), re.MULTILINE)
        self.assertEqual({major: dict(re.findall(r"(\w+) = (\d+)", row)) for major, row in rows}, wanted)


def dll(machine=0x8664):
    """The part of a DLL that the scripts read."""
    return b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0" + machine.to_bytes(2, "little")


class PowerShellTest(harness.FilesTest):
    def setUp(self):
        super().setUp()
        self.pwsh = harness.find_tool("pwsh", "powershell")
        if not self.pwsh:
            self.skipTest("pwsh is not installed")

    def script(self, name, *words, check=0, variables=None):
        clean = {"VIRTUAL_ENV": "", "CONDA_PREFIX": "", "INCLUDE": "x", "LIB": "x", **(variables or {})}
        setting = " ".join(f"$env:{key} = '{value}';" for key, value in clean.items())
        line = f"{setting} Set-Location '{self.folder}'; & '{FOLDER / name}' {' '.join(words)}; exit $LASTEXITCODE"
        return harness.run(self.pwsh, "-NoProfile", "-NonInteractive", "-Command", line, check=check)

    def make_program(self, name, text):
        path = self.folder / "env" / "Scripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho \"{path.stem} $*\" >> '{self.folder}/calls'\n{text}\n")
        path.chmod(0o755)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []


class SetUp(PowerShellTest):
    def directory(self, *names, machine=0x8664):
        path = self.folder / "bin"
        path.mkdir()
        for name in names:
            (path / f"{name}.dll").write_bytes(dll(machine))
        return path

    def test_whole_ffmpeg(self):
        path = self.directory("avcodec-61", "avformat-61", "avutil-59")
        result = self.script("setup-ffmpeg-shared.ps1", f"'{path}'", "-WhatIf")
        self.assertIn("FFmpeg 7", result.stdout)
        self.assertIn("What if:", result.stdout)
        self.assertIn("swscale-8.dll not found", result.stdout)  # a warning

    def test_missing_and_mixed(self):
        path = self.directory("avcodec-61", "avutil-59")
        self.assertIn("avformat-*.dll not found",
                      self.script("setup-ffmpeg-shared.ps1", f"'{path}'", check=1).stderr)
        (path / "avformat-60.dll").write_bytes(dll())
        self.assertIn("not of one FFmpeg release",
                      self.script("setup-ffmpeg-shared.ps1", f"'{path}'", check=1).stderr)
        self.script("setup-ffmpeg-shared.ps1", "'nowhere'", check=2)

    def test_other_machine(self):
        path = self.directory("avcodec-61", "avformat-61", "avutil-59", machine=0xAA64)
        self.assertIn("64-bit x86", self.script("setup-ffmpeg-shared.ps1", f"'{path}'", check=1).stderr)

    def test_directory_above(self):
        path = self.directory("avcodec-61", "avformat-61", "avutil-59")
        self.assertIn(f"the DLLs are in {path}",
                      self.script("setup-ffmpeg-shared.ps1", f"'{path.parent}'", check=1).stderr)


class Doctor(PowerShellTest):
    def test_words_and_exit_code(self):
        self.make_program("tcfix.exe", "exit 1")
        environment = self.folder / "env"
        self.script("doctor.ps1", f"'{environment}'", check=1)
        self.script("doctor.ps1", "-Require 7", "-Run", check=1, variables={"VIRTUAL_ENV": environment})
        self.assertEqual(self.calls(), [f"tcfix doctor --require 7,8 {environment}",
                                        f"tcfix doctor --require 7 --run {environment}"])

    def test_without_environment(self):
        self.assertIn("no environment", self.script("doctor.ps1", check=2).stderr)


class Rebuild(PowerShellTest):
    def setUp(self):
        super().setUp()
        self.core = self.folder / "source" / "src" / "torchcodec" / "_core"
        self.core.mkdir(parents=True)
        (self.core / "CMakeLists.txt").touch()
        (self.folder / "source" / "version.txt").write_text("0.9.1\n")
        self.make_program("python.exe", """case "$*" in
            *'import json'*) echo '["2.9.1+rocm7", "/torch/share/cmake", 3, 12]' ;;
            *pybind11*) echo /pybind11 ;;
            *) echo ;; esac""")
        self.make_program("cmake.exe", f"""echo "arch $PYTORCH_ROCM_ARCH" >> '{self.folder}/calls'
            [ "$1" != --install ] || {{ mkdir -p "$2/tcfix-stage"; touch "$2/tcfix-stage/libtorchcodec_core7.dll"; }}""")
        for name in ("ninja.exe", "cl.exe", "clang-cl.exe", "tcfix.exe"):
            self.make_program(name, "exit 0")
        self.words = [f"'{self.folder / 'source'}'", "-Environment", f"'{self.folder / 'env'}'"]

    def test_order_of_steps(self):
        self.script("rebuild-torchcodec.ps1", *self.words, "-PytorchRocmArch gfx1100,gfx1201", "-Require 7")
        calls = [call for call in self.calls() if "python -I" not in call]
        self.assertEqual([call.split()[0] for call in calls],
                         ["cmake", "arch", "cmake", "arch", "cmake", "arch", "python", "tcfix", "tcfix"])
        self.assertEqual(calls[1], "arch gfx1100;gfx1201")
        self.assertIn("-DTorch_DIR=/torch/share/cmake/Torch", calls[0].split())
        self.assertIn("--no-deps", calls[6])
        self.assertRegex(calls[7], r"apply --replace-from \S+ --require 7 ")
        self.assertIn("doctor --require 7", calls[8])

    def test_whatif_runs_nothing(self):
        result = self.script("rebuild-torchcodec.ps1", *self.words, "-WhatIf")
        self.assertEqual({call.split()[1] for call in self.calls()}, {"-I"})
        self.assertIn("pip install --no-deps torchcodec==0.9.1", result.stdout)

    def test_failed_build_changes_nothing(self):
        self.make_program("cmake.exe", "exit 9")
        self.assertIn("exit code 9", self.script("rebuild-torchcodec.ps1", *self.words, check=3).stderr)
        self.assertFalse([call for call in self.calls() if call.startswith("tcfix") or "pip" in call.split()])

    def test_what_is_missing(self):
        self.assertIn("INCLUDE", self.script("rebuild-torchcodec.ps1", *self.words, check=2,
                                             variables={"INCLUDE": ""}).stderr)
        (self.core / "CMakeLists.txt").unlink()
        self.assertIn("not a source directory", self.script("rebuild-torchcodec.ps1", *self.words, check=2).stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
