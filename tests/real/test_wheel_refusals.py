"""What tcfix wheel refuses, and that nothing is written then."""
import shutil
import struct
import unittest
import zipfile
import zlib

from harness import sha256, tcfix, tcfix_json
from test_wheel import LINUX, MACOS, PYAV, WheelTest, is_library, record_hash, repaired

CORE = "torchcodec/libtorchcodec_core7.so"
RECORD = "torchcodec-0.9.1.dist-info/RECORD"


def without_core(record):
    return b"".join(line for line in record.splitlines(True) if CORE.encode() not in line)


class Refusals(WheelTest):
    def refused(self, code, wheel, *options):
        document = tcfix_json("wheel", "-o", self.folder / "dist", *options, wheel, check=code)
        self.assertFalse((self.folder / "dist").exists())
        error, = document["errors"]
        if code == 3:
            self.assertTrue(error["hint"], error["message"])
        return error["message"]

    def made(self, name, members):
        wheel = self.folder / name
        with zipfile.ZipFile(wheel, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return wheel

    def members(self):
        with zipfile.ZipFile(self.archives / LINUX) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def test_usage(self):
        tcfix("wheel", self.archives / LINUX, check=2)
        self.assertIn("--av-wheel", self.refused(2, self.archives / LINUX, "--ffmpeg", "av"))
        self.refused(2, self.archives / LINUX, "--ffmpeg", "/opt/ffmpeg")
        self.refused(2, self.folder / "absent-1-py3-none-any.whl")
        self.refused(2, self.archives / LINUX, "--ffmpeg", "av", "--av-wheel", "absent.whl")
        self.assertIn("no such directory", self.refused(
            2, self.archives / LINUX, "--bundle-ffmpeg", self.folder / "absent"))

    def test_other_files_than_wheels_of_torchcodec(self):
        name = "torchcodec-1.0-py3-none-any.whl"
        info = "torchcodec-1.0.dist-info/"
        metadata = {info + "METADATA": "Metadata-Version: 2.1\nName: torchcodec\nVersion: 1.0\n"}
        record = {info + "RECORD": f"{info}METADATA,,\n{info}RECORD,,\n"}
        self.assertIn("no .dist-info", self.refused(3, self.made(name, {"x.py": ""})))
        self.assertIn("RECORD", self.refused(3, self.made(name, metadata)))
        self.assertIn("METADATA", self.refused(3, self.made(name, record)))
        self.assertIn("more than one .dist-info", self.refused(3, self.made(
            name, {**metadata, **record, "x-1.dist-info/RECORD": ""})))
        self.assertIn("no library", self.refused(3, self.made(name, {**metadata, **record})))
        self.assertIn("unsafe name", self.refused(3, self.made(
            name, {**metadata, **record, "../x.py": ""})))
        self.assertIn("does not match the file name", self.refused(3, self.made(
            "other-1.0-py3-none-any.whl", {**metadata, **record})))
        self.assertIn("the name of a wheel", self.refused(3, self.made(
            "torchcodec.whl", {**metadata, **record})))
        self.assertIn("is a directory", self.refused(3, self.folder))
        self.assertIn("signed RECORD", self.refused(3, self.made(
            name, {**metadata, **record, info + "RECORD.jws": "{}"})))
        (self.folder / name).write_text("no archive")
        self.assertIn("not a zip", self.refused(3, self.folder / name))

    def test_a_library_that_was_tampered_with(self):
        members = self.members()
        members[CORE] = members[CORE] + b"\0"
        self.assertIn("differs from RECORD", self.refused(3, self.made(LINUX, members)))
        members[CORE] = b"no library"
        members[RECORD] = without_core(members[RECORD])
        self.assertIn("does not list", self.refused(3, self.made(LINUX, members)))
        members[RECORD] += f"{CORE},{record_hash(b'no library')},10\n".encode()
        self.assertIn("not a native library", self.refused(3, self.made(LINUX, members)))

    def test_a_record_without_a_library(self):
        members = self.members()
        digest, size = record_hash(members[CORE]), len(members[CORE])
        for rows, said in ((f"{CORE},{digest},5\n", "differs from RECORD"),
                           (f"{CORE},{digest},{size}\n{CORE},sha256=abc,{size}\n", "differs from RECORD"),
                           (f"{CORE},sha512=abc,{size}\n", "not SHA-256"),
                           (f"{CORE},{digest},{size}\n\udcff,,\n", "UTF-8")):
            record = without_core(members[RECORD]) + rows.encode(errors="surrogateescape")
            self.assertIn(said, self.refused(3, self.made(LINUX, {**members, RECORD: record})))

    def test_a_copied_member_must_be_intact(self):
        members = self.members()
        other = "torchcodec/__init__.py"
        members[other] += b"# more"
        self.assertIn("differs from RECORD", self.refused(3, self.made(LINUX, members)))
        del members[other]
        self.assertIn("does not list", self.refused(3, self.made(LINUX, {**members, "new.py": b""})))
        with zipfile.ZipFile(self.archives / LINUX) as archive:
            start = archive.getinfo(other).header_offset + 30 + len(other)
        content = bytearray((self.archives / LINUX).read_bytes())
        content[start + 100] ^= 0x55
        (self.folder / LINUX).write_bytes(content)
        self.assertRegex(self.refused(3, self.folder / LINUX), other + " has corrupt data")

    def test_inconsistent_versions(self):
        shutil.copyfile(self.archives / LINUX, self.folder / LINUX.replace("0.9.1", "0.9.2"))
        said = self.refused(3, self.folder / LINUX.replace("0.9.1", "0.9.2"))
        self.assertIn("version 0.9.1 in METADATA, but 0.9.2 in a name", said)
        shutil.copyfile(self.archives / LINUX, self.folder / LINUX.replace("0.9.1", "0.91"))
        self.refused(3, self.folder / LINUX.replace("0.9.1", "0.91"))
        same = self.folder / LINUX.replace("0.9.1", "0.9.1.0")  # the same version for installers
        shutil.copyfile(self.archives / LINUX, same)
        tcfix("wheel", "-o", self.folder / "same", same)

    def test_a_member_with_two_names(self):
        """unzip and Python 3.12 or later would unpack the other one."""
        usual, other = b"torchcodec/__init__.py", b"../../evil.py"
        wheel = self.folder / LINUX
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in self.members().items():
                info = zipfile.ZipInfo(name)
                if name == usual.decode():
                    info.extra = struct.pack("<HHBI", 0x7075, 5 + len(other), 1, zlib.crc32(usual)) + other
                archive.writestr(info, content)
        self.assertIn("has two different names", self.refused(3, wheel))

    def test_many_members_and_many_more_rows(self):
        """A linear search of all rows for each member would take minutes; storing millions, gigabytes."""
        members = self.members()
        many = {f"torchcodec/{number}.py": b"" for number in range(50000)}
        rows = "".join(f"{name},{record_hash(b'')},0\n" for name in many)
        members[RECORD] += rows.encode()
        wheel = self.made(LINUX, {**members, **many, RECORD: members[RECORD] + b"a\n" * 300000})
        self.assertIn("more files than a zip archive", self.refused(3, wheel))
        wheel = self.made(LINUX, {**members, **many, RECORD: members[RECORD] + b"a\n" * 200000})
        tcfix("wheel", "-o", self.folder / "dist", wheel)
        self.assertTrue((self.folder / "dist" / repaired(LINUX)).exists())

    def test_libraries_that_would_fill_the_memory_together(self):
        """Each alone would be small enough."""
        wheel = self.folder / LINUX
        with zipfile.ZipFile(self.archives / LINUX) as archive:
            start = archive.getinfo(CORE).header_offset
            self.assertTrue(any(is_library(info.filename) and info.header_offset < start
                                for info in archive.infolist()))
        content = bytearray((self.archives / LINUX).read_bytes())
        listed = content.rindex(CORE.encode()) - 46
        for at in (start + 22, listed + 24):  # the unpacked size in both headers
            content[at : at + 4] = (1 << 30).to_bytes(4, "little")
        wheel.write_bytes(content)
        self.assertRegex(self.refused(3, wheel), "has 1073741824 bytes, more than the")

    def test_one_bad_wheel_does_not_stop_the_others(self):
        bad = self.folder / MACOS
        bad.write_bytes((self.archives / MACOS).read_bytes()[:-100])
        document = tcfix_json("wheel", "-o", self.folder / "dist", bad, self.archives / LINUX,
                              self.archives / LINUX, check=3)
        self.assertEqual([wheel["status"] for wheel in document["wheels"]],
                         ["failed", "changed", "failed"])
        self.assertEqual([path.name for path in (self.folder / "dist").iterdir()],
                         [repaired(LINUX)])

    def test_an_input_is_not_overwritten(self):
        for name in (LINUX, repaired(LINUX)):
            shutil.copyfile(self.archives / LINUX, self.folder / name)
        before = sha256(self.folder / repaired(LINUX))
        document = tcfix_json("wheel", "-o", self.folder, self.folder / LINUX,
                              self.folder / repaired(LINUX), check=3)
        self.assertIn("another input", document["errors"][0]["message"])
        self.assertEqual(sha256(self.folder / repaired(LINUX)), before)

    def test_no_pyav_for_this_platform(self):
        self.assertIn("no PyAV wheel", self.refused(
            3, self.archives / MACOS, "--ffmpeg", "av", "--av-wheel", self.archives / PYAV[1]))
        self.assertIn("contains no FFmpeg", self.refused(
            3, self.archives / MACOS, "--ffmpeg", "av", "--av-wheel", self.archives / LINUX))


if __name__ == "__main__":
    unittest.main()
