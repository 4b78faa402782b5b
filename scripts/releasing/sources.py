"""What is linked in, by version and hash: fetched from Debian's archive, verified, unpacked once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

# Debian removes a version from its mirrors when the next one is released; snapshot.debian.org keeps all.
MIRRORS = (
    "http://deb.debian.org/debian/pool/main/",
    "http://deb.debian.org/debian-security/pool/updates/main/",
    "https://snapshot.debian.org/archive/debian/20261101T000000Z/pool/main/",
    "https://snapshot.debian.org/archive/debian-security/20261101T000000Z/pool/updates/main/",
)


@dataclass(frozen=True)
class Source:
    name: str
    version: str
    path: str  # below pool/main
    sha256: str
    licence: str  # SPDX
    licence_file: str
    purl: str
    website: str
    keep: tuple[str, ...] = ("",)  # directories and files to unpack, below the archive's top one
    systems: tuple[str, ...] = ("Darwin", "Linux", "Windows")  # that link it

    @property
    def file_name(self) -> str:
        return self.path.rsplit("/", 1)[1]


LLVM = Source(
    "llvm", "19.1.7", "l/llvm-toolchain-19/llvm-toolchain-19_19.1.7.orig.tar.xz",
    "ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
    "Apache-2.0 WITH LLVM-exception", "llvm/LICENSE.TXT", "pkg:generic/llvm@19.1.7", "https://llvm.org",
    keep=("llvm/LICENSE.TXT", "llvm/include/", "llvm/lib/BinaryFormat/", "llvm/lib/Demangle/",
          "llvm/lib/Object/", "llvm/lib/Support/", "llvm/lib/TargetParser/"))
FMT = Source(
    "fmt", "9.1.0", "f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz",
    "84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583",
    "MIT", "LICENSE.rst", "pkg:github/fmtlib/fmt@9.1.0", "https://fmt.dev",
    keep=("LICENSE.rst", "include/"))
SPDLOG = Source(
    "spdlog", "1.10.0", "s/spdlog/spdlog_1.10.0+ds.orig.tar.xz",
    "620ca6842b5c21014470bd42eb4716024674214fb973b5ffa3aaea33310ad327",
    "MIT", "LICENSE", "pkg:github/gabime/spdlog@1.10.0", "https://github.com/gabime/spdlog",
    keep=("LICENSE", "include/"))
# One header, from Debian's package, because the mirrors do not have its source.
CXXOPTS = Source(
    "cxxopts", "3.1.1", "c/cxxopts/libcxxopts-dev_3.1.1-1_all.deb",
    "f630f681cf07f5c8438241983ddd27e97fce36a1ef3c7d8b954a88e8de3d8417",
    "MIT", "usr/share/doc/libcxxopts-dev/copyright", "pkg:github/jarro2783/cxxopts@3.1.1",
    "https://github.com/jarro2783/cxxopts")
LIBDEFLATE = Source(
    "libdeflate", "1.14", "libd/libdeflate/libdeflate_1.14.orig.tar.gz",
    "89e7df898c37c3427b0f39aadcf733731321a278771d20fc553f92da8d4808ac",
    "MIT", "COPYING", "pkg:github/ebiggers/libdeflate@1.14", "https://github.com/ebiggers/libdeflate",
    keep=("COPYING", "common_defs.h", "lib/", "libdeflate.h"))
OPENSSL = Source(
    "openssl", "3.0.22", "o/openssl/openssl_3.0.22.orig.tar.gz",
    "67ebca7e50d17383028045486653492195b83db95f8558709701bb47b5c1ef81",
    "Apache-2.0", "LICENSE.txt", "pkg:generic/openssl@3.0.22", "https://www.openssl.org",
    systems=("Linux",))
SOURCES = (LLVM, FMT, SPDLOG, CXXOPTS, LIBDEFLATE, OPENSSL)


def linked_into(system: str) -> list[Source]:
    """The sources that a program for this system contains."""
    return [source for source in SOURCES if system in source.systems]


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(source: Source, directory: Path) -> Path:
    """The archive, from the first mirror that has it. A file with another hash is rejected."""
    path = directory / source.file_name
    if path.exists() and sha256_of(path) == source.sha256:
        return path
    directory.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    refusals = []
    for mirror in MIRRORS:
        try:
            with urllib.request.urlopen(mirror + source.path, timeout=60) as answer, part.open("wb") as file:
                shutil.copyfileobj(answer, file)
        except (urllib.error.URLError, OSError) as error:
            refusals.append(f"{mirror}{source.path}: {error}")
            continue
        if sha256_of(part) == source.sha256:
            part.replace(path)
            return path
        refusals.append(f"{mirror}{source.path}: the hash differs from the pinned one")
    part.unlink(missing_ok=True)
    raise SystemExit("error: cannot fetch " + source.name + "\n  " + "\n  ".join(refusals))


def unpack(source: Source, cache: Path) -> Path:
    """The directory of the unpacked source. It is renamed into place when it is complete."""
    directory = cache / "sources" / f"{source.name}-{source.version}-{source.sha256[:8]}"
    if directory.is_dir():
        return directory
    archive = download(source, cache / "downloads")
    print(f"  unpack {source.file_name}", flush=True)
    part = directory.with_name(directory.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    if archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "--extract", archive, part], check=True)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(part, members=_members(tar, source.keep))
    part.rename(directory)
    return directory


def _members(tar: tarfile.TarFile, keep: tuple[str, ...]):
    """The members below `keep`, without the archive's top directory."""
    for member in tar:
        path = member.name.partition("/")[2]
        if path.startswith(keep) and (member.isfile() or member.isdir()):
            member.name = path
            yield member


def configured_openssl(cache: Path) -> Path:
    """The directory of the headers that OpenSSL's Configure generates, the same for both architectures."""
    source = unpack(OPENSSL, cache)
    directory = source.with_name(source.name + "-headers")
    if not directory.is_dir():
        print("  configure openssl", flush=True)
        part = directory.with_name(directory.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for command in (["perl", str(source / "Configure"), "linux-x86_64", "no-shared"], ["make", "build_generated"]):
            subprocess.run(command, cwd=part, check=True, stdout=subprocess.DEVNULL)
        part.rename(directory)
    return directory / "include"
