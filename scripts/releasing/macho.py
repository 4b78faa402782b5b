"""Mach-O programs after the link: without local symbols, and two of them in one universal file.

zig's linker ignores -s for macOS programs: local symbols are a quarter of the file.
"""

from __future__ import annotations

import struct

from .targets import UNIVERSAL

LC_SYMTAB, LC_DYSYMTAB, LC_SEGMENT_64, LC_CODE_SIGNATURE = 0x2, 0xB, 0x19, 0x1D
HEADER_SIZE = 32
SYMBOL = struct.Struct("<IBBHQ")  # nlist_64
# In the table of indirect symbols, in place of an index: the symbol is local, or absolute.
INDIRECT_FLAGS, INDIRECT_LOCAL = 0xC0000000, 0x80000000
PAGE = 0x4000  # of Apple silicon, the larger one

CPU_TYPES = {"macos-x86_64": (0x01000007, 3), "macos-arm64": (0x0100000C, 0)}
SLICE_ALIGNMENT = 14  # as a power of two: the pages of Apple silicon


def _commands(image: bytes) -> dict[int | bytes, int]:
    """The offset of each load command, by its number; of segments, by their name."""
    (count,) = struct.unpack_from("<I", image, 16)
    places: dict[int | bytes, int] = {}
    at = HEADER_SIZE
    for _ in range(count):
        kind, size = struct.unpack_from("<II", image, at)
        name = image[at + 8:at + 24].rstrip(b"\0") if kind == LC_SEGMENT_64 else kind
        places[name] = at
        at += size
    return places


def _symbol_tables(image: bytes, symbols: int, first: int, count: int, strings: int) -> tuple[bytes, bytes]:
    """The table of `count` symbols from `first` on, and their names."""
    table, names = bytearray(), bytearray(b"\0")
    for index in range(first, first + count):
        name, *rest = SYMBOL.unpack_from(image, symbols + index * SYMBOL.size)
        end = image.index(b"\0", strings + name)
        table += SYMBOL.pack(len(names), *rest)
        names += image[strings + name:end + 1]
    return bytes(table), bytes(names + bytes(-len(names) % 8))


def strip(program: bytes) -> bytes:
    """Without local symbols and without a signature. Both are at the end of the file, after what dyld reads."""
    image = bytearray(program)
    places = _commands(program)
    if LC_CODE_SIGNATURE in places:
        count, size = struct.unpack_from("<II", image, 16)
        at = places.pop(LC_CODE_SIGNATURE)
        if at + 16 != HEADER_SIZE + size:
            raise SystemExit("error: the signature's load command is not the last one")
        image[at:at + 16] = bytes(16)
        struct.pack_into("<II", image, 16, count - 1, size - 16)
    symtab, dysymtab, segment = places[LC_SYMTAB], places[LC_DYSYMTAB], places[b"__LINKEDIT"]
    symbols, symbol_count, strings, _ = struct.unpack_from("<IIII", image, symtab + 8)
    local, locals_count, _, external_count, _, undefined_count = struct.unpack_from("<IIIIII", image, dysymtab + 8)
    indirect, indirect_count = struct.unpack_from("<II", image, dysymtab + 56)
    if local != 0 or not symbols <= indirect <= strings:
        raise SystemExit("error: unexpected order of the symbol tables")
    table, names = _symbol_tables(image, symbols, locals_count, symbol_count - locals_count, strings)
    entries = [entry if entry & INDIRECT_FLAGS else entry - locals_count if entry >= locals_count else INDIRECT_LOCAL
               for entry in struct.unpack_from(f"<{indirect_count}I", image, indirect)]
    new_indirect = symbols + len(table)
    new_strings = new_indirect + 4 * indirect_count
    struct.pack_into("<IIII", image, symtab + 8, symbols, len(table) // SYMBOL.size, new_strings, len(names))
    struct.pack_into("<IIIIII", image, dysymtab + 8, 0, 0, 0, external_count, external_count, undefined_count)
    struct.pack_into("<I", image, dysymtab + 56, new_indirect if indirect_count else 0)
    image[symbols:] = table + struct.pack(f"<{indirect_count}I", *entries) + names
    (file_offset,) = struct.unpack_from("<Q", image, segment + 40)
    size = len(image) - file_offset
    struct.pack_into("<Q", image, segment + 32, size + -size % PAGE)
    struct.pack_into("<Q", image, segment + 48, size)
    return bytes(image)


def join(slices: dict[str, bytes]) -> bytes:
    """A universal file of thin, signed ones. Their bytes do not change, so the signatures stay valid."""
    page = 1 << SLICE_ALIGNMENT
    header = struct.pack(">II", 0xCAFEBABE, len(slices))
    body = bytearray()
    for name in UNIVERSAL:
        content = slices[name]
        body += bytes(-len(body) % page)
        header += struct.pack(">IIIII", *CPU_TYPES[name], page + len(body), len(content), SLICE_ALIGNMENT)
        body += content
    return header + bytes(page - len(header)) + bytes(body)
