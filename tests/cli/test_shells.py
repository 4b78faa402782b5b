"""Completions in real shells, and the manual page: both must have every option of the help."""
import os
import pty
import re
import select
import subprocess
import sys
import time
import unittest

import harness
import powershell_grammar
from harness import FilesTest, find_tool, tcfix


def commands():
    listed = tcfix("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options(command):
    """The options in a command's help, long and short."""
    text = tcfix(command, "--help").stdout.split("Examples:")[0]
    lines = re.findall(r"^ {2}(?:(-\w),| {3}) (--[a-z-]+)", text, re.MULTILINE)
    return {name for pair in lines for name in pair if name}


def completed(shell, setup, line):
    """The completion of this line by a shell on a terminal after TAB, as separate words."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", HOME="/nonexistent", PS1="", LC_ALL="C.UTF-8")
        os.execvp(shell[0], shell)
    seen = ""

    def expect(pattern):
        nonlocal seen
        deadline = time.monotonic() + 20
        while not (match := re.search(pattern, seen, re.DOTALL)):
            if time.monotonic() > deadline:
                raise AssertionError(f"{shell[0]} never showed {pattern}:\n{seen}")
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 65536).decode(errors="replace")
        seen = ""
        return match

    try:
        os.write(terminal, f"{setup}; echo rea''dy\n".encode())
        expect(r"\nready\r")
        # Go to the start of the line and turn the line into arguments of another command.
        os.write(terminal, f"{line}\t\x01printf '<%s>' SHOWN \x05\n".encode())
        words = expect(r"\n?[^\n]*<SHOWN>((?:<[^>]*>)*)").group(1)
        return re.findall(r"<([^>]*)>", words)
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)


# Expected in every shell: (line, its words after completion).
UNIQUE = [
    ("tcfix insp", ["tcfix", "inspect"]),
    ("tcfix edit --set", ["tcfix", "edit", "--set-id"]),
    ("tcfix edit --rpath-kind run", ["tcfix", "edit", "--rpath-kind", "runpath"]),
    ("tcfix --quiet compl", ["tcfix", "--quiet", "completions"]),
    ("tcfix completions pow", ["tcfix", "completions", "powershell"]),
    ("tcfix inspect unus", ["tcfix", "inspect", "unusual name.so"]),
    ("tcfix undo --journal unus", ["tcfix", "undo", "--journal", "unusual name.so"]),
    ("tcfix edit --add-rpath unus", ["tcfix", "edit", "--add-rpath", "unus"]),
    ("tcfix man unus", ["tcfix", "man", "unus"]),
    ("tcfix edit --color nev", ["tcfix", "edit", "--color", "never"]),
    ("tcfix apply --ffmpeg au", ["tcfix", "apply", "--ffmpeg", "auto"]),
    ("tcfix wheel --ffmpeg unus", ["tcfix", "wheel", "--ffmpeg", "unus"]),  # a file, not a directory
    ("tcfix apply --sysroot unk", ["tcfix", "apply", "--sysroot", "unknown folder"]),
    ("tcfix apply unk", ["tcfix", "apply", "unknown folder"]),
    ("tcfix hook rem", ["tcfix", "hook", "remove"]),
    ("tcfix hook print git", ["tcfix", "hook", "print", "github-action"]),
    ("tcfix hook install unk", ["tcfix", "hook", "install", "unknown folder"]),
    ("tcfix doctor --html unus", ["tcfix", "doctor", "--html", "unusual name.so"]),
    ("tcfix wheel --av-wheel unus", ["tcfix", "wheel", "--av-wheel", "unusual name.so"]),
]


class ShellTest(FilesTest):
    name = None
    program = None  # if its name differs

    def setUp(self):
        super().setUp()
        program = self.program or self.name
        self.shell = find_tool(program)
        if not self.shell:
            self.skipTest(f"{program} is not installed")
        self.script = self.folder / "completions"
        self.script.write_text(tcfix("completions", self.name).stdout)
        (self.folder / "unusual name.so").touch()
        (self.folder / "unknown folder").mkdir()

    def check_unique(self, shell, setup):
        for line, words in UNIQUE:
            with self.subTest(line):
                shown = completed(shell, f"cd {self.folder}; {setup}", line)
                self.assertEqual([word.rstrip("/") for word in shown], words)  # zsh removes it itself


class Bash(ShellTest):
    name = "bash"

    def test_in_a_terminal(self):
        shell = [self.shell, "--norc", "--noprofile", "-i"]
        self.check_unique(shell, f". {self.script}")
        with self.subTest("--option=value"):
            words = completed(shell, f". {self.script}", "tcfix edit --color=alw")
            self.assertEqual(words, ["tcfix", "edit", "--color=always"])

    def test_has_every_option(self):
        for command in commands():
            driver = (f". {self.script}; complete -p tcfix >/dev/null || exit 1\n"
                      f"COMP_WORDS=(tcfix {command} -) COMP_CWORD=2; _tcfix tcfix - {command}\n"
                      "printf '%s\\n' \"${COMPREPLY[@]}\"")
            offered = harness.run(self.shell, "-c", driver, check=0).stdout.split()
            self.assertEqual(set(offered), options(command), command)


class Zsh(ShellTest):
    name = "zsh"

    def test_in_a_terminal(self):
        # Words that the shell adds, such as a slash or a blank, are not completed twice.
        setup = f"PS1=; bindkey -e; autoload -Uz compinit; compinit -u -D; . {self.script}"
        self.check_unique([self.shell, "-f", "-i"], setup)

    def test_autoloaded(self):
        (self.folder / "_tcfix").write_text(self.script.read_text())
        setup = (f"PS1=; bindkey -e; fpath=({self.folder} $fpath); "
                 "autoload -Uz compinit; compinit -u -D")
        words = completed([self.shell, "-f", "-i"], setup, "tcfix verify --js")
        self.assertEqual(words, ["tcfix", "verify", "--json"])

    def test_has_every_option(self):
        script = self.script.read_text()
        common = re.search(r"common=\((.*?)\n    \)", script, re.DOTALL).group(1)
        for command in commands():
            own = re.search(rf"\n        {command}\)\n(.*?);;", script, re.DOTALL).group(1)
            known = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)(?=[,}=\[+])", common + own))
            self.assertEqual(known, options(command), command)


class Fish(ShellTest):
    name = "fish"

    def offers(self, line):
        result = subprocess.run(
            [self.shell, "--no-config", "-c", f"source {self.script}; complete -C '{line}'"],
            capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(result.stderr, "")
        return [offer.split("\t")[0] for offer in result.stdout.splitlines()]

    def test_completes(self):
        for line, words in UNIQUE:
            typed = line.split()[-1]
            expected = [] if words[-1] == typed else [words[-1].replace(" ", "\\ ")]
            with self.subTest(line):
                self.assertEqual([offer.replace("\\ ", " ").rstrip("/") for offer in self.offers(line)],
                                 [offer.replace("\\ ", " ") for offer in expected])

    def test_has_every_option(self):
        for command in commands():
            offered = {offer for offer in self.offers(f"tcfix {command} --")}
            wanted = {option for option in options(command) if option.startswith("--")}
            self.assertEqual(offered, wanted, command)


class PowerShell(ShellTest):
    """Its own engine returns the completions of a line."""
    name = "powershell"
    program = "pwsh"

    def offers(self, *lines):
        """For each line, the completions of its last word."""
        quoted = ", ".join("'" + line.replace("'", "''") + "'" for line in lines)
        driver = self.folder / "driver.ps1"
        driver.write_text("$ErrorActionPreference = 'Stop'\n"
                          f"Get-Content -Raw '{self.script}' | Invoke-Expression\n"
                          f"Set-Location '{self.folder}'\n"
                          f"foreach ($line in @({quoted})) {{\n"
                          "  $found = TabExpansion2 -inputScript $line -cursorColumn $line.Length\n"
                          "  '<' + (($found.CompletionMatches | ForEach-Object { $_.CompletionText })"
                          " -join '><') + '>'\n}\n")
        said = subprocess.run([self.shell, "-NoProfile", "-NonInteractive", "-File", driver],
                              capture_output=True, text=True,
                              env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        answers = said.stdout.splitlines()
        self.assertEqual(len(answers), len(lines))
        return [[offer for offer in answer[1:-1].split("><") if offer] for answer in answers]

    def test_completes(self):
        for (line, words), offers in zip(UNIQUE, self.offers(*(line for line, _ in UNIQUE))):
            plain = [offer.strip("'").removeprefix("./").removeprefix(".\\") for offer in offers]
            with self.subTest(line):
                if words[-1] == line.split()[-1]:  # PowerShell falls back to files
                    self.assertIn(plain, ([], ["unusual name.so"]))
                else:
                    self.assertEqual(plain, [words[-1]])

    def test_option_with_value(self):
        self.assertEqual(self.offers("tcfix edit --color=alw"), [["--color=always"]])

    def test_has_every_option(self):
        names = commands()
        for command, offers in zip(names, self.offers(*(f"tcfix {name} --" for name in names))):
            wanted = {option for option in options(command) if option.startswith("--")}
            self.assertEqual(set(offers), wanted, command)
        self.assertEqual(set(self.offers("tcfix ")[0]) - set(names),
                         {"--color", "--help", "--json", "--quiet", "--verbose", "--version"})


class PowerShellText(unittest.TestCase):
    """Checks without PowerShell: by its grammar and by the help."""

    def setUp(self):
        self.script = tcfix("completions", "powershell").stdout

    def test_is_a_program(self):
        self.assertFalse(powershell_grammar.parse(self.script).has_error)
        for character in "(){}'":  # the parser detects a missing one
            damaged = self.script.replace(character, "", 1)
            self.assertTrue(powershell_grammar.parse(damaged).has_error, character)

    def test_has_every_option(self):
        for command in commands():
            own = re.search(rf"\n        '{command}' = @\(\n(.*?)\n        \)", self.script, re.DOTALL)
            known = set(re.findall(r"@\('(--[a-z-]+)'", own.group(1)))
            wanted = {option for option in options(command) if option.startswith("--")}
            self.assertEqual(known, wanted, command)

    def test_pairs_stay_pairs(self):
        """Inside @( ) a list on its own line is flattened, unless a comma precedes it."""
        lines = [line.strip() for line in self.script.splitlines()]
        self.assertFalse([line for line in lines if line.startswith("@('")])
        self.assertTrue([line for line in lines if line.startswith(", @('")])

    def test_no_cast_of_a_pipeline(self):
        """An empty pipeline casts to null, which is not a valid key of a table."""
        self.assertNotRegex(self.script, r"\[string\]\(")


class Manual(FilesTest):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "tcfix.1"
        self.page.write_text(tcfix("man").stdout)

    def test_mandoc_reports_nothing(self):
        mandoc = find_tool("mandoc")
        if not mandoc:
            self.skipTest("mandoc is not installed")
        said = harness.run(mandoc, "-T", "lint", "-W", "warning", self.page).stdout
        # A date would make builds of the same sources differ.
        self.assertEqual([line for line in said.splitlines() if "missing date" not in line], [])

    def test_man_shows_every_command_and_option(self):
        man = find_tool("man")
        if not man:
            self.skipTest("man is not installed")
        environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
        result = subprocess.run([man, "--warnings", "-l", self.page], capture_output=True,
                                text=True, env=environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for command in commands():
            self.assertRegex(result.stdout, rf"\n +tcfix +{command} +\[OPTION\.\.\.\]")
            for option in options(command):
                self.assertIn(option, result.stdout)
        self.assertIn(r"'$ORIGIN\..\av.libs'", result.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
