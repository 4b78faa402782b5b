"""A reader of Mach-O files that shares no code with tcfix: struct and hashlib only.

It checks what tcfix writes: load commands, and every hash of the code signature.
"""
import hashlib
import struct

LC_RPATH = 0x8000001C
LC_ID_DYLIB = 0xD
LC_CODE_SIGNATURE = 0x1D
LC_SEGMENT_64 = 0x19
LC_LOAD = {0xC: "load", 0x80000018: "weak", 0x8000001F: "reexport", 0x80000023: "upward"}
CD_MAGIC = 0xFADE0C02


def slices(data):
    """(offset, size) of every 64-bit little-endian slice."""
    magic = struct.unpack(">I", data[:4])[0]
    if magic not in (0xCAFEBABE, 0xCAFEBABF):
        return [(0, len(data))] if data[:4] == b"\xcf\xfa\xed\xfe" else []
    (count,) = struct.unpack(">I", data[4:8])
    entry = ">iiIII" if magic == 0xCAFEBABE else ">iiQQII"
    size = struct.calcsize(entry)
    found = []
    for i in range(count):
        fields = struct.unpack_from(entry, data, 8 + i * size)
        if data[fields[2] : fields[2] + 4] == b"\xcf\xfa\xed\xfe":
            found.append((fields[2], fields[3]))
    return found


class Slice:
    def __init__(self, data):
        self.data = data
        (_, self.cpu, _, self.file_type, count, self.commands_size, _, _) = struct.unpack_from(
            "<IiiIIIII", data)
        self.commands = []
        offset = 32
        for _ in range(count):
            kind, size = struct.unpack_from("<II", data, offset)
            self.commands.append((kind, bytes(data[offset : offset + size])))
            offset += size
        assert offset == 32 + self.commands_size, "sizeofcmds disagrees with the commands"

    def _text(self, command):
        (start,) = struct.unpack_from("<I", command, 8)
        return command[start:].split(b"\0")[0].decode()

    @property
    def rpaths(self):
        return [self._text(c) for kind, c in self.commands if kind == LC_RPATH]

    @property
    def rpath_sizes(self):
        return [len(c) for kind, c in self.commands if kind == LC_RPATH]

    @property
    def dependencies(self):
        return [self._text(c) for kind, c in self.commands if kind in LC_LOAD]

    @property
    def first_section(self):
        """The lowest file offset of any section: the end of the header padding."""
        lowest = len(self.data)
        for kind, command in self.commands:
            if kind != LC_SEGMENT_64:
                continue
            (count,) = struct.unpack_from("<I", command, 64)
            for i in range(count):
                section = command[72 + 80 * i :]
                size, offset = struct.unpack_from("<QI", section, 40)
                if size and offset and section[64] & 0xFF not in (1, 12, 18):
                    lowest = min(lowest, offset)
        return lowest

    @property
    def signature_range(self):
        for kind, command in self.commands:
            if kind == LC_CODE_SIGNATURE:
                return struct.unpack_from("<II", command, 8)
        return None

    @property
    def page_sizes(self):
        """Of every code directory."""
        start, room = self.signature_range
        blob = bytes(self.data[start : start + room])
        (count,) = struct.unpack_from(">I", blob, 8)
        offsets = [struct.unpack_from(">II", blob, 12 + 8 * i)[1] for i in range(count)]
        return [1 << blob[at + 39] for at in offsets
                if struct.unpack_from(">I", blob, at)[0] == CD_MAGIC]

    def signature_problems(self):
        """All problems of the signature; the identifier comes last."""
        if self.signature_range is None:
            return ["unsigned"], None
        start, room = self.signature_range
        blob = bytes(self.data[start : start + room])
        magic, length, count = struct.unpack_from(">III", blob)
        problems = []
        if magic != 0xFADE0CC0 or length > room:
            return ["bad super blob"], None
        slots = dict(struct.unpack_from(">II", blob, 12 + 8 * i) for i in range(count))
        identifier = None
        for slot, offset in slots.items():
            if struct.unpack_from(">I", blob, offset)[0] != CD_MAGIC:
                continue
            identifier = self._check_directory(blob, slots, offset, start, problems)
        return problems, identifier

    def _check_directory(self, blob, slots, at, code_end, problems):
        (_, _, version, flags, hash_at, ident_at, specials, pages, limit, size, kind, _, shift) = (
            struct.unpack_from(">IIIIIIIIIBBBB", blob, at))
        algorithm = {1: "sha1", 2: "sha256", 3: "sha256", 4: "sha384"}[kind]
        page_size = 1 << shift
        if limit != code_end:
            problems.append(f"code limit {limit}, signature at {code_end}")
        if pages != (limit + page_size - 1) // page_size:
            problems.append(f"{pages} hashes for {limit} bytes")
        for page in range(pages):
            content = self.data[page * page_size : min((page + 1) * page_size, limit)]
            stored = blob[at + hash_at + page * size : at + hash_at + (page + 1) * size]
            if hashlib.new(algorithm, content).digest()[:size] != stored:
                problems.append(f"page {page}")
        for slot in (2, 5, 7):
            if slot not in slots or slot > specials:
                continue
            (length,) = struct.unpack_from(">I", blob, slots[slot] + 4)
            content = blob[slots[slot] : slots[slot] + length]
            stored = blob[at + hash_at - slot * size : at + hash_at - (slot - 1) * size]
            if hashlib.new(algorithm, content).digest()[:size] != stored:
                problems.append(f"special slot {slot}")
        if not flags & 2:
            problems.append("not ad hoc")
        return blob[at + ident_at :].split(b"\0")[0].decode()


def read(path):
    with open(path, "rb") as file:
        data = memoryview(file.read())
    return [Slice(data[offset : offset + size]) for offset, size in slices(data)]
