"""zig, which compiles and links for every target: fetched by pip, pinned by hash."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from .targets import Target

ZIG_VERSION = "0.17.0"
CLANG_VERSION = "22.1.8"  # the one inside zig; libc++ and libunwind are of the same version
ZIG_HASHES = {
    "x86_64": "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
    "aarch64": "d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
}


@dataclass(frozen=True)
class Runtime:
    """What zig itself links into a program."""

    name: str
    version: str
    licence: str
    licence_file: str  # below zig's directory
    purl: str
    website: str


_LLVM_LICENCE = "Apache-2.0 WITH LLVM-exception"
LIBCXX = Runtime("libc++", CLANG_VERSION, _LLVM_LICENCE, "lib/libcxx/LICENSE.TXT",
                 f"pkg:generic/libcxx@{CLANG_VERSION}", "https://libcxx.llvm.org")
LIBUNWIND = Runtime("libunwind", CLANG_VERSION, _LLVM_LICENCE, "lib/libunwind/LICENSE.TXT",
                    f"pkg:generic/libunwind@{CLANG_VERSION}", "https://llvm.org")
COMPILER_RT = Runtime("zig-compiler-rt", ZIG_VERSION, "MIT", "LICENSE", f"pkg:pypi/ziglang@{ZIG_VERSION}",
                      "https://ziglang.org")
MUSL = Runtime("musl", "1.2.5", "MIT", "lib/libc/musl/COPYRIGHT", "pkg:generic/musl@1.2.5",
               "https://musl.libc.org")
MINGW = Runtime("mingw-w64-runtime", "15.0", "ZPL-2.1", "lib/libc/mingw/COPYING",
                "pkg:generic/mingw-w64@15.0", "https://www.mingw-w64.org")


def runtimes(target: Target) -> list[Runtime]:
    """macOS has libunwind in libSystem; elsewhere it is linked in."""
    linked = [LIBCXX, COMPILER_RT]
    if target.system != "Darwin":
        linked.append(LIBUNWIND)
    if target.triple.endswith("musl"):
        linked.append(MUSL)
    if target.system == "Windows":
        linked.append(MINGW)
    return linked


def install_zig(cache: Path) -> Path:
    """zig's directory, without the wheel's .dist-info: nothing imports it."""
    directory = cache / f"zig-{ZIG_VERSION}"
    if directory.is_dir():
        return directory
    print(f"  fetch zig {ZIG_VERSION}", flush=True)
    downloads = cache / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    requirement = downloads / "zig.txt"
    requirement.write_text(f"ziglang=={ZIG_VERSION} --hash=sha256:{ZIG_HASHES[platform.machine()]}\n")
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                    "--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", downloads,
                    "--requirement", requirement], check=True)
    (wheel,) = downloads.glob(f"ziglang-{ZIG_VERSION}-*.whl")
    part = directory.with_name(directory.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(part)
    (part / "ziglang" / "zig").chmod(0o755)
    (part / "ziglang").rename(directory)
    shutil.rmtree(part)
    return directory


def write_tools(cache: Path, target: Target) -> Path:
    """A directory with cc, c++, ar, ranlib and rc for the target. zig keeps the runtimes that it builds."""
    zig = install_zig(cache) / "zig"
    tools = cache / "tools" / target.name
    tools.mkdir(parents=True, exist_ok=True)
    for tool in ("cc", "c++", "ar", "ranlib", "rc"):
        options = f" -target {target.triple}" if tool in ("cc", "c++") else ""
        text = ("#!/bin/sh\n"
                f"export ZIG_GLOBAL_CACHE_DIR='{cache}/zig-cache' ZIG_LOCAL_CACHE_DIR='{cache}/zig-cache'\n"
                f"exec '{zig}' {tool}{options} \"$@\"\n")
        path = tools / tool
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            path.chmod(0o755)
    return tools


def cmake_options(cache: Path, target: Target, project: Path) -> list[str]:
    """The options that make CMake use zig."""
    return ["-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={project}/cmake/zig.cmake", "-DCMAKE_BUILD_TYPE=Release",
            f"-DTCFIX_TOOLS={write_tools(cache, target)}", f"-DTCFIX_SYSTEM={target.system}",
            f"-DTCFIX_PROCESSOR={target.processor}", f"-DTCFIX_CLANG_VERSION={CLANG_VERSION}"]
