"""One real library, corrupted in ways that crash or mislead other tools: one error message, exit code 3, and
an unchanged file."""
import struct
import unittest

import elf_checks
from elf_checks import run
from harness import TCFIX, FilesTest

DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_VERNEED, DT_NULL = 1, 5, 10, 6, 0x6FFFFFFE, 0
PT_LOAD, PT_DYNAMIC = 1, 2


class Elf:
    """The fields of a 64-bit little-endian file, to be corrupted."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.phoff, self.shoff = struct.unpack_from("<QQ", data, 0x20)
        self.phnum, = struct.unpack_from("<H", data, 0x38)

    def put(self, form, offset, value):
        struct.pack_into(form, self.data, offset, value)

    def segments(self, kind):
        """The places of the program headers of one kind."""
        places = (self.phoff + 56 * number for number in range(self.phnum))
        return [at for at in places if struct.unpack_from("<I", self.data, at)[0] == kind]

    def entry(self, tag):
        """The place of a dynamic entry's value."""
        at, = struct.unpack_from("<Q", self.data, self.segments(PT_DYNAMIC)[0] + 8)
        while struct.unpack_from("<Q", self.data, at)[0] != tag:
            at += 16
        return at + 8

    def value(self, tag):
        return struct.unpack_from("<Q", self.data, self.entry(tag))[0]


def cut_to(part):
    def spoil(elf):
        del elf.data[int(len(elf.data) * part):]
    return spoil


def drop_terminator(elf):
    segment = elf.segments(PT_DYNAMIC)[0]
    end = elf.entry(DT_NULL) - 8
    start, = struct.unpack_from("<Q", elf.data, segment + 8)
    elf.put("<Q", segment + 32, end - start)
    elf.put("<Q", segment + 40, end - start)


CORRUPTIONS = {
    "empty": cut_to(0),
    "cut inside the header": lambda elf: elf.data.__delitem__(slice(40, None)),
    "cut in half": cut_to(0.5),
    "cut before its end": cut_to(0.99),
    "no program headers": lambda elf: elf.put("<H", 0x38, 0),
    "65535 program headers": lambda elf: elf.put("<H", 0x38, 0xFFFF),
    "program headers past the end": lambda elf: elf.put("<Q", 0x20, 2**64 - 8),
    "section headers past the end": lambda elf: elf.put("<Q", 0x28, 2**40),
    "PT_DYNAMIC past the end": lambda elf: elf.put("<Q", elf.segments(PT_DYNAMIC)[0] + 8, 2**31),
    "overlapping segments": lambda elf: elf.put("<Q", elf.segments(PT_LOAD)[0] + 40, 2**24),
    "segments out of order": lambda elf: elf.put("<Q", elf.segments(PT_LOAD)[1] + 16, 0),
    "odd alignment": lambda elf: elf.put("<Q", elf.segments(PT_LOAD)[0] + 48, 0x1001),
    "huge NEEDED offset": lambda elf: elf.put("<Q", elf.entry(DT_NEEDED), 2**63),
    "bogus DT_STRTAB": lambda elf: elf.put("<Q", elf.entry(DT_STRTAB), 0xDEADBEEF000),
    "huge DT_STRSZ": lambda elf: elf.put("<Q", elf.entry(DT_STRSZ), 2**64 - 1),
    "bogus DT_SYMTAB": lambda elf: elf.put("<Q", elf.entry(DT_SYMTAB), 2**62),
    "no DT_NULL": drop_terminator,
    "cyclic verneed": lambda elf: elf.put("<I", elf.value(DT_VERNEED) + 12, 2**32 - 16),
    "verneed that folds back": lambda elf: elf.put("<I", elf.value(DT_VERNEED) + 12, 4),
    "verneed without its file": lambda elf: elf.put("<I", elf.value(DT_VERNEED) + 4, 2**31),
}


class Corruptions(FilesTest):
    @classmethod
    def setUpClass(cls):
        elf_checks.require("gcc")

    def test_each_is_refused_with_a_message(self):
        source, good = self.folder / "a.c", self.folder / "good.so"
        source.write_text('#include <stdio.h>\nint answer(void) { return puts("42"); }\n')
        built = run("gcc", "-m64", "-shared", "-fPIC", "-Wl,--build-id", source, "-o", good)
        if built.returncode:
            self.skipTest("SKIPPED: gcc builds no 64-bit libraries here")
        for name, spoil in CORRUPTIONS.items():
            with self.subTest(name):
                elf = Elf(good.read_bytes())
                spoil(elf)
                bad = self.folder / "bad.so"
                bad.write_bytes(elf.data)
                result = run(TCFIX, "edit", "--add-rpath", "/opt/" + "x" * 300,
                             "--rename-dependency", "libc.so.6=libc-12345678.so.6", bad)
                self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
                self.assertEqual(bad.read_bytes(), bytes(elf.data))
                errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
                self.assertEqual(len(errors), 1, result.stderr)
                self.assertIn(str(bad), errors[0])


if __name__ == "__main__":
    unittest.main()
