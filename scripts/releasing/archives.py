"""Archives whose bytes depend on their content alone: sorted names, fixed times, owners and modes."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

# The oldest time that a ZIP archive can hold.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Member:
    path: str
    content: bytes
    is_program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.is_program else 0o644


def write_zip(path: Path, members: list[Member]) -> None:
    """Writes the members in the given order: a wheel's RECORD comes last."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for member in members:
            info = zipfile.ZipInfo(member.path, ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, for the modes in external_attr
            info.external_attr = (0o100000 | member.mode) << 16
            archive.writestr(info, member.content)


def write_tar_gz(path: Path, members: list[Member]) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member in members:
            info = tarfile.TarInfo(member.path)
            info.size = len(member.content)
            info.mode = member.mode
            archive.addfile(info, io.BytesIO(member.content))
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(buffer.getvalue())


def write_archive(path: Path, members: list[Member]) -> None:
    """A .zip or .tar.gz, by its name. All members are in one directory, named after the archive."""
    is_zip = path.name.endswith(".zip")
    top = path.name.removesuffix(".zip" if is_zip else ".tar.gz")
    below = [Member(f"{top}/{m.path}", m.content, m.is_program) for m in sorted(members, key=lambda m: m.path)]
    (write_zip if is_zip else write_tar_gz)(path, below)


def read_member(path: Path, name: str) -> bytes:
    """A file's content, from an archive of write_archive."""
    if path.name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            return archive.read(f"{path.name.removesuffix('.zip')}/{name}")
    with tarfile.open(path) as archive:
        file = archive.extractfile(f"{path.name.removesuffix('.tar.gz')}/{name}")
        if file is None:
            raise SystemExit(f"error: {path}: {name} is not a file")
        return file.read()
