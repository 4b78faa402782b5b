"""From compiled programs to what users download: wheels, archives, checksums, bill of materials."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from . import sources, toolchain
from .archives import Member, read_member, write_archive
from .bill import bill
from .targets import TARGETS, UNIVERSAL_NAME, UNIVERSAL_WHEEL_TAG, Target, contents_of
from .wheels import version_of, write_wheel

# Files that the program generates, by their path below share/ (cmake/Install.cmake), and the command for each.
GENERATED = {
    "man/man1/tcfix.1": ["man"],
    "bash-completion/completions/tcfix": ["completions", "bash"],
    "zsh/site-functions/_tcfix": ["completions", "zsh"],
    "fish/vendor_completions.d/tcfix.fish": ["completions", "fish"],
}
# Their paths in archives.
ARCHIVE_PATHS = {
    "man/man1/tcfix.1": "tcfix.1",
    "bash-completion/completions/tcfix": "completions/tcfix.bash",
    "zsh/site-functions/_tcfix": "completions/_tcfix",
    "fish/vendor_completions.d/tcfix.fish": "completions/tcfix.fish",
}


def generated_by(program: Path) -> dict[str, bytes]:
    """Manual page and completions, from a program that runs on this machine."""
    return {path: subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout
            for path, words in GENERATED.items()}


def licences_of(target: Target, cache: Path) -> list[Member]:
    """The licence files of what is linked into a target's program."""
    zig = toolchain.install_zig(cache)
    files = {each.name: sources.unpack(each, cache) / each.licence_file
             for each in sources.linked_into(target.system)}
    files.update({each.name: zig / each.licence_file for each in toolchain.runtimes(target)})
    return [Member(f"linked/{name}.txt", files[name].read_bytes()) for name in sorted(files)]


def archive_path(directory: Path, version: str, name: str, suffix: str) -> Path:
    return directory / f"tcfix-{version}-{name}{suffix}"


class Package:
    """Writes into one directory; all packages of a run contain the same manual page and completions."""

    def __init__(self, project: Path, cache: Path, directory: Path, host_program: Path):
        self.project = project
        self.cache = cache
        self.directory = directory
        self.generated = generated_by(host_program)
        self.powershell = subprocess.run([host_program, "completions", "powershell"], check=True,
                                         stdout=subprocess.PIPE).stdout

    def write(self, target: Target, program: bytes) -> list[Path]:
        return self._write(target.name, target.wheel_tag, target.program, target.archive_suffix, program,
                           licences_of(target, self.cache))

    def write_universal(self, program: bytes) -> list[Path]:
        target = contents_of(UNIVERSAL_NAME)
        return self._write(UNIVERSAL_NAME, UNIVERSAL_WHEEL_TAG, target.program, target.archive_suffix, program,
                           licences_of(target, self.cache))

    def _write(self, name: str, tag: str, program_name: str, suffix: str, program: bytes,
               licences: list[Member]) -> list[Path]:
        member = Member(program_name, program, True)
        wheel = write_wheel(self.directory, self.project, tag, member, self.generated, licences)
        archive = archive_path(self.directory, version_of(self.project), name, suffix)
        contents = [member, Member("LICENSE", (self.project / "LICENSE").read_bytes()),
                    Member("README.md", (self.project / "README.md").read_bytes()),
                    Member("completions/tcfix.ps1", self.powershell)]
        contents += [Member(ARCHIVE_PATHS[path], content) for path, content in self.generated.items()]
        contents += [Member("licenses/" + each.path, each.content) for each in licences]
        write_archive(archive, contents)
        return [wheel, archive]


def write_bill(project: Path, directory: Path) -> Path:
    """Of every program of this version in the directory, whichever run made it."""
    version = version_of(project)
    programs = {}
    for name in (*TARGETS, UNIVERSAL_NAME):
        target = contents_of(name)
        archive = archive_path(directory, version, name, target.archive_suffix)
        if archive.exists():
            programs[name] = hashlib.sha256(read_member(archive, target.program)).hexdigest()
    path = directory / f"tcfix-{version}.cdx.json"
    path.write_text(bill(version, programs))
    return path


def write_checksums(directory: Path) -> Path:
    """SHA256SUMS of everything in the directory, in the form that `sha256sum -c` reads."""
    path = directory / "SHA256SUMS"
    files = sorted(each for each in directory.iterdir() if each.is_file() and each != path)
    path.write_text("".join(f"{sources.sha256_of(each)}  {each.name}\n" for each in files))
    return path
