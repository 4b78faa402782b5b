"""Packages other than torchcodec: the generic recipe reports no false error for working wheels of three
platforms, and torchaudio's own recipe repairs torio's libraries by FFmpeg major."""
import unittest

import linux_trees
from harness import FilesTest, link_tree, link_wheel, run, tcfix, tcfix_json, wheels
from linux_trees import StandIns, open_workshop
from macos_world import FfmpegStock, World
from windows_world import wheel as windows_wheel

PACKAGES = ("contourpy", "cryptography", "grpcio", "h5py", "kiwisolver", "lxml", "msgpack", "numpy",
            "psycopg2_binary", "pyzmq", "shapely")
VENV = "home = /none\nversion = 3.12.4\n"


def package_wheel(name):
    (folder,) = wheels("packages").glob(name)
    return folder


class Healthy(FilesTest):
    """Nothing is wrong, so only information may be reported."""

    def expect_ok(self, name, *options):
        document = tcfix_json("doctor", "--package", name, *options)
        self.assertEqual(document["verdict"], "ok")
        self.assertEqual([one for one in document["findings"] if one["severity"] != "info"], [])
        return document

    def check_all(self, platform, root, env, site):
        for name in PACKAGES:
            link_wheel(package_wheel(f"{name}-*{platform}*"), site)
        env.joinpath("pyvenv.cfg").write_text(VENV)
        for name in PACKAGES:
            for options in (("--sysroot", root), ()):
                with self.subTest(name, options=options):
                    self.expect_ok(name, *options, env)

    def test_macos(self):
        env = self.folder / "Users" / "me" / "env"
        self.check_all("macosx", self.folder, env, env / "lib" / "python3.12" / "site-packages")

    def test_linux(self):
        env = self.folder / "home" / "env"
        self.check_all("manylinux", self.folder, env, env / linux_trees.SITE)

    def test_windows(self):
        env = self.folder / "C" / "env"
        self.check_all("win_amd64", self.folder, env, env / "Lib" / "site-packages")

    def check_torchaudio(self, env, site, torch, platform, *options):
        """_torchaudio requires libtorchaudio by its identity, and has no search path to it: its Python code loads
        that library first."""
        link_wheel(torch, site)
        link_wheel(package_wheel(f"torchaudio-2.9.1-*{platform}*"), site)
        env.joinpath("pyvenv.cfg").write_text(VENV)
        self.expect_ok("torchaudio", *options, env)

    def test_torchaudio(self):
        unix = linux_trees.SITE
        self.check_torchaudio(self.folder / "mac", self.folder / "mac" / unix,
                              next(wheels("macos").glob("torch-2.9.1-*macosx*")), "macosx",
                              "--sysroot", self.folder)
        self.check_torchaudio(self.folder / "linux", self.folder / "linux" / unix,
                              linux_trees.wheel("torch", "2.9.1", "aarch64"), "aarch64")
        self.check_torchaudio(self.folder / "C" / "env", self.folder / "C" / "env" / "Lib" / "site-packages",
                              windows_wheel("torch", "2.9.1"), "win_amd64", "--sysroot", self.folder)


def majors(document, key="loads"):
    return [group["ffmpeg"] for group in document["groups"] if group["ffmpeg"] and group[key]]


class TorioOnMac(FilesTest):
    def test_pyav(self):
        """torchaudio 2.8 with PyAV's FFmpeg 6; without FFmpeg only its import works."""
        world = World(self.folder, FfmpegStock(self.folder / "stock"))
        for name in ("torch-2.8.0-*macosx*", "torchaudio-2.8.0-*macosx*"):
            link_wheel(package_wheel(name), world.site)
        options = ("--package", "torchaudio", "--sysroot", world.root, world.env)
        document = tcfix_json("doctor", *options, check=1)
        self.assertEqual([group["ffmpeg"] for group in document["groups"]], [6, 5, 4])
        self.assertEqual(majors(document), [])
        link_wheel(package_wheel("av-12.3.0-*macosx*"), world.site)
        text = tcfix("apply", *options).stdout
        self.assertIn("loads with FFmpeg 6", text)
        self.assertIn("next: python -c \"import torchaudio, torio.utils;", text)
        document = tcfix_json("doctor", *options)
        self.assertEqual((majors(document), majors(document, "loads_bare")), ([6], [6]))
        self.assertIn("nothing to do", tcfix("apply", *options).stdout)
        for path in world.site.glob("torio/lib/*6.so"):
            (file,) = tcfix_json("inspect", path)["files"]
            self.assertEqual(file["rpaths"][:2], ["@loader_path/../../torch/lib", "@loader_path/../../av/.dylibs"])


class TorioOnLinux(FilesTest):
    """Loaded by the real ld.so."""

    def load(self, *names):
        site = self.env / linux_trees.SITE
        torch = sorted((site / "torch" / "lib").iterdir())
        lines = run(self.python, *torch, *(site / "torio" / "lib" / name for name in names), check=0).stdout
        return lines.splitlines()[len(torch):]

    def test_pyav(self):
        self.env, site = self.folder / "env", self.folder / "env" / linux_trees.SITE
        package = package_wheel("torchaudio-2.8.0-*linux*")
        own = [*package.glob("torio/lib/*.so"), *package.glob("torchaudio/lib/*torchaudio.so")]
        stand_ins = StandIns("2.8.0", self.folder / "made", "x86_64", own)
        link_tree(package, site)
        link_tree(stand_ins.folder / "torch", site / "torch" / "lib")
        link_tree(stand_ins.folder / "nvidia", site / "nvidia" / "cuda_runtime" / "lib")
        info = site / "torch-2.8.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\n")
        self.python = self.env / "bin" / "python3.12"
        stand_ins.python(self.python)
        (self.env / "pyvenv.cfg").write_text(VENV)
        link_tree(package_wheel("av-12.3.0-*linux*"), site)
        group = ("libtorio_ffmpeg6.so", "_torio_ffmpeg6.so")
        self.assertNotEqual(self.load(*group), ["loaded"] * 2)
        document = tcfix_json("doctor", "--package", "torchaudio", self.env, check=1)
        self.assertEqual(majors(document), [])
        (target,) = tcfix_json("apply", "--package", "torchaudio", self.env)["targets"]
        self.assertEqual(target["ffmpeg"]["major"], 6)
        self.assertEqual(self.load(*group), ["loaded"] * 2)
        self.assertEqual(majors(tcfix_json("doctor", "--package", "torchaudio", self.env)), [6])
        self.assertEqual(len(tcfix_json("undo", self.env)["targets"][0]["restored"]), len(target["files"]))


def setUpModule():
    wheels("packages")
    open_workshop()


if __name__ == "__main__":
    unittest.main()
