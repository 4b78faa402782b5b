"""Finds the program, runs it, and parses its output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union, cast

from .documents import Problem, Report

Operand = Union[str, "os.PathLike[str]"]
Value = Union[str, bytes, int, "os.PathLike[str]"]
Option = Union[None, bool, Value, Iterable[Value]]

# 1: a problem was found; 4: nothing loads afterwards. Both are results, described in the document.
_RESULT_CODES = (0, 1, 4)


class TcfixError(Exception):
    """tcfix failed.

    ``exit_code`` is 2 for invalid usage or a missing target, 3 if a file could not be changed (others
    may have been: see ``document``), 130 if it was interrupted. ``errors`` has one entry for each error,
    with code, message, path and hint.
    """

    def __init__(self, exit_code: int, errors: List[Problem], document: Optional[Report] = None):
        super().__init__("\n".join(map(_message, errors)))
        self.exit_code = exit_code
        self.errors = errors
        self.document = document

    def __reduce__(self) -> Tuple[Any, ...]:  # for pickle, as in process pools
        return type(self), (self.exit_code, self.errors, self.document)

    @property
    def hint(self) -> Optional[str]:
        """What to do about it, if there is a hint."""
        return next((error["hint"] for error in self.errors if error.get("hint")), None)


def _message(error: Problem) -> str:
    path, hint = error.get("path"), error.get("hint")
    return "".join((f"{path}: " if path else "", error["message"], f" ({hint})" if hint else ""))


def program() -> str:
    """The path of the native program that belongs to this module."""
    name = "tcfix" + (sysconfig.get_config_var("EXE") or "")
    for candidate in _candidates(name):
        if os.path.isfile(candidate):
            return candidate
    raise TcfixError(2, [{"code": "not-found", "message": "the program tcfix is not installed",
                          "path": None, "hint": "pip install --force-reinstall tcfix"}])


def _candidates(name: str) -> Iterator[str]:
    site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    scripts = os.path.join(sysconfig.get_path("scripts"), name)
    if site in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        yield scripts
    # After pip install --user, --prefix or --target it is elsewhere, and scripts may contain another
    # one; the installer's RECORD lists it.
    from importlib import metadata
    try:
        files = metadata.distribution("tcfix").files or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name:
            yield os.path.abspath(str(file.locate()))
    yield os.path.join(site, "bin", name)
    yield scripts
    yield shutil.which("tcfix") or ""


def _words(options: Dict[str, Option]) -> Iterator[str]:
    for key, option in options.items():
        values: Iterable[Union[None, bool, Value]]
        if option is None or isinstance(option, (str, bytes, int, os.PathLike)):
            values = [option]
        else:
            values = option
        name = f"-{key}" if len(key) == 1 else "--" + key.replace("_", "-")
        for value in values:
            if value is True:
                yield name
            elif value is None or value is False:
                continue
            elif len(key) == 1:
                yield from (name, _text(value))
            else:
                yield f"{name}={_text(value)}"


def _text(value: Value) -> str:
    return str(value) if isinstance(value, int) else os.fsdecode(value)


def run(command: str, *operands: Operand, **options: Option) -> Dict[str, Any]:
    """Runs a command; returns its JSON document or raises TcfixError."""
    words = [program(), command, "--json", *_words(options)]
    if operands:
        words += ["--", *(os.fspath(operand) for operand in operands)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        output, log = process.communicate()
    except KeyboardInterrupt:
        process.communicate()  # it received Ctrl-C as well, and rolls back first
        raise
    try:
        document = json.loads(output)
    except ValueError:
        message = log.decode(errors="replace").strip() or f"tcfix ended with {process.returncode}"
        raise TcfixError(process.returncode, [{"code": "internal", "message": message,
                                               "path": None, "hint": None}]) from None
    if process.returncode not in _RESULT_CODES:
        raise TcfixError(process.returncode, document["errors"], document)
    return cast(Dict[str, Any], document)
