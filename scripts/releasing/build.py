"""Compiles the libraries that a target links (once, kept in the cache), then tcfix itself."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from . import macho, sources, toolchain
from .targets import Target


def run(command: list, log: Path) -> None:
    """Runs a command quietly; prints its output if it fails."""
    with log.open("ab") as file:
        code = subprocess.run([str(word) for word in command], stdout=file, stderr=subprocess.STDOUT).returncode
    if code:
        lines = log.read_text(errors="replace").splitlines()
        raise SystemExit("\n".join(lines[-40:]) + f"\nerror: {command[0]} failed; the whole output: {log}")


def key_of(paths: list[Path], *strings: str) -> str:
    """A short hash of the names and contents of files, and of strings."""
    digest = hashlib.sha256("\0".join(strings).encode())
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def build_parts(cache: Path, target: Target, project: Path) -> Path:
    """The directory of the static libraries. When a source or the build files change, Ninja rebuilds what depends on
    the change. It does not detect another version of zig, so each version has its own directory."""
    recipe = [*(project / "cmake" / "parts").iterdir(), project / "cmake" / "zig.cmake"]
    used = sources.linked_into(target.system)
    key = key_of(recipe, target.triple, *(source.sha256 for source in used))
    directory = cache / "parts" / f"{target.name}-zig-{toolchain.ZIG_VERSION}"
    complete = directory / "complete"
    if complete.exists() and complete.read_text() == key:
        return directory
    print(f"  compile the libraries for {target.name}", flush=True)
    directory.mkdir(parents=True, exist_ok=True)
    options = toolchain.cmake_options(cache, target, project)
    for source in (sources.LLVM, sources.LIBDEFLATE):
        options.append(f"-D{source.name.upper()}_SOURCE={sources.unpack(source, cache)}")
    options.append(f"-DLLVM_VERSION={sources.LLVM.version}")
    if sources.OPENSSL in used:
        options.append(f"-DOPENSSL_SOURCE={sources.unpack(sources.OPENSSL, cache)}")
        options.append(f"-DOPENSSL_HEADERS={sources.configured_openssl(cache)}")
    log = directory / "log"
    run(["cmake", "-S", project / "cmake" / "parts", "-B", directory, *options], log)
    run(["cmake", "--build", directory], log)
    complete.write_text(key)
    return directory


def header_directories(cache: Path) -> list[str]:
    """Where cxxopts, spdlog and fmt are."""
    return [str(sources.unpack(sources.CXXOPTS, cache) / "usr" / "include"),
            str(sources.unpack(sources.SPDLOG, cache) / "include"),
            str(sources.unpack(sources.FMT, cache) / "include")]


def build_program(cache: Path, target: Target, project: Path) -> Path:
    """The stripped program, not yet signed. Its build directory is kept for incremental builds."""
    parts = build_parts(cache, target, project)
    build = project / "build" / "release" / target.name
    build.mkdir(parents=True, exist_ok=True)
    print(f"  compile tcfix for {target.name}", flush=True)
    log = build / "log"
    log.unlink(missing_ok=True)
    run(["cmake", "-S", project, "-B", build, *toolchain.cmake_options(cache, target, project),
         "-DTCFIX_TESTS=OFF", "-DTCFIX_STATIC=OFF", "-DTCFIX_WERROR=OFF", f"-DTCFIX_PARTS={parts}",
         f"-DTCFIX_LLVM_INCLUDE={sources.unpack(sources.LLVM, cache)}/llvm/include",
         f"-DTCFIX_LIBDEFLATE_INCLUDE={sources.unpack(sources.LIBDEFLATE, cache)}",
         "-DTCFIX_HEADER_DIRECTORIES=" + ";".join(header_directories(cache)),
         *openssl_options(cache, target)], log)
    run(["cmake", "--build", build, "--target", "tcfix"], log)
    return build / "bin" / target.program


def openssl_options(cache: Path, target: Target) -> list[str]:
    if sources.OPENSSL not in sources.linked_into(target.system):
        return []
    directories = [sources.configured_openssl(cache), sources.unpack(sources.OPENSSL, cache) / "include"]
    return ["-DTCFIX_OPENSSL_INCLUDE=" + ";".join(map(str, directories))]


def sign(program: Path, host_program: Path, output: Path) -> None:
    """A stripped copy of a macOS program, signed ad hoc by our own signer and verified."""
    output.write_bytes(macho.strip(program.read_bytes()))
    output.chmod(0o755)
    subprocess.run([host_program, "sign", "--quiet", output], check=True)
    subprocess.run([host_program, "verify", "--quiet", output], check=True)
