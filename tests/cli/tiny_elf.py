"""The smallest x86_64 ELF libraries that a loader would accept, for tests of the program."""
import struct

PAGE = 0x1000
SPARE_SLOTS = 5  # like the linkers of torchcodec's libraries


class _Strings:
    def __init__(self):
        self.bytes = b"\0"

    def add(self, text):
        at = len(self.bytes)
        self.bytes += text.encode() + b"\0"
        return at


def _segment(kind, flags, offset, size, alignment):
    return struct.pack("<IIQQQQQQ", kind, flags, offset, offset, offset, size, size, alignment)


def library(identity="libtiny.so", dependencies=("libc.so.6",), runpath="", exports=()):
    """A shared library. Addresses equal file offsets: headers and tables, then the dynamic section."""
    strings = _Strings()
    symbols = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name in exports:  # absolute symbols, so that no code is needed
        symbols += struct.pack("<IBBHQQ", strings.add(name), 0x12, 0, 0xFFF1, 1, 0)
    entries = [(1, strings.add(name)) for name in dependencies] + [(14, strings.add(identity))]
    if runpath:
        entries.append((29, strings.add(runpath)))

    count = 1 + len(exports)
    chains = [following if following < count else 0 for following in range(2, count + 1)]
    table = struct.pack(f"<{3 + count}I", 1, count, min(1, len(exports)), 0, *chains)
    note = struct.pack("<III4s8s", 4, 8, 3, b"GNU", b"tcfix id")
    at, content = {}, b""
    for name, part in (("hash", table), ("symbols", symbols), ("strings", strings.bytes), ("note", note)):
        content += bytes(-len(content) % 8)
        at[name] = 64 + 5 * 56 + len(content)
        content += part
    end = 64 + 5 * 56 + len(content)
    dynamic_at = (end + PAGE - 1) // PAGE * PAGE
    entries += [(4, at["hash"]), (5, at["strings"]), (6, at["symbols"]), (10, len(strings.bytes)), (11, 24)]
    entries += [(0, 0)] * (1 + SPARE_SLOTS)
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)

    header = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 3, 62, 1, 0, 64, 0, 0, 64, 56, 5, 0, 0, 0)
    header += _segment(1, 5, 0, end, PAGE) + _segment(1, 6, dynamic_at, len(dynamic), PAGE)
    header += _segment(2, 6, dynamic_at, len(dynamic), 8) + _segment(4, 4, at["note"], len(note), 4)
    header += _segment(0x6474E551, 6, 0, 0, 16)
    return (header + content).ljust(dynamic_at, b"\0") + dynamic
