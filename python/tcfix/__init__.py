"""tcfix from Python: each command is a function that returns the command's JSON document.

    import tcfix
    report = tcfix.apply(".venv", dry_run=True, rpath=["/opt/homebrew/lib"])
    for file in report["targets"][0]["files"]:
        print(file["path"], file["status"])

Operands come first; options are keywords: ``dry_run=True`` is ``--dry-run``, ``ffmpeg="av"`` is
``--ffmpeg av``, and a list repeats the option. A command that finds a problem (exit codes 1 and 4)
returns its document, with ``ok`` false; a command that fails (2 and 3) raises TcfixError.
"""

from __future__ import annotations

import typing as _typing

from ._run import Operand, Option, TcfixError, program, run
from .documents import (ApplyReport, DoctorReport, EditReport, HookReport, InspectReport,
                        ListReport, UndoReport, VerifyReport, WheelReport)

__all__ = ["TcfixError", "apply", "doctor", "edit", "hook", "inspect", "list", "program", "run",
           "sign", "undo", "verify", "wheel"]


def apply(*targets: Operand, **options: Option) -> ApplyReport:
    """Repairs the torchcodec libraries of environments, directories or files."""
    return _typing.cast(ApplyReport, run("apply", *targets, **options))


def doctor(*target: Operand, **options: Option) -> DoctorReport:
    """Explains why torchcodec does not load, and what to do; ``all=True``: every package."""
    return _typing.cast(DoctorReport, run("doctor", *target, **options))


def list(*target: Operand, **options: Option) -> ListReport:  # the command's name
    """Lists an environment's Python, packages, libraries, FFmpeg and torch."""
    return _typing.cast(ListReport, run("list", *target, **options))


def inspect(*files: Operand, **options: Option) -> InspectReport:
    """Returns dependencies, search paths and signatures of libraries."""
    return _typing.cast(InspectReport, run("inspect", *files, **options))


def edit(*files: Operand, **options: Option) -> EditReport:
    """Edits search paths, dependencies and the identity of libraries."""
    return _typing.cast(EditReport, run("edit", *files, **options))


def sign(*files: Operand, **options: Option) -> EditReport:
    """Signs Mach-O files ad hoc."""
    return _typing.cast(EditReport, run("sign", *files, **options))


def verify(*files: Operand, **options: Option) -> VerifyReport:
    """Checks signatures of Mach-O files page by page."""
    return _typing.cast(VerifyReport, run("verify", *files, **options))


def undo(*target: Operand, **options: Option) -> UndoReport:
    """Restores the original bytes."""
    return _typing.cast(UndoReport, run("undo", *target, **options))


def wheel(*wheels: Operand, **options: Option) -> WheelReport:
    """Repairs wheels; ``o=DIRECTORY`` is for the repaired copies."""
    return _typing.cast(WheelReport, run("wheel", *wheels, **options))


def hook(action: str, *target: Operand, **options: Option) -> HookReport:
    """Repairs automatically after a reinstallation: "install", "remove" or "status"."""
    return _typing.cast(HookReport, run("hook", action, *target, **options))
