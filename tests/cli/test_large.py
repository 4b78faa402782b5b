"""Files that are very large or sparse, or that another program writes while tcfix reads them."""
import contextlib
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

import harness
import tiny_macho
from harness import FilesTest, not_on_windows, run
from package_checks import stamp
from test_apply import ApplyTest
from test_untrusted import IS_SANITIZED, LIMITED
from tiny_world import LIBRARIES

GIB = 1 << 30
ADD = ("--add-rpath", "/opt/homebrew/lib")

# Truncates a file and writes it again, continuously, as cp does.
CUTTER = """
import os, sys, time
number = os.open(sys.argv[1], os.O_RDWR)
content = os.pread(number, os.fstat(number).st_size, 0)
while True:
    os.ftruncate(number, 0)
    time.sleep(0.001)
    os.pwrite(number, content, 0)
    time.sleep(0.002)
"""


def extend(path, size):
    """A hole at the end, as `truncate -s` creates it."""
    os.truncate(path, size)
    return path


def build_elf(path, *options):
    """A library as the linker writes it, with room for a search path."""
    subprocess.run(["gcc", "-shared", "-nostdlib", "-x", "c", "-", "-o", path, "-Wl,-rpath,/placeholder",
                    "-Wl,-soname,libdemo.so", *options], input=b"int demo;", check=True)
    return path


def describe_all(path, size):
    """Extends a 64-bit ELF file to `size` with a section that ends at its end."""
    data = bytearray(path.read_bytes())
    table, = struct.unpack_from("<Q", data, 0x28)
    count, = struct.unpack_from("<H", data, 0x3c)
    for place in range(table, table + count * 64, 64):
        kind, = struct.unpack_from("<I", data, place + 4)
        if kind == 3:  # SHT_STRTAB; the last one names the sections
            last = place
    offset, = struct.unpack_from("<Q", data, last + 24)
    struct.pack_into("<Q", data, last + 32, size - offset)
    path.write_bytes(data)
    return extend(path, size)


def cpu_seconds(process):
    """How long a process has run on a processor."""
    with open(f"/proc/{process.pid}/stat") as stat:
        user, system = stat.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def allocated(path):
    return os.stat(path).st_blocks * 512


@not_on_windows("Wine exceeds the limits")
@unittest.skipUnless(sys.platform == "linux", "holes, limits and signals as Linux has them")
class Large(FilesTest):
    def elf(self, name="libdemo.so"):
        return build_elf(self.folder / name)

    def macho(self, name="libdemo.dylib"):
        path = self.folder / name
        path.write_bytes(tiny_macho.dylib(padding=2000))
        return path

    @contextlib.contextmanager
    def untouched(self, *paths):
        before = [stamp(path) for path in paths]
        names = sorted(os.listdir(self.folder))
        yield
        self.assertEqual([stamp(path) for path in paths], before)
        self.assertEqual(sorted(os.listdir(self.folder)), names)

    def refused(self, *arguments, says, code=3, limits=LIMITED):
        result = run(*limits, harness.TCFIX, *arguments, check=code)
        self.assertIn(says, result.stderr)
        self.assertLess(len(result.stderr), 2000)
        return result


class Sizes(Large):
    def test_oversized_files_are_refused_by_every_command(self):
        journal = self.folder / "undo.json"
        for library in (self.elf(), self.macho()):
            extend(library, 1024 * GIB)
            commands = (["inspect"], ["inspect", "--symbols", "--tree"], ["edit", *ADD], ["edit", "-n", *ADD],
                        ["edit", "--journal", journal, *ADD], ["sign"], ["verify"], ["apply"], ["doctor"],
                        ["apply", "-n"], ["apply", "--check"], ["undo"])
            for command in commands:
                with self.subTest(library=library.name, command=command), self.untouched(library):
                    self.refused(*command, library, says="is too large: 1.0 TiB; the limit is 64.0 GiB")

    def test_more_than_the_headers_describe(self):
        for library in (self.elf(), self.macho()):
            extend(library, 40 * GIB)
            for command in (["inspect"], ["edit", *ADD], ["edit", "-n", *ADD], ["edit", "--json", *ADD]):
                with self.subTest(library=library.name, command=command), self.untouched(library):
                    self.refused(*command, library, says="GiB follow what its headers describe", limits=[])

    def test_holes_stay_holes(self):
        library = self.elf()
        small = library.read_bytes()
        before = allocated(library)
        extend(library, 2 * GIB)
        run(harness.TCFIX, "edit", *ADD, library, check=0)
        self.assertIn(library.stat().st_size - 2 * GIB, range(4096))  # additions are at the end
        self.assertLessEqual(allocated(library), before + (1 << 20))
        with open(library, "rb") as file:
            self.assertNotEqual(file.read(len(small)), small)
            self.assertFalse(any(file.read(1 << 20)))

    def test_a_wheel_and_a_journal(self):
        wheel = self.folder / "torchcodec-0.9.1-py3-none-any.whl"
        wheel.touch()
        extend(wheel, 1024 * GIB)
        self.refused("wheel", "-o", self.folder / "out", wheel, says="is too large")
        journal = self.folder / "undo.json"
        journal.touch()
        extend(journal, 1024 * GIB)
        library = self.macho()
        with self.untouched(library, journal):
            self.refused("undo", "--journal", journal, says="is too large")
            self.refused("edit", "--journal", journal, *ADD, library, says="is too large")

    def test_endless_text(self):
        self.refused("doctor", "--traceback", "/dev/zero", says="is too large: more than 256 MiB")


class LargeEnvironment(ApplyTest):
    """The files in an environment may be anything, too."""

    def check_all(self, says, code=3):
        for command in (["doctor"], ["apply", "-n"], ["apply", "--check"], ["apply"], ["undo"], ["list"]):
            with self.subTest(command=command):
                result = run(*LIMITED, *self.command(*command, self.world.env))
                self.assertIn(result.returncode, (0, 1, 2, 3, 4))
                self.assertNotIn("not enough memory", result.stderr)
                if command[0] == "apply":
                    self.assertEqual(result.returncode, code, result.stderr)
                    self.assertIn(says, result.stderr)

    def test_a_library(self):
        extend(self.world.package / LIBRARIES[0], 1024 * GIB)
        self.check_all("is too large")

    def test_a_repaired_library(self):
        self.apply()
        extend(self.world.package / LIBRARIES[0], 6 * GIB)
        result = run(*LIMITED, *self.command("undo", self.world.env))
        self.assertEqual(result.returncode, 3)

    def test_lists(self):
        for name in ("RECORD", "METADATA", "WHEEL", "INSTALLER"):
            with self.subTest(name):
                path = self.world.info / name
                old = path.read_bytes() if path.exists() else None
                path.touch()
                extend(path, 1024 * GIB)
                for command in (["doctor"], ["apply", "-n"], ["apply", "--check"], ["list"]):
                    result = run(*LIMITED, *self.command(*command, self.world.env))
                    self.assertIn(result.returncode, (0, 1, 2, 3, 4), result.stderr)
                    self.assertNotIn("not enough memory", result.stderr)
                path.unlink()
                if old is not None:
                    path.write_bytes(old)

    def test_a_rebuilt_library(self):
        rebuilt = self.world.root / "rebuilt"
        rebuilt.mkdir()
        shutil.copy(self.world.package / LIBRARIES[0], rebuilt)
        extend(rebuilt / LIBRARIES[0], 1024 * GIB)
        before = [stamp(path) for path in self.world.libraries()]
        result = run(*LIMITED, *self.command("apply", "--replace-from", rebuilt, self.world.env))
        self.assertEqual(result.returncode, 3)
        self.assertIn("is too large", result.stderr)
        self.assertEqual(stamp(self.world.package / LIBRARIES[0]), before[0])


class Counts(Large):
    """Zeros are valid records, and a hole may contain billions of them."""

    # Of anonymous memory, not of mapped files.
    LIMITS = [] if IS_SANITIZED else ["prlimit", f"--data={GIB}"]

    def test_section_headers(self):
        library = self.elf()
        data = bytearray(library.read_bytes())
        count = 1 << 29
        struct.pack_into("<Q", data, 0x28, len(data))  # e_shoff
        struct.pack_into("<HH", data, 0x3c, 0, 0)      # e_shnum: 0 means that the first header has the number
        first = bytearray(64)
        struct.pack_into("<Q", first, 32, count)
        library.write_bytes(data + first)
        extend(library, len(data) + 64 * count)
        for command in (["inspect"], ["edit", "-n", *ADD], ["edit", *ADD]):
            with self.subTest(command), self.untouched(library):
                self.refused(*command, library, says=f"there are {count} section headers", limits=self.LIMITS)

    def test_dynamic_entries(self):
        library = self.elf()
        data = bytearray(library.read_bytes())
        table, = struct.unpack_from("<Q", data, 0x20)
        count, = struct.unpack_from("<H", data, 0x38)
        for place in range(table, table + count * 56, 56):
            kind, _, offset, address = struct.unpack_from("<IIQQ", data, place)
            if kind == 2:  # PT_DYNAMIC
                dynamic = place, offset, address
            if kind == 1 and struct.unpack_from("<I", data, place + 4)[0] & 2:  # the writable PT_LOAD is the last
                writable = place
        size = 16 << 30
        for place, begin in ((dynamic[0], dynamic[1]), (writable, struct.unpack_from("<Q", data, writable + 8)[0])):
            length = size + dynamic[1] - begin
            struct.pack_into("<QQ", data, place + 32, length, length)
        library.write_bytes(data)
        extend(library, dynamic[1] + size)
        with self.untouched(library):
            self.refused("inspect", library, says=f"PT_DYNAMIC has {size // 16} entries", limits=self.LIMITS)


class Chains(FilesTest):
    def test_a_chain_of_libraries(self):
        """Each requires the next one. Recursion would overflow a small stack here, and any stack with more libraries."""
        count = 4000
        for number in range(count):
            following = [f"@loader_path/lib{number + 1}.dylib"] if number + 1 < count else []
            (self.folder / f"lib{number}.dylib").write_bytes(tiny_macho.dylib(dependencies=following))
        limit = [] if IS_SANITIZED else ["prlimit", f"--stack={1 << 20}"]
        for command in (["doctor"], ["apply", "-n"], ["inspect", "--tree"]):
            result = run(*limit, harness.TCFIX, *command, self.folder / "lib0.dylib")
            self.assertIn(result.returncode, (0, 1), result.stderr)


class Limits(Large):
    def test_a_limit_of_file_sizes(self):
        library = self.elf()
        with self.untouched(library):
            self.refused("edit", *ADD, library, says="cannot write the new file: File too large",
                         limits=["prlimit", "--fsize=4096"])

    def test_hashing_can_be_interrupted(self):
        library = describe_all(self.elf(), 60 * GIB)
        journal = self.folder / "undo.json"
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), self.untouched(library):
                process = subprocess.Popen([harness.TCFIX, "edit", "--journal", journal, *ADD, library],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                while cpu_seconds(process) < 1 and process.poll() is None:
                    time.sleep(0.05)
                process.send_signal(number)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertIn(b"interrupted", process.stderr.read())
                process.stderr.close()
                self.assertEqual(process.returncode, 130)
                # The whole run would take more than a minute on two processors.
                self.assertLess(usage.ru_utime + usage.ru_stime, 20)


class Writers(Large):
    """Concurrent writers cause at most an error."""

    COMMANDS = (["verify"], ["inspect", "--symbols"], ["edit", "-n", *ADD], ["sign"], ["edit", *ADD],
                ["inspect", "--json"], ["doctor"], ["apply", "-n"])

    def test_files_truncated_while_they_are_read(self):
        library = self.folder / "libdemo.dylib"
        library.write_bytes(tiny_macho.dylib(padding=8_000_000))
        run(harness.TCFIX, "sign", library, check=0)
        whole = library.stat().st_size
        writer = subprocess.Popen([sys.executable, "-c", CUTTER, library])
        try:
            for command in self.COMMANDS:
                for _ in range(25):
                    result = run(harness.TCFIX, *command, library)
                    self.assertIn(result.returncode, (0, 1, 2, 3, 4), f"{command}: {result.stderr}")
        finally:
            writer.kill()
            writer.wait()
        self.assertFalse([name for name in os.listdir(self.folder) if name != library.name])
        self.assertLessEqual(library.stat().st_size, whole + (1 << 16))


if __name__ == "__main__":
    unittest.main()
