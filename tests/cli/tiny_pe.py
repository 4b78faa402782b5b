"""The smallest x86_64 DLLs that a loader would accept, for tests of the program."""
import struct

ALIGNMENT = 0x200
PAGE = 0x1000
BASE = 0x180000000
RETURN = b"\xb8\x01\x00\x00\x00\xc3".ljust(16, b"\xcc")  # mov eax, 1; ret


class _Section:
    def __init__(self, address):
        self.address, self.bytes = address, b""

    def add(self, data, alignment=1):
        self.bytes += bytes(-len(self.bytes) % alignment)
        at = self.address + len(self.bytes)
        self.bytes += data
        return at


def _text(name):
    return name.encode() + b"\0" * (2 - len(name) % 2)


def _add_imports(code, constants, imports):
    """The import directory (address, size): every function is called once."""
    rows = b""
    for name, functions in imports.items():
        hints = [constants.add(b"\0\0" + _text(each), 2) for each in functions]
        lookup = struct.pack(f"<{len(hints) + 1}Q", *hints, 0)
        lookups, slots = constants.add(lookup, 8), constants.add(lookup, 8)
        for number in range(len(hints)):
            following = code.address + len(code.bytes) + 6
            code.add(b"\xff\x25" + struct.pack("<i", slots + 8 * number - following))  # jmp [slot]
        rows += struct.pack("<IIIII", lookups, 0, 0, constants.add(_text(name), 2), slots)
    rows += bytes(20)
    return constants.add(rows, 4), len(rows)


def _add_exports(constants, name, exports, target):
    count = len(exports)
    names = [constants.add(_text(each), 2) for each in sorted(exports)]
    addresses = constants.add(struct.pack(f"<{count}I", *[target] * count), 4)
    pointers = constants.add(struct.pack(f"<{count}I", *names), 4)
    ordinals = constants.add(struct.pack(f"<{count}H", *range(count)), 2)
    own_name = constants.add(_text(name), 2)
    table = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, own_name, 1, count, count, addresses, pointers, ordinals)
    return constants.add(table, 4), len(table)


def dll(identity="tiny.dll", imports=None, exports=("tiny",)):
    """A DLL that calls `imports`, {DLL: functions}, and has `exports`."""
    code, constants, unwind = _Section(PAGE), _Section(2 * PAGE), _Section(3 * PAGE)
    entry = code.add(RETURN)
    directories = {0: _add_exports(constants, identity, exports, entry)}
    directories[1] = _add_imports(code, constants, imports or {"KERNEL32.dll": ["Sleep"]})
    unwind.add(struct.pack("<III", entry, entry + 6, constants.add(b"\1\0\0\0", 4)))
    directories[3] = (unwind.address, 12)

    sections, body, offset = b"", b"", 2 * ALIGNMENT
    for name, section, flags in ((b".text", code, 0x60000020), (b".rdata", constants, 0x40000040),
                                 (b".pdata", unwind, 0x40000040)):
        size = (len(section.bytes) + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        sections += struct.pack("<8sIIIIIIHHI", name, len(section.bytes), section.address, size, offset, 0, 0, 0, 0,
                                flags)
        body += section.bytes.ljust(size, b"\0")
        offset += size
    optional = struct.pack("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20B, 14, 0, len(code.bytes), len(constants.bytes), 0,
                           entry, PAGE, BASE, PAGE, ALIGNMENT, 6, 0, 0, 0, 6, 0, 0, 4 * PAGE, 2 * ALIGNMENT, 0, 2,
                           0x160, 0x100000, PAGE, 0x100000, PAGE, 0, 16)
    for number in range(16):
        optional += struct.pack("<II", *directories.get(number, (0, 0)))
    header = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    header += struct.pack("<4sHHIIIHH", b"PE\0\0", 0x8664, 3, 0, 0, 0, len(optional), 0x2022)
    return (header + optional + sections).ljust(2 * ALIGNMENT, b"\0") + body
