"""Options of `tcfix apply`, several environments, and changes by other programs."""
import json
import os
import pathlib
import shutil
import unittest

import harness
import tiny_macho
from harness import find_tool, tcfix, tcfix_json
from package_checks import content, record_problems, stamps
from test_apply import ApplyTest, rpaths
from tiny_world import BREW, FFMPEG, INFO, LIBRARIES, TORCH, TinyWorld, library, write_files


def ffmpeg_files(folder, names=FFMPEG, cpu="arm64"):
    return {name: tiny_macho.dylib(cpu=cpu, identity=f"{folder}/{name}") for name in names}


def messages(report):
    return [warning["message"] for warning in report["warnings"]]


class Requests(ApplyTest):
    def put_ffmpeg(self, place, **options):
        write_files(self.world.root / place.lstrip("/"), ffmpeg_files(place, **options))

    def entries(self):
        return rpaths(self.world.package / LIBRARIES[0])

    def test_a_homebrew_without_kegs(self):
        shutil.rmtree(self.world.root / "opt/homebrew/opt")
        (target,) = self.apply()["targets"]
        self.assertEqual(target["ffmpeg"], {"major": 7, "path": BREW, "source": "homebrew"})

    def test_an_unusable_ffmpeg_is_reported(self):
        self.put_ffmpeg("/ff/partial", names=FFMPEG[:3])
        self.put_ffmpeg("/ff/intel", cpu="x86_64")
        write_files(self.world.root, {"ff/static/libavcodec.a": b"", "ff/empty/readme": b""})
        for name, why in (("absent", "no such directory"), ("empty", "contains no FFmpeg"),
                          ("static", "static libraries only"), ("partial", "avdevice, "), ("intel", "is for x86_64, not arm64")):
            with self.subTest(name):
                (message,) = messages(self.apply("--ffmpeg", f"/ff/{name}", self.world.env))
                self.assertIn(f"/ff/{name}", message)
                self.assertIn(why, message)
                self.assertEqual(self.entries(), [TORCH, BREW])
        (message,) = messages(self.apply("--ffmpeg", "av", self.world.env))
        self.assertIn('pip install "av<16"', message)
        self.put_ffmpeg("/ff/whole")
        self.assertEqual(messages(self.apply("--ffmpeg", "/ff/whole", self.world.env)), [])
        self.assertEqual(self.entries(), [TORCH, "/ff/whole"])

    def test_a_literal_path_to_ffmpeg_replaces_the_given_one(self):
        self.put_ffmpeg("/ff/one")
        self.put_ffmpeg("/ff/two")
        report = self.apply("--rpath", "/ff/one", "--ffmpeg", "/ff/two", self.world.env)
        self.assertEqual(self.entries(), ["/ff/one", TORCH])
        self.assertEqual(report["targets"][0]["ffmpeg"]["path"], "/ff/one")
        report = self.apply("--rpath", TORCH, "--ffmpeg", "/ff/two", self.world.env)
        self.assertEqual(self.entries(), [TORCH, "/ff/two"])

    def test_a_second_change_lists_the_signature_too(self):
        self.apply()
        self.put_ffmpeg("/ff/whole")
        (target,) = self.apply("--ffmpeg", "/ff/whole", self.world.env)["targets"]
        self.assertEqual([edit["op"] for edit in target["files"][0]["edits"]], ["remove_rpath", "add_rpath", "sign"])

    def test_only_an_entry_without_effect_causes_a_warning(self):
        (message,) = messages(self.apply("--rpath", "@loader_path/../../torch/lib", self.world.env))
        self.assertIn("@loader_path/../../torch/lib", message)
        self.put_ffmpeg("/ff/second")
        report = self.apply("--rpath", BREW, "--rpath", "/ff/second", self.world.env)
        self.assertEqual(messages(report), [])
        # Without the system's directories, it is unknown where an absolute entry leads.
        report = tcfix_json("apply", "--rpath", TORCH, "--rpath", "/opt/anywhere", self.world.env)
        (message,) = messages(report)
        self.assertIn("another platform", message)
        self.assertEqual(self.entries(), [TORCH, "/opt/anywhere"])

    def test_universal_libraries_are_for_the_machine_of_torch(self):
        for path in self.world.libraries():
            path.write_bytes(tiny_macho.universal([
                tiny_macho.dylib(cpu=cpu, identity=f"@rpath/{path.name}", padding=2000, dependencies=[
                    "@rpath/libc10.dylib", *(f"@rpath/{name}" for name in FFMPEG)])
                for cpu in ("x86_64", "arm64")]))
        self.apply()
        slices = tcfix_json("inspect", self.world.package / LIBRARIES[0])["files"][0]["slices"]
        self.assertEqual([one["rpaths"] for one in slices], [[TORCH, BREW]] * 2)
        self.undo()
        self.apply("--arch", "x86_64", self.world.env, check=4)

    def test_rebuilt_libraries_of_other_names(self):
        rebuilt = self.folder / "rebuilt"
        write_files(rebuilt, {"libtorchcodec_new9.dylib": library("libtorchcodec_new9.dylib")})
        (warning,) = self.apply("--replace-from", rebuilt, self.world.env)["warnings"]
        self.assertEqual(warning["path"], str(rebuilt))
        self.assertEqual(sorted(path.name for path in self.world.libraries()), LIBRARIES)

    def test_rebuilt_libraries_of_another_machine(self):
        """They would replace libraries that load with libraries that cannot."""
        rebuilt = self.folder / "rebuilt"
        elf = pathlib.Path(find_tool("true")).read_bytes()
        intel = tiny_macho.dylib(cpu="x86_64", identity=f"@rpath/{LIBRARIES[1]}", padding=2000)
        write_files(rebuilt, {LIBRARIES[0]: elf, LIBRARIES[1]: intel})
        report = self.apply("--replace-from", rebuilt, self.world.env, check=3)
        said = {pathlib.Path(error["path"]).name: error["message"] for error in report["errors"]}
        self.assertRegex(said[LIBRARIES[0]], "is Mach-O for arm64, but .* is ELF for ")
        self.assertRegex(said[LIBRARIES[1]], "is Mach-O for arm64, but .* is Mach-O for x86_64")
        self.assertEqual([file["status"] for file in report["targets"][0]["files"]],
                         ["failed", "failed", "changed"])

    def test_the_major_of_another_package(self):
        write_files(self.world.site, {"audio/_ext.so": library("_ext.so").replace(b"core7", b"ext_7"),
                                      "audio/__init__.py": b"",
                                      "audio-1.0.dist-info/METADATA": b"Name: audio\nVersion: 1.0\n"})
        report = self.apply("--package", "audio", self.world.env, check=4) # no ext_7
        self.assertEqual(rpaths(self.world.site / "audio/_ext.so"), [TORCH, BREW])
        write_files(self.world.site, {"audio/_ext.so": library(LIBRARIES[0])})
        options = ("--package", "audio", "--sysroot", self.world.root, self.world.env)
        self.assertIn('next: python -c "import audio"\n', tcfix("apply", *options).stdout)
        report = self.apply("--package", "audio", self.world.env)
        self.assertEqual(report["targets"][0]["ffmpeg"]["major"], 7)

    def test_paths_are_as_they_were_typed(self):
        files = self.apply(f"{self.world.env}/")["targets"][0]["files"]
        self.assertEqual([file["path"] for file in files], [str(path) for path in self.world.libraries()])

    def test_list_prints_the_targets_paths(self):
        """Also for an FFmpeg inside the environment, and in the reasons for the others."""
        world = TinyWorld(self.folder / "conda", environment="opt/conda/envs/video")
        (world.env / "pyvenv.cfg").unlink()
        (world.env / "conda-meta").mkdir()
        write_files(world.env / "lib", {name: tiny_macho.dylib(identity=f"@rpath/{name}") for name in FFMPEG})
        options = ["--sysroot", world.root, world.env]
        tcfix("apply", "--rpath", "@loader_path/../../..", *options)
        listed = tcfix_json("list", *options)["ffmpeg"]
        self.assertEqual([one["path"] for one in listed], ["/opt/conda/envs/video/lib", BREW])
        self.assertNotIn(str(world.root), json.dumps([one["reason"] for one in listed]))


class SeveralSites(ApplyTest):
    """A virtual environment that inherits the packages of its system."""

    def setUp(self):
        super().setUp()
        self.system = self.world.root / "usr/lib/python3.12/site-packages"
        self.system.mkdir(parents=True)
        (self.world.env / "pyvenv.cfg").write_text(
            "home = /usr/bin\nversion = 3.12.1\ninclude-system-site-packages = true\n")

    def test_torch_of_the_system(self):
        for path in self.world.site.glob("torch[!c]*"):
            path.rename(self.system / path.name)
        (self.world.site / "torch").rename(self.system / "torch")
        self.apply()
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]),
                         ["/usr/lib/python3.12/site-packages/torch/lib", BREW])

    def test_a_package_hidden_from_python_is_not_changed(self):
        for name in ("torchcodec", INFO):
            shutil.copytree(self.world.site / name, self.system / name)
        before = stamps(self.system)
        self.assertEqual(len(self.apply()["targets"][0]["files"]), 3)
        self.assertEqual(stamps(self.system), before)
        tcfix("apply", "--sysroot", self.world.root, self.system, check=4) # it has no torch
        before = stamps(self.system)
        self.assertEqual(len(self.undo()["targets"][0]["restored"]), 3)
        self.assertEqual(stamps(self.system), before)


class Journals(ApplyTest):
    def test_undo_reports_changed_files_even_after_another_apply(self):
        changed = self.world.package / LIBRARIES[0]
        before = content(self.world.site)
        self.apply()
        tcfix("edit", "--add-rpath", "/third", changed)
        self.apply()
        stamp = stamps(self.world.site)
        self.apply()
        self.assertEqual(stamps(self.world.site), stamp)
        for _ in range(2):
            report = self.undo(check=3)
            self.assertEqual([error["path"] for error in report["errors"]], [str(changed)])
        self.assertEqual(rpaths(changed), [TORCH, BREW, "/third"])
        for name in LIBRARIES[1:]:
            self.assertEqual((self.world.package / name).read_bytes(), before[f"torchcodec/{name}"][1])

    def test_a_journal_applies_only_to_files_of_its_package(self):
        self.apply()
        victim = self.world.root / "victim"
        victim.write_bytes((self.world.package / LIBRARIES[0]).read_bytes())
        journal = self.world.journal.read_text()
        for way in ("../../../../../../victim", str(victim)):
            with self.subTest(way):
                self.world.journal.write_text(journal.replace(f"torchcodec/{LIBRARIES[0]}", way))
                before = content(self.world.site), stamps(self.world.root)
                for command in ("apply", "undo"):
                    result = harness.run(*self.command(command, self.world.env), check=3)
                    self.assertIn("victim", result.stderr)
                    self.assertIn("hint:", result.stderr)
                self.assertEqual((content(self.world.site), stamps(self.world.root)), before)

    def test_arm64_has_two_names(self):
        """Each platform has its own; --arch accepts both."""
        for command in ("doctor", "list", "apply"):
            for target in (self.world.env, self.world.package / LIBRARIES[0]):
                reports = [json.loads(harness.run(*self.command(command, "--json", "--arch", name, "-n", target)
                                                  if command == "apply" else
                                                  self.command(command, "--json", "--arch", name, target)).stdout)
                           for name in ("arm64", "aarch64")]
                for report in reports:
                    report.pop("action", None)
                self.assertEqual(*reports)
        self.apply("--arch", "aarch64", self.world.env)
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]), [TORCH, BREW])

    def test_a_package_without_majors_cannot_lack_one(self):
        """--require applies to packages with libraries for FFmpeg majors."""
        write_files(self.world.site, {"plain/plain.so": tiny_macho.dylib(padding=500),
                                      "plain-1.0.dist-info/METADATA": b"Name: plain\nVersion: 1.0\n",
                                      "plain-1.0.dist-info/RECORD": b"plain/plain.so,,\n"})
        for command in ("apply", "doctor"):
            with self.subTest(command):
                report = tcfix_json(command, "--sysroot", self.world.root, "--require", "7",
                                    "--package", "plain", self.world.env)
                self.assertEqual([each["message"] for each in report["warnings"]], [
                    "--require was ignored: no library here is built for an FFmpeg major"])
                report = tcfix_json(command, "--sysroot", self.world.root, "--require", "7",
                                    "--package", "plain", "--package", "torchcodec", self.world.env)
                self.assertEqual(report["warnings"], [])
                tcfix_json(command, "--sysroot", self.world.root, "--require", "8", "--package",
                           "plain", "--package", "torchcodec", self.world.env,
                           check={"apply": 4, "doctor": 1}[command])

    def test_a_bare_directory_has_one_journal(self):
        """For libraries of any name, whether the directory or a file in it is given."""
        bare = self.world.root / "any"
        write_files(bare, {name: library(name) for name in ("libaudio.dylib", "libvideo.dylib")})
        before = {path.name: path.read_bytes() for path in bare.iterdir()}
        audio = bare / "libaudio.dylib"
        self.apply("--package", "any", bare, check=4) # without torch
        self.apply(audio, check=4)
        self.assertEqual([path.name for path in bare.rglob(".tcfix")], [".tcfix"])
        self.undo(audio)
        self.assertEqual((rpaths(audio), rpaths(bare / "libvideo.dylib")), ([], [BREW]))
        self.assertEqual(len(self.undo(bare)["targets"][0]["restored"]), 1)
        self.assertEqual({path.name: path.read_bytes() for path in bare.iterdir()}, before)

    def test_leftovers_of_a_killed_run_in_a_bare_directory_are_removed(self):
        bare = self.world.root / "any"
        write_files(bare, {"libaudio.dylib": library("libaudio.dylib")})
        self.apply("--package", "any", bare, check=4) # without torch
        leftover = bare / ".tcfix" / ".tcfix-0123abcd.tmp"
        leftover.write_bytes(b"half")
        self.apply("--package", "any", bare, check=4)
        self.assertFalse(leftover.exists())

    def test_undo_removes_leftovers_of_a_killed_run(self):
        leftovers = [self.world.package / ".tcfix-0123abcd.tmp", self.world.info / ".tcfix-4567cdef.tmp"]
        for path in leftovers:
            path.write_bytes(b"half")
        self.undo()
        self.assertEqual([path for path in leftovers if path.exists()], [])


if __name__ == "__main__":
    unittest.main()
