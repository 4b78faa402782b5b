"""tcfix wheel on the real wheels of three platforms, checked by installers and wheel tools."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import sys
import unittest
import zipfile

import elf_checks
import harness
import macho_reader
from harness import FilesTest, run, sha256, tcfix, tcfix_json
from package_checks import stamp

MACOS = "torchcodec-0.9.1-cp312-cp312-macosx_11_0_arm64.whl"
LINUX = "torchcodec-0.9.1-cp312-cp312-manylinux_2_28_x86_64.whl"
WINDOWS = "torchcodec-0.9.1-cp312-cp312-win_amd64.whl"
NEWEST = ["torchcodec-0.17.0-cp312-cp312-macosx_14_0_arm64.whl",
          "torchcodec-0.17.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
          "torchcodec-0.17.0-cp312-cp312-win_amd64.whl"]
ALL = [MACOS, LINUX, WINDOWS, *NEWEST]
PYAV = ["av-15.1.0-cp312-cp312-macosx_13_0_arm64.whl",
        "av-15.1.0-cp312-cp312-manylinux_2_28_x86_64.whl",
        "av-15.1.0-cp312-cp312-win_amd64.whl"]
TOOLS = pathlib.Path(sys.executable).parent


def platforms(name):
    return name[: -len(".whl")].split("-")[-1].split(".")


def repaired(name, number=1):
    project, version, rest = name.split("-", 2)
    return f"{project}-{version}+tcfix{number}-{rest}"


def is_library(name):
    return name.rpartition("/")[2].startswith("libtorchcodec")


def record_text(archive):
    name, = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    return archive.read(name)


def read_record(archive):
    return list(csv.reader(io.StringIO(record_text(archive).decode())))


def record_hash(content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return "sha256=" + digest


class WheelTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        cls.archives = harness.archives(*ALL, *PYAV)

    def repair(self, *names, options=(), folder="dist"):
        """The repaired wheels, in the order of the names."""
        target = self.folder / folder
        document = tcfix_json("wheel", "-o", target, *options,
                              *[self.archives / name for name in names])
        self.assertTrue(document["ok"])
        for wheel, name in zip(document["wheels"], names):
            self.assertEqual(wheel["input"], str(self.archives / name))
            self.assertEqual(wheel["output"], str(target / repaired(name)))
        return [target / repaired(name) for name in names]

    def unpack(self, wheel):
        folder = self.folder / "unpacked" / wheel.name
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return folder


class Archives(WheelTest):
    def test_only_necessary_members_differ(self):
        for name, wheel in zip(ALL, self.repair(*ALL)):
            with self.subTest(name), zipfile.ZipFile(self.archives / name) as old, \
                    zipfile.ZipFile(wheel) as new:
                self.assertIsNone(new.testzip())
                version = name.split("-")[1]
                renamed = {f"torchcodec-{version}.dist-info": f"torchcodec-{version}+tcfix1.dist-info"}
                self.assertEqual(len(old.infolist()), len(new.infolist()))
                for before, after in zip(old.infolist(), new.infolist()):
                    top, slash, rest = before.filename.partition("/")
                    self.assertEqual(after.filename, renamed.get(top, top) + slash + rest)
                    self.assertEqual(after.date_time, before.date_time)
                    self.assertEqual(after.external_attr, before.external_attr)
                    if not is_library(before.filename) and rest not in ("METADATA", "RECORD"):
                        self.assertEqual(after.CRC, before.CRC, before.filename)
                        # not compressed again
                        self.assertEqual(after.compress_size, before.compress_size)

    def test_record_is_correct_and_keeps_its_order(self):
        for name, wheel in zip(ALL, self.repair(*ALL)):
            with self.subTest(name), zipfile.ZipFile(self.archives / name) as old, \
                    zipfile.ZipFile(wheel) as new:
                rows = read_record(new)
                for path, digest, size in rows:
                    if digest:
                        content = new.read(path)
                        self.assertEqual((digest, int(size)), (record_hash(content), len(content)))
                self.assertEqual([row[0] for row in rows if not row[1]],
                                 [row[0] for row in rows if row[0].endswith(".dist-info/RECORD")])
                self.assertEqual(sorted(row[0] for row in rows),
                                 sorted(entry for entry in new.namelist() if entry[-1] != "/"))
                raw = [[line.partition(b",sha256=")[0] for line in record_text(archive).splitlines()]
                       for archive in (old, new)]  # quoted as before
                self.assertEqual([path.replace(b"+tcfix1", b"") for path in raw[1]], raw[0])

    def test_metadata_changes_only_the_version(self):
        wheel, = self.repair(LINUX)
        with zipfile.ZipFile(self.archives / LINUX) as old, zipfile.ZipFile(wheel) as new:
            before = old.read("torchcodec-0.9.1.dist-info/METADATA")
            after = new.read("torchcodec-0.9.1+tcfix1.dist-info/METADATA")
        self.assertEqual(after, before.replace(b"\nVersion: 0.9.1\n", b"\nVersion: 0.9.1+tcfix1\n"))

    def test_the_same_bytes_every_time(self):
        first = self.repair(*ALL, options=["-j", "1"], folder="first")
        copies = self.folder / "copies"
        copies.mkdir()
        for name in ALL:  # another directory, another time
            shutil.copyfile(self.archives / name, copies / name)
            os.utime(copies / name, (1, 1))
        tcfix("wheel", "-o", self.folder / "second", "-j", "4", *copies.iterdir())
        for wheel in first:
            self.assertEqual(sha256(wheel), sha256(self.folder / "second" / wheel.name))

    def test_a_second_run_writes_nothing(self):
        """Even if its output is among its input."""
        wheels = self.repair(*ALL)
        before = [stamp(wheel) for wheel in wheels]
        self.assertEqual(self.repair(*ALL), wheels)
        self.assertEqual([stamp(wheel) for wheel in wheels], before)
        shutil.copyfile(self.archives / MACOS, self.folder / "dist" / MACOS)
        text = tcfix("wheel", "-o", self.folder / "dist", *(self.folder / "dist").iterdir()).stdout
        self.assertEqual(text.count("nothing to do"), len(ALL) + 1)
        self.assertEqual([stamp(wheel) for wheel in wheels], before)

    def test_leftovers_of_a_killed_run_are_removed(self):
        (self.folder / "dist").mkdir()
        (self.folder / "dist" / ".tcfix-0123abcd.tmp").write_bytes(b"half")
        (wheel,) = self.repair(MACOS)
        self.assertEqual(list((self.folder / "dist").iterdir()), [wheel])

    def test_repaired_wheels_are_not_changed(self):
        wheels = self.repair(*ALL)
        # The libraries matter, not the names.
        disguised = self.folder / "disguised"
        disguised.mkdir()
        for wheel in wheels:
            shutil.copyfile(wheel, disguised / wheel.name.replace("+tcfix1", ""))
        document = tcfix_json("wheel", "-o", self.folder / "again", *wheels, *disguised.iterdir())
        self.assertFalse((self.folder / "again").exists())
        for wheel in document["wheels"]:
            self.assertEqual((wheel["status"], wheel["output"]), ("unchanged", None))
            self.assertEqual({file["status"] for file in wheel["files"]}, {"unchanged"})

    def test_another_repair_is_another_version(self):
        first, = self.repair(MACOS)
        document = tcfix_json("wheel", "-o", self.folder / "again", "--rpath", "/opt/local/lib", first)
        second = self.folder / "again" / repaired(MACOS, 2)
        self.assertEqual(document["wheels"][0]["output"], str(second))
        run(TOOLS / "wheel", "unpack", "-d", self.folder / "unpacked", second, check=0)

    def test_local_version_is_extended(self):
        folder = self.folder / "unpacked"
        folder.mkdir()
        run(TOOLS / "wheel", "unpack", "-d", folder, self.archives / LINUX, check=0)
        tree = folder / "torchcodec-0.9.1"
        info = (tree / "torchcodec-0.9.1.dist-info").rename(tree / "torchcodec-0.9.1+cpu.dist-info")
        metadata = (info / "METADATA").read_text()
        (info / "METADATA").write_text(metadata.replace("Version: 0.9.1\n", "Version: 0.9.1+cpu\n"))
        run(TOOLS / "wheel", "pack", "-d", folder, tree, check=0)
        made, = folder.glob("*.whl")
        tcfix("wheel", "-o", self.folder / "dist", made)
        wheel = self.folder / "dist" / LINUX.replace("0.9.1", "0.9.1+cpu.tcfix1")
        run(TOOLS / "wheel", "unpack", "-d", self.folder, wheel, check=0)
        self.assertTrue((self.folder / "torchcodec-0.9.1+cpu.tcfix1" /
                         "torchcodec-0.9.1+cpu.tcfix1.dist-info").is_dir())


class Libraries(WheelTest):
    def libraries(self, wheel):
        found = sorted(self.unpack(wheel).glob("torchcodec/libtorchcodec*"))
        self.assertEqual(len(found), 15)
        return found

    def rpaths(self, library):
        slice, = macho_reader.read(library)
        return slice.rpaths

    def test_macos(self):
        entries = ["@loader_path/../torch/lib", "/opt/homebrew/lib"]
        wheel, newest = self.repair(MACOS, NEWEST[0])
        for library in self.libraries(wheel):
            self.assertEqual(self.rpaths(library), entries, library.name)
        for library in self.libraries(newest):
            rpaths = self.rpaths(library)
            self.assertIn(entries[0], rpaths)
            self.assertEqual(entries[1] in rpaths,
                             not library.stem.endswith(("_image", "_pybind_ops")), library.name)
        tcfix("verify", *self.libraries(wheel), *self.libraries(newest))

    def test_linux(self):
        elf_checks.require("readelf")
        for wheel in self.repair(LINUX, NEWEST[1]):
            for library in self.libraries(wheel):
                text = run("readelf", "-dW", library, check=0).stdout
                # RPATH: a RUNPATH would disable the RPATH of conda's Python.
                self.assertRegex(text, r"\(RPATH\).*\$ORIGIN/\.\./torch/lib")
                self.assertNotIn("(RUNPATH)", text)
                self.assertNotIn("libpython", text)

    def test_windows(self):
        import pefile
        directories = [pefile.DIRECTORY_ENTRY[f"IMAGE_DIRECTORY_ENTRY_{name}"]
                       for name in ("IMPORT", "DELAY_IMPORT")]
        for wheel in self.repair(WINDOWS, NEWEST[2]):
            for library in self.libraries(wheel):
                with self.subTest(library.name):
                    with pefile.PE(library, fast_load=True) as image:
                        image.parse_data_directories(directories)
                        imported = {entry.dll.decode() for entry in image.DIRECTORY_ENTRY_IMPORT}
                        delayed = {entry.dll.decode() for entry in
                                   getattr(image, "DIRECTORY_ENTRY_DELAY_IMPORT", ())}
                    beside = {name for name in imported | delayed
                              if name.startswith(("c10", "torch", "av", "sw"))}
                    self.assertEqual(delayed, beside)
                    rpaths = tcfix_json("inspect", library)["files"][0]["rpaths"]
                    has_ffmpeg = any(name.startswith("av") for name in beside)
                    self.assertEqual(rpaths, [r"$ORIGIN\..\torch\lib"] * bool(beside) +
                                     ["%FFMPEG_SHARED_BIN%"] * has_ffmpeg)

    def test_literal_entries_replace_the_default_ones(self):
        wheel, = self.repair(MACOS, options=["--rpath", "@loader_path/../../torch/lib",
                                             "--rpath", "/opt/ffmpeg/lib"])
        for library in self.libraries(wheel):
            self.assertEqual(self.rpaths(library),
                             ["@loader_path/../../torch/lib", "/opt/ffmpeg/lib"])

    def test_libraries_that_installers_move(self):
        """From .data/platlib to site-packages, which search paths are relative to."""
        wheel = self.folder / MACOS
        moved = "torchcodec-0.9.1.data/platlib/torchcodec/"
        with zipfile.ZipFile(self.archives / MACOS) as old, zipfile.ZipFile(wheel, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name.endswith(".dist-info/RECORD"):
                    content = re.sub(rb'(?m)^("?)torchcodec/', rb"\1" + moved.encode(), content)
                new.writestr(name.replace("torchcodec/", moved), content)
        tcfix("wheel", "-o", self.folder / "dist", wheel)
        libraries = sorted(self.unpack(self.folder / "dist" / repaired(MACOS)).glob(
            "torchcodec-0.9.1+tcfix1.data/platlib/torchcodec/libtorchcodec*"))
        self.assertEqual(len(libraries), 15)
        for library in libraries:
            self.assertEqual(self.rpaths(library)[0], "@loader_path/../torch/lib")

    def test_ffmpeg_of_pyav(self):
        """Every FFmpeg name of major 7 is a file of PyAV's wheel, in the directory of the entry."""
        pyavs = [part for name in PYAV for part in ("--av-wheel", self.archives / name)]
        wheels = self.repair(MACOS, LINUX, WINDOWS, options=["--ffmpeg", "av", *pyavs])
        entries = ["@loader_path/../av/.dylibs", "$ORIGIN/../av.libs", r"$ORIGIN\..\av.libs"]
        for wheel, pyav, entry in zip(wheels, PYAV, entries):
            with zipfile.ZipFile(self.archives / pyav) as archive:
                files = {pathlib.PurePosixPath(name).name for name in archive.namelist()
                         if ".libs/" in name or ".dylibs/" in name}
            for library in self.libraries(wheel):
                with self.subTest(library.name):
                    image = tcfix_json("inspect", library)["files"][0]
                    names = [each["name"].rpartition("/")[2] for each in image["dependencies"]]
                    ffmpeg = [name for name in names
                              if name.removeprefix("lib").startswith(("av", "sw"))]
                    takes_it = "7." in library.name and ffmpeg != []
                    self.assertEqual(entry in image["rpaths"], takes_it)
                    if takes_it:
                        self.assertLessEqual(set(ffmpeg), files)
                        self.assertIn(image.get("runpath_kind"), (None, "rpath"))


    def test_a_pyav_for_no_library_is_reported(self):
        """--bundle-ffmpeg would refuse a directory of majors that the wheel has no libraries for."""
        def warnings(archive, pyav):
            document = tcfix_json("wheel", "-o", self.folder / "dist", "--ffmpeg", "av",
                                  "--av-wheel", self.archives / pyav, archive)
            return [each["message"] for each in document["warnings"]]
        self.assertEqual(warnings(self.archives / LINUX, PYAV[1]), [])
        without = self.folder / LINUX
        with zipfile.ZipFile(self.archives / LINUX) as old, zipfile.ZipFile(without, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name.endswith(".dist-info/RECORD"):
                    content = b"".join(line for line in content.splitlines(True) if b"7.so" not in line)
                if not name.endswith("7.so"):
                    new.writestr(name, content)
        said, = warnings(without, PYAV[1])
        self.assertIn("no library is built for the FFmpeg in PyAV 15.1.0", said)


class Installers(WheelTest):
    def test_wheel_tools_accept_them(self):
        wheels = self.repair(*ALL)
        run(TOOLS / "twine", "check", "--strict", *wheels, check=0)
        for name, wheel in zip(ALL, wheels):
            with self.subTest(name):
                run(TOOLS / "wheel", "unpack", "-d", self.folder / "unpacked", wheel, check=0)
                said = [run(TOOLS / "check-wheel-contents", path).stdout.replace("+tcfix1", "")
                        .replace(str(path.parent), "") for path in (wheel, self.archives / name)]
                self.assertEqual(*said)

    def test_pip_and_uv_install_them(self):
        for name, wheel in zip(ALL, self.repair(*ALL)):
            target = self.folder / "pip" / wheel.name
            run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                "--disable-pip-version-check", "--target", target, "--only-binary=:all:",
                "--python-version", "3.12", "--implementation", "cp",
                *[part for tag in platforms(name) for part in ("--platform", tag)], wheel, check=0)
            self.assertTrue((target / f"torchcodec-{wheel.name.split('-')[1]}.dist-info").is_dir())
            with zipfile.ZipFile(wheel) as archive:
                for member in filter(is_library, archive.namelist()):
                    self.assertEqual((target / member).read_bytes(), archive.read(member))
        for wheel in (self.folder / "dist" / repaired(LINUX), self.folder / "dist" / repaired(MACOS)):
            platform = "aarch64-apple-darwin" if "macosx" in wheel.name else "x86_64-manylinux_2_28"
            target = self.folder / "uv" / wheel.name
            run(TOOLS / "uv", "pip", "install", "--quiet", "--no-deps", "--no-index", "--offline",
                "--target", target, "--python-version", "3.12", "--python-platform", platform,
                "--python", sys.executable, wheel, check=0)
            self.assertTrue((target / "torchcodec-0.9.1+tcfix1.dist-info" / "RECORD").is_file())

    def test_apply_finds_nothing_to_do_in_them(self):
        for wheel in self.repair(*ALL):
            site = self.unpack(wheel)
            (site / "torch" / "lib").mkdir(parents=True)
            document = tcfix_json("apply", "--dry-run", "--ffmpeg", "none", site)
            self.assertEqual({file["status"] for file in document["targets"][0]["files"]},
                             {"unchanged"}, wheel.name)


if __name__ == "__main__":
    unittest.main()
