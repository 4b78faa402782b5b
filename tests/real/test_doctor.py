"""`tcfix doctor` on environments of real wheels that are incompatible; pefile, LLVM and binutils list what is
missing."""
import os
import re
import tempfile
import unittest

import linux_trees
import symbol_checks
import windows_world
from harness import FilesTest, find_tool, link_wheel, tcfix, tcfix_json
from macos_world import FfmpegStock, World, wheel as mac_wheel

FITTING = 'pip install "torchcodec==0.9.*" && tcfix apply'
PREFIX = "aarch64-linux-gnu-"


def symbol_findings(document):
    """{importer: {provider: symbols}}, by file name."""
    found = {}
    for finding in document["findings"]:
        if finding["code"] == "missing-symbols":
            importer = os.path.basename(finding["path"])
            provider = os.path.basename(finding["evidence"]["library"])
            assert provider not in found.get(importer, {}), "one finding for each pair"
            found.setdefault(importer, {})[provider] = set(finding["evidence"]["symbols"])
    return found


def codes(document):
    return {finding["code"] for finding in document["findings"]}


class Platform:
    """Tests for every platform. `make` creates the environment with a torchcodec and torch 2.9.1 and returns the
    options for doctor; `missing` lists the missing symbols, according to another tool."""

    torch = suffix = ""
    fitting = FITTING

    def diagnose(self, version, *more, check=1):
        env, options = self.make(version)
        return tcfix_json("doctor", *options, *more, env, check=check), env

    def package(self, env):
        (package,) = [*env.glob("[Ll]ib/**/site-packages/torchcodec")]
        return package

    def check_mismatch(self, version):
        """Everything that the other tool finds is reported, and nothing else."""
        document, env = self.diagnose(version)
        told = {name: missing for name, missing in symbol_findings(document).items()
                if name.startswith("libtorchcodec_c")}
        expected = {path.name: self.missing(path, version) for path in self.package(env).glob("libtorchcodec_c*")}
        self.assertEqual(told, {name: missing for name, missing in expected.items() if missing})
        core = told[f"libtorchcodec_core7{self.suffix}"][self.torch]
        self.assertIn("torch_from_blob", {name.lstrip("_") for name in core})
        self.assertIn("torch-version-mismatch", codes(document))
        for finding in document["findings"]:
            # The stand-in for zlib lacks some symbols.
            if finding["code"] == "torch-version-mismatch" or (
                    finding["code"] == "missing-symbols" and finding["evidence"]["library"].endswith(self.torch)):
                self.assertEqual(finding["severity"], "error")
                self.check_command(finding["action"])
        self.assertEqual(document["verdict"], "broken")
        self.check_command(document["action"])
        self.check_first_causes(document)
        return told

    def check_command(self, command):
        self.assertTrue(command.startswith(self.fitting + " --sysroot "), command)

    def check_first_causes(self, document):
        """Each major fails for its own reason first; that custom_ops lacks core comes after it."""
        for group in document["groups"]:
            core = group["libraries"][0]
            self.assertRegex(core["path"], f"core{group['ffmpeg']}")
            self.assertIs(core["loads"], False)
            self.assertNotIn("libtorchcodec", core["problems"][0]["dependency"])
        told = [finding["evidence"].get("dependency", "") for finding in document["findings"]]
        self.assertEqual([name for name in told if "torchcodec" in name], [])

    def check_fitting(self, version):
        """Whatever else is missing, no symbol is."""
        document, _ = self.diagnose(version)
        self.assertEqual(symbol_findings(document), {})
        self.assertNotIn("torch-version-mismatch", codes(document))

    def test_too_new(self):
        for version in ("0.13.0", "0.17.0"):
            with self.subTest(version):
                told = self.check_mismatch(version)
            if version == "0.13.0":
                for major in (8, 7, 6, 5, 4):
                    self.assertEqual(len(told[f"libtorchcodec_core{major}{self.suffix}"][self.torch]), 11)
                self.assertEqual(len(told[f"libtorchcodec_custom_ops7{self.suffix}"][self.torch]), 18)

    def test_text(self):
        env, options = self.make("0.13.0")
        text = tcfix("doctor", *options, env, check=1).stdout
        self.assertRegex(" ".join(text.split()), re.escape(f"{self.torch} does not have, such as ") +
                         r"_?(aoti_)?torch_\w+ \(in torch since 2.11\). It was built for a torch other than 2.9.1")
        self.assertIn("next: " + self.fitting.replace("\n", "\n      ") + " ", text)
        self.assertEqual([line for line in text.splitlines() if len(line) > 100
                          and not re.match(r"    \$ |next: ", line)], [])


class Windows(Platform, FilesTest):
    torch, suffix = "torch_cpu.dll", ".dll"
    fitting = FITTING.replace(" && ", "\n")  # Windows PowerShell 5.1 has no "&&"

    def make(self, version):
        env = self.folder / "C" / version
        site = env / "Lib" / "site-packages"
        for name, number in (("torchcodec", version), ("torch", "2.9.1")):
            link_wheel(windows_world.wheel(name, number), site)
        (env / "pyvenv.cfg").write_text("home = C:\\Python312\nversion = 3.12.4\n")
        return env, ("--sysroot", self.folder)

    def missing(self, path, version):
        return symbol_checks.missing_in_dlls(path, path.parent.parent / "torch" / "lib")

    def test_fitting(self):
        for version in ("0.8.1", "0.9.1"):
            with self.subTest(version):
                self.check_fitting(version)

    def test_symbols_alone_prove_nothing(self):
        """0.7.0 finds all of its symbols in torch 2.9.1, but crashes there."""
        document, env = self.diagnose("0.7.0")
        self.assertEqual(symbol_findings(document), {})
        self.assertEqual({}, {path.name: missing for path in self.package(env).glob("libtorchcodec*")
                              if (missing := self.missing(path, "0.7.0"))})
        (finding,) = [one for one in document["findings"] if one["code"] == "torch-version-mismatch"]
        self.check_command(finding["action"])
        self.check_command(document["action"])


class Mac(Platform, FilesTest):
    torch, suffix = "libtorch_cpu.dylib", ".dylib"

    @classmethod
    def setUpClass(cls):
        if not find_tool("llvm-nm-19", "llvm-nm") or not find_tool("llvm-objdump-19", "llvm-objdump"):
            raise unittest.SkipTest("not installed: llvm")
        folder = tempfile.TemporaryDirectory(prefix="tcfix-stock-")
        cls.addClassCleanup(folder.cleanup)
        cls.stock = FfmpegStock(folder.name)

    def make(self, version):
        world = World(self.folder / version, self.stock)
        world.install("torch-2.9.1", f"torchcodec-{version}")
        return world.env, ("--sysroot", world.root)

    def missing(self, path, version):
        return symbol_checks.missing_in_dylibs(path, path.parent.parent / "torch" / "lib")

    def test_fitting(self):
        self.check_fitting("0.9.1")


class Linux(Platform, FilesTest):
    """The wheels are for CUDA, and this torch is not, so it is unknown which symbols its CUDA libraries would have
    had."""

    torch, suffix = "libtorch_cpu.so", ".so"
    # No wheel for this architecture is compatible with torch 2.9.
    fitting = 'pip install "torch>=2.11" "torchcodec==0.17.*" && tcfix apply'

    @classmethod
    def setUpClass(cls):
        absent = [tool for tool in (PREFIX + "gcc", PREFIX + "nm") if not find_tool(tool)]
        if absent:
            raise unittest.SkipTest("not installed: " + ", ".join(absent))
        cls.workshop = linux_trees.Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def make(self, version):
        lib = linux_trees.put_foreign_system(self.folder)
        linux_trees.put_zlib(lib, self.workshop.stand_ins("0.13.0", "aarch64"),
                             [linux_trees.wheel("torch", "2.9.1", "aarch64")])
        env = self.folder / "home" / version
        site = env / linux_trees.SITE
        for name, number in (("torchcodec", version), ("torch", "2.9.1")):
            link_wheel(linux_trees.wheel(name, number, "aarch64"), site)
        (env / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
        return env, ("--sysroot", self.folder)

    def missing(self, path, version):
        torch = sorted((path.parent.parent / "torch" / "lib").glob("*.so"))
        system = [self.folder / "lib" / name for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1")]
        core = path.with_name(path.name.replace("custom_ops", "core"))
        missing = symbol_checks.missing_in_sos(path, [*torch, *system, core], PREFIX)
        missing = {name for name in missing if "cuda" not in name}
        # The wheel for macOS has the same functions, and names the library of each.
        wanted = symbol_checks.wanted_by_dylib(mac_wheel(f"torchcodec-{version}") / "torchcodec" / (path.stem + ".dylib"))
        self.assertEqual({wanted["_" + name] for name in missing}, {"libtorch_cpu.dylib"})
        return {self.torch: missing} if missing else {}


if __name__ == "__main__":
    unittest.main()
