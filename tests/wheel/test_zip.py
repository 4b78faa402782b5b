"""Archives written by Python and Info-ZIP, rewritten by lib/wheel/zip, and checked by Python and Info-ZIP."""
import ensurepip
import io
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ZIP_TOOL = os.environ["ZIP_TOOL"]


class Unseekable(io.RawIOBase):
    """A pipe: zipfile then writes checksum and sizes after the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def header(archive, name):
    """All fields of a directory entry except the offset of the member."""
    info = archive.getinfo(name)
    return {slot: getattr(info, slot) for slot in
            ("date_time", "compress_type", "comment", "extra", "create_system", "flag_bits",
             "external_attr", "internal_attr", "CRC", "compress_size", "file_size")}


class ZipTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "out.zip"

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def rewrite(self, archive, *edits, check=True):
        result = subprocess.run([ZIP_TOOL, archive, self.output, *edits], capture_output=True,
                                text=True)
        if check:
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result

    def check(self):
        with zipfile.ZipFile(self.output) as archive:
            self.assertIsNone(archive.testzip())
        unzip = shutil.which("unzip")
        if unzip:
            result = subprocess.run([unzip, "-tqq", self.output], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def check_unchanged(self, archive):
        self.rewrite(archive)
        self.assertEqual(self.output.read_bytes(), pathlib.Path(archive).read_bytes())


class Copies(ZipTest):
    def test_real_wheels(self):
        wheels = list((pathlib.Path(ensurepip.__file__).parent / "_bundled").glob("*.whl"))
        if not wheels:
            self.skipTest("this Python brings no wheels along")
        for wheel in wheels:
            self.check_unchanged(wheel)

    def test_streamed(self):
        path = self.folder / "in.zip"
        with open(path, "wb") as file, zipfile.ZipFile(Unseekable(file), "w",
                                                       zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("streamed.txt", b"abc" * 1000)
            archive.writestr("empty", b"")
        self.check_unchanged(path)

    def test_zip64(self):
        path = self.folder / "in.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("wide", "also wide"):
                with archive.open(name, "w", force_zip64=True) as member:
                    member.write(b"abc" * 1000)
        self.check_unchanged(path)
        self.rewrite(path, "rename", "wide", "much/wider")
        self.check()

    def test_more_members_than_a_usual_archive_can_have(self):
        path = self.folder / "in.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(66000):
                archive.writestr(zipfile.ZipInfo(str(number)), b"")
        result = subprocess.run([ZIP_TOOL, path, "-"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("unsupported: would exceed the limits", self.rewrite(path, check=False).stderr)
        self.assertFalse(self.output.exists())

    def test_directories_comments_extra_fields_and_non_ascii_names(self):
        path = self.folder / "in.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/", b"")
            info = zipfile.ZipInfo("folder/Grüße.txt", (2001, 2, 3, 4, 5, 6))
            info.comment, info.extra = b"about it", b"\x55\x54\x05\x00\x01\x00\x00\x00\x40"
            archive.writestr(info, b"hello")
            archive.comment = b"about all"
        self.check_unchanged(path)

    def test_info_zip(self):
        zip_program = shutil.which("zip")
        if not zip_program:
            self.skipTest("zip is not installed")
        self.write("a.txt", b"abc" * 100)
        subprocess.run([zip_program, "-q", "in.zip", "a.txt"], cwd=self.folder, check=True)
        self.check_unchanged(self.folder / "in.zip")
        with open(self.folder / "piped.zip", "wb") as piped:  # the size comes first, the rest later
            subprocess.run(f"{zip_program} -q - a.txt | cat", shell=True, cwd=self.folder, stdout=piped,
                           check=True)
        self.check_unchanged(self.folder / "piped.zip")

    def test_members_in_unknown_compression_are_copied(self):
        path = self.folder / "in.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("packed", b"abc" * 1000)
        self.check_unchanged(path)
        result = subprocess.run([ZIP_TOOL, path, "-"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("unsupported: member packed uses an unsupported compression method", result.stderr)


class Edits(ZipTest):
    def setUp(self):
        super().setUp()
        self.input = self.folder / "in.zip"
        with zipfile.ZipFile(self.input, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, name in enumerate(("first", "library.so", "demo.dist-info/RECORD")):
                info = zipfile.ZipInfo(name, (2020, 1, 1 + number, 1, 2, 4))
                info.external_attr, info.compress_type = 0o100755 << 16, zipfile.ZIP_DEFLATED
                archive.writestr(info, name.encode() * 100)
        self.new = self.write("new", bytes(range(256)) * 300)

    def test_a_replaced_member_keeps_its_position_time_and_mode(self):
        self.rewrite(self.input, "replace", "library.so", self.new)
        self.check()
        with zipfile.ZipFile(self.input) as old, zipfile.ZipFile(self.output) as new:
            self.assertEqual(new.namelist(), old.namelist())
            for name in ("first", "demo.dist-info/RECORD"):
                self.assertEqual(header(new, name), header(old, name))
                self.assertEqual(new.read(name), old.read(name))
            self.assertEqual(new.read("library.so"), self.new.read_bytes())
            before, after = old.getinfo("library.so"), new.getinfo("library.so")
            self.assertEqual((after.date_time, after.external_attr),
                             (before.date_time, before.external_attr))
            self.assertLess(after.compress_size, after.file_size)

    def test_renamed_and_added(self):
        self.rewrite(self.input, "rename", "demo.dist-info/RECORD", "demo+tcfix1.dist-info/RECORD",
                     "add", "libs/Grüße.so", self.new, "add", "empty", self.write("empty", b""),
                     "add", "noise", self.write("noise", os.urandom(1000)))
        self.check()
        with zipfile.ZipFile(self.input) as old, zipfile.ZipFile(self.output) as new:
            self.assertEqual(new.namelist(), ["first", "library.so", "demo+tcfix1.dist-info/RECORD",
                                              "empty", "libs/Grüße.so", "noise"])
            self.assertEqual(header(new, "demo+tcfix1.dist-info/RECORD"),
                             header(old, "demo.dist-info/RECORD"))
            self.assertEqual(new.read("libs/Grüße.so"), self.new.read_bytes())
            self.assertEqual(new.getinfo("noise").compress_type, zipfile.ZIP_STORED)

    def test_the_same_input_gives_the_same_bytes(self):
        edits = ("replace", "library.so", self.new)
        self.rewrite(self.input, *edits)
        first = self.output.read_bytes()
        self.rewrite(self.input, *edits)
        self.assertEqual(self.output.read_bytes(), first)


class Refusals(ZipTest):
    def refused(self, content):
        result = self.rewrite(self.write("in.zip", content), check=False)
        self.assertEqual(result.returncode, 1)
        self.assertFalse(self.output.exists())
        return result.stderr

    def archive(self, *names):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(name, name * 10)
        return buffer.getvalue()

    def test_encrypted(self):
        content = self.archive("secret")
        for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
            at = content.index(mark) + flags
            content = content[:at] + bytes([content[at] | 1]) + content[at + 1:]
        self.assertIn("unsupported: member secret is encrypted", self.refused(content))

    def test_members_that_share_their_data(self):
        # Stored once, unpacked many times: the directory lists the only member twice.
        content = self.archive("a")
        start, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
        entry = content[start:end]
        directory = entry + entry[:-1] + b"b"
        content = (content[:start] + directory + content[end:end + 8] + struct.pack(
            "<HHLL", 2, 2, len(directory), start) + b"\0\0")
        self.assertIn("overlaps", self.refused(content))

    def test_several_disks(self):
        content = bytearray(self.archive("a"))
        content[content.index(b"PK\5\6") + 4] = 1
        self.assertIn("multi-part", self.refused(bytes(content)))

    def test_wrong_checksum(self):
        content = self.archive("a").replace(b"a" * 10, b"a" * 9 + b"b")
        path = self.write("in.zip", content)
        result = subprocess.run([ZIP_TOOL, path, "-"], capture_output=True, text=True)
        self.assertIn("member a has corrupt data: wrong checksum", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
