"""The platforms that a release is made for."""

from __future__ import annotations

import platform
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    name: str
    triple: str  # zig's -target: platform, C library and its minimum version
    wheel_tag: str
    system: str  # CMAKE_SYSTEM_NAME
    processor: str

    @property
    def program(self) -> str:
        return "tcfix.exe" if self.system == "Windows" else "tcfix"

    @property
    def archive_suffix(self) -> str:
        return ".zip" if self.system == "Windows" else ".tar.gz"


TARGETS = {
    target.name: target
    for target in (
        Target("macos-arm64", "aarch64-macos.11.0", "macosx_11_0_arm64", "Darwin", "arm64"),
        Target("macos-x86_64", "x86_64-macos.11.0", "macosx_11_0_x86_64", "Darwin", "x86_64"),
        Target("windows-x86_64", "x86_64-windows-gnu", "win_amd64", "Windows", "x86_64"),
        Target("windows-arm64", "aarch64-windows-gnu", "win_arm64", "Windows", "ARM64"),
        Target("linux-x86_64", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", "Linux", "x86_64"),
        Target("linux-aarch64", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", "Linux", "aarch64"),
        Target("musl-x86_64", "x86_64-linux-musl", "musllinux_1_2_x86_64", "Linux", "x86_64"),
        Target("musl-aarch64", "aarch64-linux-musl", "musllinux_1_2_aarch64", "Linux", "aarch64"),
    )
}

# The programs in a universal one, in the order of its slices.
UNIVERSAL = ("macos-x86_64", "macos-arm64")
UNIVERSAL_NAME = "macos-universal"
UNIVERSAL_WHEEL_TAG = "macosx_11_0_universal2"


def contents_of(name: str) -> Target:
    """A target whose program has the same libraries linked in: both slices of the universal one have."""
    return TARGETS[UNIVERSAL[0] if name == UNIVERSAL_NAME else name]


def host_target() -> Target:
    """The target whose program runs on this Linux machine, whatever its C library is: the static one."""
    return TARGETS["musl-" + platform.machine()]
