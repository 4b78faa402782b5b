"""Markdown pages whose indented examples are the program's output.

A comment in a page says where its commands run, and every command below it runs there, in order:

    <!-- run: macos ffmpeg=8 -->              a tree of trees.py (further words: see Place)

        $ tcfix doctor .venv
        its output
        (exit code 1)

A line that consists of … matches any number of lines. Everything else must be equal.
"""
import dataclasses
import os
import pathlib
import pty
import re
import shlex
import subprocess

import harness

INDENT = "    "
TAKES_SYSROOT = ("apply", "doctor", "list", "undo")
ELLIPSIS = "…"
PLACE = re.compile(r"<!-- run: (.*) -->")
# What differs between machines and releases.
FILTERS = ((re.compile(r"\btcfix \d+\.\d+\.\d+\S* \(LLVM [\d.]+\)"), "tcfix VERSION"),
           (re.compile(r"tcfix_hook-\d+\.\d+\.\d+\S*?\.dist-info"), "tcfix_hook-VERSION.dist-info"),
           (re.compile(r"\(\d+(\.\d+)? s\)"), "(TIME)"))
# Colours and widths come from the page; where torchcodec and FFmpeg are, from the tree.
HIDDEN = ("TCFIX_FFMPEG", "VIRTUAL_ENV", "CONDA_PREFIX", "NO_COLOR", "COLUMNS", "LD_LIBRARY_PATH", "HOMEBREW_PREFIX")


@dataclasses.dataclass
class Example:
    command: str
    output: list  # of lines, without the indentation


class Place:
    """Where the commands of a page run: `NAME word=value …`.

    NAME is created by `make(root, NAME, ffmpeg)`; `ffmpeg=` is passed to it. `sysroot=yes` adds --sysroot to every
    command that has it, without showing it (a traceback has none); `terminal=COLUMNS` runs in a terminal, with escapes as
    `\\e`. In commands and outputs, ROOT is the directory of the target's disk, SOURCES the repository.
    """

    def __init__(self, text, root, make):
        name, *words = text.split()
        options = dict(word.split("=", 1) for word in words)
        self.root = pathlib.Path(root)
        self.folder = make(self.root, name, options.get("ffmpeg"))
        self.has_sysroot = options.get("sysroot") == "yes"
        self.columns = int(options.get("terminal", 0))

    def run(self, line):
        """The lines that a command prints, with its exit code if that is not 0."""
        words = [word.replace("SOURCES", str(harness.ROOT)) for word in shlex.split(line)]
        variables = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        variables.update(LC_ALL="C.UTF-8", TERM="xterm-256color")
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        if words[0] == "tcfix":
            words[0] = harness.TCFIX
            if self.has_sysroot and words[1:2] and words[1] in TAKES_SYSROOT and "--traceback" not in words:
                words[2:2] = ["--sysroot", os.path.relpath(self.root, self.folder)]
        runner = self.run_in_terminal if self.columns else self.run_piped
        output, code = runner(words, variables)
        output = output.replace("\r\n", "\n").replace("\x1b", "\\e").replace(str(self.root), "ROOT")
        output = output.replace(str(harness.ROOT), "SOURCES")
        lines = output.splitlines()
        lines = [filtered(each.rstrip()) for each in lines]
        return lines + ([f"(exit code {code})"] if code else [])

    def run_piped(self, words, variables):
        result = subprocess.run(words, cwd=self.folder, env=variables, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.stdout.decode(errors="backslashreplace"), result.returncode

    def run_in_terminal(self, words, variables):
        ours, theirs = pty.openpty()
        set_width(theirs, self.columns)
        with subprocess.Popen(words, cwd=self.folder, env=variables, stdin=subprocess.DEVNULL, stdout=theirs,
                              stderr=theirs) as process:
            os.close(theirs)
            output = b"".join(iter(lambda: read_terminal(ours), b""))
        os.close(ours)
        return output.decode(errors="backslashreplace"), process.returncode


def set_width(terminal, columns):
    import fcntl
    import struct
    import termios
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def read_terminal(descriptor):
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def filtered(line):
    for pattern, replacement in FILTERS:
        line = pattern.sub(replacement, line)
    return line


def matches(expected, printed):
    """Whether the lines are equal, where … matches any number of them."""
    if not expected:
        return not printed
    if expected[0].strip() == ELLIPSIS:
        return any(matches(expected[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])


def read(text):
    """The page as a list: plain lines (str) and Examples."""
    parts, example = [], None
    for line in text.splitlines():
        if line.startswith(INDENT + "$ "):
            example = Example(line[len(INDENT) + 2:], [])
            parts.append(example)
        elif example and line.startswith(INDENT):
            example.output.append(line[len(INDENT):])
        elif example and not line and example.output and parts[-1] is example:
            example.output.append("")  # an empty line of the output, or the end of it
        else:
            parts += end_of(example)
            example = None
            parts.append(line)
    return parts + end_of(example)


def end_of(example):
    """The empty lines after an example, removed from it."""
    count = 0
    while example and example.output and not example.output[-1]:
        example.output.pop()
        count += 1
    return [""] * count


def write(parts):
    lines = []
    for part in parts:
        if isinstance(part, Example):
            lines.append(f"{INDENT}$ {part.command}")
            lines += [(INDENT + line).rstrip() for line in part.output]
        else:
            lines.append(part)
    return "\n".join(lines) + "\n"


def rerun(text, make, scratch):
    """The page as it should be, and what differs: [(command, expected, printed)].

    An example that is still right stays as written; any other is replaced by the complete output."""
    place, differences, parts = None, [], read(text)
    for part in parts:
        if not isinstance(part, Example):
            if found := PLACE.fullmatch(part):
                place = Place(found[1], harness.tempfile.mkdtemp(dir=scratch), make)
        elif place:
            printed = place.run(part.command)
            if not matches(part.output, printed):
                differences.append((part.command, part.output, printed))
                part.output = printed
    return write(parts), differences
