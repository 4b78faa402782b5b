"""Types of the JSON documents that the commands print. Documents may contain more fields."""

from __future__ import annotations

from typing import Dict, List, Optional, TypedDict

# Python 3.8 cannot mark single fields as optional, so they are in a separate base class.


class Problem(TypedDict):
    code: str
    message: str
    path: Optional[str]
    hint: Optional[str]


class Report(TypedDict):
    """The fields of every document."""

    schema: int
    command: str
    ok: bool
    errors: List[Problem]
    warnings: List[Problem]


class Dependency(TypedDict):
    name: str
    kind: str  # normal, weak, reexport, upward, delay


class Signature(TypedDict):
    state: str  # none, valid, invalid
    kind: Optional[str]  # adhoc, linker-signed, cms
    identifier: Optional[str]


class Import(TypedDict):
    name: str
    # The library that it comes from is under "from", which is a keyword in Python.


class _ImageExtras(TypedDict, total=False):
    path: str
    format: str  # macho, elf, pe
    runpath_kind: Optional[str]  # rpath, runpath (ELF)
    signature: Signature  # Mach-O
    imports: List[Import]  # with symbols=True
    exports: List[str]  # with symbols=True
    slices: List[Image]  # of a universal file, instead of the other fields


class Image(_ImageExtras, total=False):
    arch: str
    id: Optional[str]
    dependencies: List[Dependency]
    rpaths: List[str]
    min_os: Optional[str]


class InspectReport(Report):
    files: List[Image]


class _EditExtras(TypedDict, total=False):
    old: str


class Edit(_EditExtras):
    op: str  # add_rpath, remove_rpath, rename_dependency, sign, …
    value: str
    reason: str


class EditedFile(TypedDict):
    path: str
    status: str  # changed, would_change, unchanged, skipped, failed
    edits: List[Edit]
    sha256_before: Optional[str]
    sha256_after: Optional[str]


class EditReport(Report):
    files: List[EditedFile]


class VerifiedFile(TypedDict):
    path: str
    valid: bool
    problems: List[str]


class VerifyReport(Report):
    files: List[VerifiedFile]


class Change(TypedDict):
    before: Optional[bool]
    after: Optional[bool]  # None if unknown


class FFmpeg(TypedDict):
    major: int
    path: str
    source: str


class Torch(TypedDict):
    version: Optional[str]
    path: Optional[str]  # of its libraries
    site: str


class TriedLibrary(TypedDict):
    path: str
    loads: bool
    error: Optional[str]  # the loader's own message


class TriedGroup(TypedDict):
    package: str
    ffmpeg: Optional[int]
    loads: bool
    simulated: Optional[bool]  # the result of the simulation; None if unknown
    agrees: bool
    libraries: List[TriedLibrary]


class Run(TypedDict):
    """The result of the environment's own python (--run)."""

    python: str
    ok: bool
    ffmpeg_major: Optional[int]
    seconds: float
    smoke_test: Optional[str]
    error: Optional[str]  # of the smoke test
    groups: List[TriedGroup]
    agrees: bool


class AppliedTarget(TypedDict):
    path: str
    files: List[EditedFile]
    summary: Dict[str, int]
    loads: Change
    loads_bare: Change
    ffmpeg: Optional[FFmpeg]
    torch: Optional[Torch]
    run: Optional[Run]


class ApplyReport(Report):
    targets: List[AppliedTarget]


class LoadProblem(TypedDict):
    code: str
    message: str
    dependency: Optional[str]
    tried: List[str]


class Library(TypedDict):
    path: str
    loads: Optional[bool]
    problems: List[LoadProblem]


class Group(TypedDict):
    ffmpeg: int
    loads: Optional[bool]
    loads_bare: Optional[bool]
    libraries: List[Library]


class Finding(TypedDict):
    code: str
    severity: str  # error, warning, info
    message: str
    path: Optional[str]
    evidence: object
    action: Optional[str]  # the exact command to type


class PackageHealth(TypedDict):
    name: str
    version: Optional[str]
    verdict: str  # ok, broken, unknown
    warnings: int
    libraries: int
    cause: Optional[str]
    action: Optional[str]
    needed: int
    needed_failing: int
    on_demand: int
    on_demand_failing: int


class DoctorReport(Report):
    target: str
    verdict: str  # ok, broken, unknown
    summary: str  # the verdict in one line
    action: Optional[str]  # the next command to run
    run: Optional[Run]
    groups: List[Group]  # not with all=True
    packages: List[PackageHealth]  # with all=True
    findings: List[Finding]


class FoundFFmpeg(FFmpeg):
    chosen_for: List[str]
    reason: str


class ListReport(Report):
    python: List[Dict[str, object]]
    packages: List[Dict[str, object]]
    libraries: List[Dict[str, object]]
    ffmpeg: List[FoundFFmpeg]
    torch: Optional[Torch]


class UndoneTarget(TypedDict):
    path: str
    restored: List[str]
    skipped: List[str]


class UndoReport(Report):
    targets: List[UndoneTarget]


class RepairedWheel(TypedDict):
    input: str
    output: Optional[str]
    files: List[EditedFile]


class WheelReport(Report):
    wheels: List[RepairedWheel]


class HookReport(Report):
    state: str  # installed, absent, stale
    files: List[str]
