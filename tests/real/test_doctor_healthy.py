"""`tcfix doctor` reports no false errors, and its verdict is the loader's: repaired environments and working
packages are ok, and broken ones also fail with ld.so and Wine."""
import struct
import tempfile
import unittest

import linux_trees
from harness import FilesTest, link_wheel, tcfix, tcfix_json, wheels
from linux_trees import TreeTest, open_workshop
from macos_world import FfmpegStock, World
from windows_world import WindowsTest, wheel as windows_wheel


def setUpModule():
    open_workshop()


def healthy_wheel(name):
    (folder,) = wheels("healthy").glob(name)
    return folder


class Healthy:
    """For tests: nothing is wrong, so only information may be reported."""

    def expect_ok(self, *arguments):
        document = tcfix_json("doctor", *arguments)
        self.assertEqual((document["ok"], document["verdict"]), (True, "ok"))
        self.assertEqual([finding for finding in document["findings"] if finding["severity"] != "info"], [])
        return document


class Mac(Healthy, FilesTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-stock-")
        cls.addClassCleanup(folder.cleanup)
        cls.stock = FfmpegStock(folder.name)

    def world(self, *packages, **options):
        world = World(self.folder, self.stock, **options)
        world.install("torch-2.9.1", *packages)
        return world

    def check_repaired(self, world, majors):
        world.apply()
        document = self.expect_ok("--sysroot", world.root, world.env)
        self.assertEqual([group["ffmpeg"] for group in document["groups"] if group["loads"]], majors)

    def test_homebrew(self):
        world = self.world("torchcodec-0.9.1")
        world.brew(8)
        world.brew(7, "ffmpeg@7", linked=False)
        self.check_repaired(world, [8, 7])
        for majors, code in {"7": 0, "8,7": 0, "7,6": 1, "6": 1, "3": 1}.items():
            document = tcfix_json("doctor", "--require", majors, "--sysroot", world.root, world.env, check=code)
            self.assertEqual(document["verdict"], "broken" if code else "ok")

    def test_pyav(self):
        world = self.world("torchcodec-0.9.1", "av-15.1.0")
        self.check_repaired(world, [7])
        self.expect_ok("--sysroot", world.root, "--package", "av", world.env)

    def test_conda(self):
        world = self.world("torchcodec-0.9.1", environment="opt/miniconda3/envs/video")
        (world.env / "pyvenv.cfg").unlink()
        (world.env / "conda-meta").mkdir()
        world.put_ffmpeg(7, "/opt/miniconda3/envs/video/lib")
        self.check_repaired(world, [7])

    def test_packages(self):
        world = self.world()
        for name in ("torchvision-*macosx*_arm64", "pillow-*macosx*_x86_64"):
            link_wheel(healthy_wheel(name), world.site)
        self.expect_ok("--sysroot", world.root, "--package", "torchvision", world.env)
        self.expect_ok("--sysroot", world.root, "--arch", "x86_64", "--package", "pillow", world.env)
        (extension,) = world.site.glob("PIL/_imagingft.*-darwin.so")
        for options in (("--sysroot", world.root), ()):
            self.expect_ok(*options, extension)


class Linux(Healthy, TreeTest):
    def check_repaired(self, tree, *options):
        tcfix("apply", *options, tree.root)
        self.assertEqual(self.majors_that_load(tree), {"loads": {7}, "loads_bare": {7}})
        self.expect_ok(tree.root)

    def test_pyav(self):
        for version in ("0.9.1", "0.17.0"):
            with self.subTest(version):
                tree = self.tree(version, av="15.1.0")
                # The stand-in for torch has everything that this torchcodec requires.
                tree.say_torch("2.9.1" if version == "0.9.1" else "2.11.0")
                self.check_repaired(tree)
                self.expect_ok("--package", "av", tree.root)

    def test_conda(self):
        self.check_repaired(self.conda_tree())

    def test_packages_of_this_python(self):
        """pillow's extensions use functions of libm and libdl without depending on them; Python has loaded both. With
        Python, without it, and on an unknown system."""
        site = self.folder / "env" / "lib" / "python3.12" / "site-packages"
        link_wheel(healthy_wheel("pillow-*linux*x86_64"), site)
        (self.folder / "env" / "pyvenv.cfg").write_text(f"home = {self.folder}/none\nversion = 3.12.1\n")
        self.expect_ok("--package", "pillow", self.folder / "env")
        one = next(site.glob("PIL/_imagingft.*.so"))
        self.expect_ok(one)

    def test_torchvision_for_another_machine(self):
        root = self.folder / "root"
        site = root / "home" / "env" / linux_trees.SITE
        link_wheel(linux_trees.wheel("torch", "2.9.1", "aarch64"), site)
        link_wheel(healthy_wheel("torchvision-*aarch64"), site)
        for options in (("--sysroot", root), ()):
            self.expect_ok(*options, "--package", "torchvision", root / "home" / "env")


class LinuxBroken(TreeTest):
    """Each defect also stops the real loader, and is the one that is reported."""

    def repaired(self):
        tree = self.tree(av="15.1.0")
        tcfix("apply", tree.root)
        self.assertEqual(self.majors_that_load(tree)["loads"], {7})
        return tree

    def check_broken(self, tree, code):
        self.assertEqual(self.majors_that_load(tree)["loads"], set())
        document = tcfix_json("doctor", tree.root, check=1)
        (group,) = [one for one in document["groups"] if one["ffmpeg"] == 7]
        causes = [library["problems"][0] for library in group["libraries"] if library["problems"]]
        self.assertEqual(causes[0]["code"], code)
        return document, causes[0]

    def find_provider(self, tree, name):
        (path,) = (tree.site / "av.libs").glob(f"{name}-*")
        return path

    def test_missing_dependency(self):
        tree = self.repaired()
        lost = self.find_provider(tree, "libdrm")
        lost.unlink()
        _, cause = self.check_broken(tree, "missing-dependency")
        self.assertEqual(cause["dependency"], lost.name)

    def test_missing_symbol(self):
        """Python binds all functions at once, so a function that is never called must exist, too."""
        tree = self.repaired()
        torch = tree.site / "torch" / "lib" / "libtorch_cpu.so"
        names = set(linux_trees.symbols("undefined", [tree.library("core")]))
        lost = next(name for name in sorted(names) if name.startswith("_ZN3c10"))
        data = torch.read_bytes()
        self.assertIn(lost.encode() + b"\0", data)
        torch.unlink()
        torch.write_bytes(data.replace(b"\0" + lost.encode() + b"\0", b"\0" + lost[:-1].encode() + b"?\0"))
        document, _ = self.check_broken(tree, "missing-symbols")
        (finding,) = [one for one in document["findings"] if one["code"] == "missing-symbols"
                      and one["path"].endswith("core7.so")]
        self.assertEqual(finding["evidence"]["symbols"], [lost])
        self.assertEqual(finding["evidence"]["library"], str(torch))

    def test_wrong_architecture(self):
        tree = self.repaired()
        lost = self.find_provider(tree, "libavutil")
        data = bytearray(lost.read_bytes())
        struct.pack_into("<H", data, 18, 183)  # e_machine: aarch64
        lost.unlink()
        lost.write_bytes(data)
        self.check_broken(tree, "wrong-architecture")

    def test_missing_version(self):
        tree = self.repaired()
        lost = self.find_provider(tree, "libavutil")
        data = lost.read_bytes()
        lost.unlink()
        lost.write_bytes(data.replace(b"LIBAVUTIL_59\0", b"LIBAVUTIL_58\0"))
        self.check_broken(tree, "missing-version")


class Windows(Healthy, WindowsTest):
    def diagnose(self, check):
        return tcfix_json("doctor", "--sysroot", self.disk, self.root, check=check)

    def compare(self, loads):
        """Compares doctor's verdicts with Wine's."""
        self.assertEqual([major for major, one in self.verdicts().items() if one], loads)
        document = self.diagnose(check=0 if loads else 1)
        self.assertEqual([group["ffmpeg"] for group in document["groups"] if group["loads"]], loads)
        return document

    def test_as_installed_and_repaired(self):
        self.compare([])
        self.install("av", "15.1.0")
        self.compare([])
        tcfix("apply", "--sysroot", self.disk, self.root)
        self.compare([7])
        self.expect_ok("--sysroot", self.disk, self.root)

    def test_a_missing_library(self):
        self.install("av", "15.1.0")
        tcfix("apply", "--sysroot", self.disk, self.root)
        lost = next((self.site / "av.libs").glob("swresample-*"))
        lost.unlink()
        document = self.compare([])
        (group,) = [one for one in document["groups"] if one["ffmpeg"] == 7]
        self.assertEqual(group["libraries"][0]["problems"][0]["dependency"], lost.name)


class WindowsPackages(Healthy, FilesTest):
    """PyAV's wheel was made with delvewheel: its DLLs are in a folder that it adds when it is imported."""

    def test_packages(self):
        site = self.folder / "C" / "env" / "Lib" / "site-packages"
        for source in (windows_wheel("torch", "2.9.1"), windows_wheel("av", "15.1.0"),
                       healthy_wheel("torchvision-*win_amd64")):
            link_wheel(source, site)
        (site.parent.parent / "pyvenv.cfg").write_text("home = C:\\Python312\nversion = 3.12.4\n")
        for options in (("--sysroot", self.folder), ()):
            for name in ("torchvision", "av"):
                with self.subTest(name, options=options):
                    self.expect_ok(*options, "--package", name, site.parent.parent)
            (extension,) = site.glob("av/buffer.*.pyd")
            self.expect_ok(*options, extension)


if __name__ == "__main__":
    unittest.main()
