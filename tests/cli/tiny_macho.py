"""The smallest Mach-O libraries that a loader would accept, unsigned, for tests of the program."""
import struct

CPUS = {"arm64": (0x0100000C, 0), "x86_64": (0x01000007, 3)}


def _text_command(kind, fixed, text):
    body = struct.pack("<II", 8 + 4 + len(fixed), 0)[:4] + fixed + text.encode() + b"\0"
    size = (8 + len(body) + 7) // 8 * 8
    return struct.pack("<II", kind, size) + body.ljust(size - 8, b"\0")


def _segment(name, address, memory, offset, size, protection, sections=b""):
    return struct.pack("<II16sQQQQiiII", 0x19, 72 + len(sections), name, address, memory, offset,
                       size, protection, protection, len(sections) // 80, 0) + sections


def dylib(cpu="arm64", rpaths=(), dependencies=("/usr/lib/libSystem.B.dylib",),
          identity="@rpath/libtiny.dylib", padding=400, content=b"\xc0\x03\x5f\xd6" * 4):
    """A library with `padding` free bytes after its load commands."""
    version = struct.pack("<III", 2, 0x10000, 0x10000)
    texts = _text_command(0xD, version, identity)
    texts += b"".join(_text_command(0xC, version, name) for name in dependencies)
    texts += b"".join(_text_command(0x8000001C, b"", path) for path in rpaths)
    texts += struct.pack("<II16s", 0x1B, 24, b"tcfix test uuid!")
    texts += struct.pack("<IIIIII", 0x32, 24, 1, 11 << 16, (14 << 16) | (5 << 8), 0)
    texts += struct.pack("<IIIIII", 0x2, 24, 0, 0, 0, 0)
    count = 3 + 1 + len(dependencies) + len(rpaths) + 3 - 1
    commands_size = (72 + 80) + 72 + len(texts)
    start = 32 + commands_size + padding
    text_size = (start + len(content) + 0x3FFF) // 0x4000 * 0x4000
    section = struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", start, len(content), start, 2,
                          0, 0, 0x80000400, 0, 0, 0)
    linkedit = b"linkedit".ljust(16, b"\0")
    commands = _segment(b"__TEXT", 0, text_size, 0, text_size, 5, section)
    commands += _segment(b"__LINKEDIT", text_size, 0x4000, text_size, len(linkedit), 1)
    commands += texts
    kind, subtype = CPUS[cpu]
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, kind, subtype, 6, count, len(commands), 0x85, 0)
    image = (header + commands).ljust(start, b"\0") + content
    return image.ljust(text_size, b"\0") + linkedit


def universal(slices, alignment=14):
    """A universal file of these libraries."""
    header = struct.pack(">II", 0xCAFEBABE, len(slices))
    offset = 1 << alignment
    body = b""
    for image in slices:
        cpu, subtype = struct.unpack_from("<II", image, 4)
        header += struct.pack(">IIIII", cpu, subtype, offset, len(image), alignment)
        padded = (len(image) + (1 << alignment) - 1) >> alignment << alignment
        body += image.ljust(padded, b"\0")
        offset += padded
    return header.ljust(1 << alignment, b"\0") + body
