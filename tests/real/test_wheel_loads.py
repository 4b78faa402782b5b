"""Repaired wheels, installed and loaded: by ld.so itself on Linux, with stand-ins for torch; for macOS, names, files
and signatures are checked by an independent reader."""
import os
import pathlib
import shutil
import unittest
import zipfile

import harness
import macho_reader
from harness import FilesTest, find_tool, tcfix, tcfix_json
from linux_trees import Tree, Workshop, needed, private_ffmpeg, search_paths
from macos_world import FfmpegStock

LINUX = "torchcodec-0.9.1-cp312-cp312-manylinux_2_28_x86_64.whl"
MACOS = "torchcodec-0.9.1-cp312-cp312-macosx_11_0_arm64.whl"
PYAV = "av-15.1.0-cp312-cp312-manylinux_2_28_x86_64.whl"


class LoadTest(FilesTest):
    def repair(self, name, *options):
        archives = harness.archives(name)
        target = self.folder / "dist"
        wheel, = tcfix_json("wheel", "-o", target, *options, archives / name)["wheels"]
        return pathlib.Path(wheel["output"])


class Linux(LoadTest):
    @classmethod
    def setUpClass(cls):
        absent = [tool for tool in ("gcc", "nm", "readelf") if not find_tool(tool)]
        if absent or os.uname().machine != "x86_64":
            raise unittest.SkipTest("not Linux on x86_64, or not installed: " + ", ".join(absent))
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def installed(self, *options, python=()):
        tree = Tree(self.folder / "env", "0.9.1", self.workshop.stand_ins("0.9.1"), python)
        shutil.rmtree(tree.package)
        shutil.rmtree(tree.info)
        with zipfile.ZipFile(self.repair(LINUX, *options)) as archive:
            archive.extractall(tree.site)
        return tree

    def majors(self, tree, preloaded=False):
        return [major for major in tree.majors if tree.real(major, preloaded)]

    def test_ffmpeg_of_pyav(self):
        pyav = harness.archives(PYAV) / PYAV
        tree = self.installed("--ffmpeg", "av", "--av-wheel", pyav)
        self.assertEqual(self.majors(tree), [])
        tree.install("av", "15.1.0")
        self.assertEqual(self.majors(tree), [7])
        self.assertEqual(self.majors(tree, preloaded=True), [7])

    def test_ffmpeg_that_python_itself_finds(self):
        """As in conda, whose Python has an RPATH: libraries with a RUNPATH would not inherit it."""
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        tree = self.installed(python=("-Wl,--disable-new-dtags", f"-Wl,-rpath,{ffmpeg}"))
        self.assertEqual(self.majors(tree), [7])
        tcfix("edit", "--rpath-kind", "runpath", tree.library("core"))
        self.assertEqual(self.majors(tree), [])

    def test_ffmpeg_inside(self):
        """Of two majors at once; everything that they need from their directory is included, and that directory is no
        longer used."""
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0", "--add-rpath", "/no/such/folder")
        eight = private_ffmpeg(self.folder / "eight", "16.0.1")
        for path in eight.iterdir():
            path.rename(ffmpeg / path.name)
        for name in ("libavcodec.so", "libc.so.6"):  # a link for developers, and a system library
            (ffmpeg / name).symlink_to("libavcodec.so.61")
        tree = self.installed("--bundle-ffmpeg", ffmpeg)
        shutil.rmtree(ffmpeg)
        self.assertEqual(self.majors(tree), [8, 7])
        self.assertEqual(self.majors(tree, preloaded=True), [8, 7])
        names = {path.name for path in (tree.site / "torchcodec.libs").iterdir()}
        self.assertFalse([name for name in names if name.startswith("libc-")])
        for path in (tree.site / "torchcodec.libs").iterdir():
            self.assertRegex(path.name, r"-[0-9a-f]{8}\.")
            self.assertNotIn("/no/such/folder", search_paths(path)[1])
            self.assertEqual([name for name in needed(path) if "-" in name and name not in names
                              and not name.startswith("ld-linux")], [])
        wheel = next((self.folder / "dist").iterdir())
        for options in ((), ("--bundle-ffmpeg", self.folder)):
            again, = tcfix_json("wheel", "-o", self.folder / "again", *options, wheel)["wheels"]
            self.assertEqual(again["status"], "unchanged")

    def test_missing_parts_of_a_bundle_are_reported(self):
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        absent = next(ffmpeg.glob("libdrm-*"))
        absent.unlink()
        archive = harness.archives(LINUX) / LINUX
        older = self.folder / LINUX.replace("manylinux_2_28", "manylinux2014")
        shutil.copyfile(archive, older)
        document = tcfix_json("wheel", "-o", self.folder / "dist", "--bundle-ffmpeg", ffmpeg, older)
        said = [warning["message"] for warning in document["warnings"]]
        self.assertTrue([text for text in said if absent.name in text], said)
        self.assertTrue([text for text in said if "glibc 2.2" in text], said)
        (ffmpeg / "libavutil.so.59").unlink()
        document = tcfix_json("wheel", "-o", self.folder / "none", "--bundle-ffmpeg", ffmpeg, archive,
                              check=3)
        self.assertIn("libavutil.so.59", document["errors"][0]["message"])
        self.assertFalse((self.folder / "none").exists())

    def test_an_ffmpeg_for_another_architecture_is_not_bundled(self):
        ffmpeg = FfmpegStock(self.folder).make(7, "/opt/ffmpeg/lib")
        for path in list(ffmpeg.iterdir()):
            stem, major, _ = path.name.split(".", 2) if path.name.count(".") > 1 else (path.name, "", "")
            shutil.copyfile(path, ffmpeg / f"{stem}.so.{major}")
        archive = harness.archives(LINUX) / LINUX
        document = tcfix_json("wheel", "-o", self.folder / "dist", "--bundle-ffmpeg", ffmpeg, archive,
                              check=3)
        self.assertIn("x86_64", document["errors"][0]["message"])


class Macos(LoadTest):
    def test_ffmpeg_inside(self):
        ffmpeg = FfmpegStock(self.folder).make(7, "/opt/homebrew/Cellar/ffmpeg@7/7.1/lib")
        wheel = self.repair(MACOS, "--bundle-ffmpeg", ffmpeg)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.folder / "site")
            listed = archive.read("torchcodec-0.9.1+tcfix1.dist-info/RECORD").decode()
        package = self.folder / "site" / "torchcodec"
        with zipfile.ZipFile(harness.archives(MACOS) / MACOS) as archive:
            old = {pathlib.PurePosixPath(name).name for name in archive.namelist()}
        bundled = [path for path in (package / ".dylibs").iterdir() if path.name not in old]
        self.assertGreater(len(bundled), 7)
        for path in bundled:
            with self.subTest(path.name):
                self.assertRegex(path.name, r"-[0-9a-f]{8}\.")
                self.assertIn(f"torchcodec/.dylibs/{path.name},sha256=", listed)
                slice, = macho_reader.read(path)
                self.assertEqual(slice.signature_problems()[0], [])
                for name in slice.dependencies:
                    if not name.startswith(("/usr/lib/", "/System/")):
                        self.assertEqual(name, f"@loader_path/{name.rpartition('/')[2]}")
                        self.assertTrue((path.parent / name.rpartition("/")[2]).is_file(), name)
        for path in package.glob("libtorchcodec_core*"):
            slice, = macho_reader.read(path)
            names = [name for name in slice.dependencies if "libav" in name or "libsw" in name]
            inside = [(package / ".dylibs" / name.removeprefix("@rpath/")).is_file() for name in names]
            self.assertEqual(inside, ["core7" in path.name] * len(names))
            self.assertEqual("@loader_path/.dylibs" in slice.rpaths, "core7" in path.name)
            self.assertEqual("/opt/homebrew/lib" in slice.rpaths, "core7" not in path.name)


if __name__ == "__main__":
    unittest.main()
