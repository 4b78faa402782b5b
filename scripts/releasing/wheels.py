"""Wheels with a program that was compiled elsewhere: the same as scikit-build-core would build from pyproject.toml."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import tomllib
from pathlib import Path

from .archives import Member, write_zip


def version_of(project: Path) -> str:
    """The version, read as pyproject.toml specifies."""
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    source = settings["tool"]["scikit-build"]["metadata"]["version"]
    found = re.search(source["regex"], (project / source["input"]).read_text())
    if not found:
        raise SystemExit(f"error: {source['input']}: no version found")
    return found["value"]


def metadata(project: Path, linked_licences: list[str] = []) -> str:
    """METADATA, in the fields and the order of scikit-build-core, with the licence files of what is
    linked in. A new key in [project] is an error."""
    fields = dict(tomllib.loads((project / "pyproject.toml").read_text())["project"])
    lines = ["Metadata-Version: 2.4", f"Name: {fields.pop('name')}", f"Version: {version_of(project)}",
             f"Summary: {fields.pop('description')}", f"Keywords: {','.join(fields.pop('keywords'))}",
             f"License-Expression: {fields.pop('license')}"]
    lines += [f"License-File: {name}" for name in [*fields.pop("license-files"), *linked_licences]]
    lines += [f"Classifier: {name}" for name in fields.pop("classifiers")]
    lines += [f"Project-URL: {name}, {url}" for name, url in fields.pop("urls", {}).items()]
    lines += [f"Requires-Python: {fields.pop('requires-python')}", "Description-Content-Type: text/markdown"]
    readme = (project / fields.pop("readme")).read_text()
    fields.pop("dynamic")
    if fields:
        raise SystemExit("error: pyproject.toml: unknown to scripts/releasing/wheels.py: " + ", ".join(fields))
    return "\n".join(lines) + "\n\n" + readme


def record(members: list[Member], path: str) -> Member:
    """RECORD: every member with its hash and size, and RECORD itself without them."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for member in members:
        digest = base64.urlsafe_b64encode(hashlib.sha256(member.content).digest()).rstrip(b"=").decode()
        rows.writerow((member.path, "sha256=" + digest, len(member.content)))
    rows.writerow((path, "", ""))
    return Member(path, text.getvalue().encode())


def write_wheel(directory: Path, project: Path, tag: str, program: Member, generated: dict[str, bytes],
                licences: list[Member]) -> Path:
    """`generated` are the files below share/, as cmake/Install.cmake installs them; `licences` are those of
    what is linked in."""
    version = version_of(project)
    name = f"tcfix-{version}"
    information = f"{name}.dist-info"
    package = project / "python" / "tcfix"
    members = [Member(f"tcfix/{path.name}", path.read_bytes()) for path in package.iterdir() if path.is_file()]
    members.append(Member(f"{name}.data/scripts/{program.path}", program.content, True))
    members += [Member(f"{name}.data/data/share/{path}", content) for path, content in generated.items()]
    members.sort(key=lambda member: member.path)
    # Installers read .dist-info from the end of the archive, so it comes last.
    own = Member("LICENSE", (project / "LICENSE").read_bytes())
    members += [Member(f"{information}/licenses/{each.path}", each.content) for each in (own, *licences)]
    names = [each.path for each in licences]
    members.append(Member(f"{information}/METADATA", metadata(project, names).encode()))
    wheel = f"Wheel-Version: 1.0\nGenerator: tcfix {version}\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n\n"
    members.append(Member(f"{information}/WHEEL", wheel.encode()))
    members.append(record(members, f"{information}/RECORD"))
    path = directory / f"{name}-py3-none-{tag}.whl"
    write_zip(path, members)
    return path
