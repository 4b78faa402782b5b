"""`tcfix apply` on macOS environments made of real wheels, checked by independent readers."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import lief

import harness
import macho_reader
from harness import FilesTest, run, tcfix, tcfix_json
from macos_world import TORCH, FfmpegStock, World, search_paths, wheel
from package_checks import content, record_problems, stamps

BREW, KEG7 = "/opt/homebrew/lib", "/opt/homebrew/opt/ffmpeg@7/lib"
PYAV = "@loader_path/../av/.dylibs"


def major_of(library):
    """The FFmpeg major in a library's name; 0 without one."""
    return int(re.search(r"(\d*)\.", library.name)[1] or 0)


class WorldTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tcfix-stock-")
        cls.addClassCleanup(folder.cleanup)
        cls.stock = FfmpegStock(folder.name)

    def world(self, *packages, name="root", **options):
        world = World(self.folder / name, self.stock, **options)
        world.install("torch-2.9.1", *(packages or ["torchcodec-0.9.1"]))
        return world

    def brewed(self, *packages, name="root"):
        world = self.world(*packages, name=name)
        world.brew(8)
        world.brew(7, "ffmpeg@7", linked=False)
        return world

    def expect(self, world, computed, own=(), later=BREW):
        """The search paths of each library: those of the wheel, the path to torch, and the path to its major's FFmpeg
        or to where it will be installed."""
        for library in world.libraries():
            (image,) = macho_reader.read(library)
            is_lacking = any(re.search("@rpath/lib(avutil|heif)", each) for each in image.dependencies)
            entry = computed.get(major_of(library), later if is_lacking else None)
            with self.subTest(library.name):
                self.assertEqual(search_paths(library), [*own, TORCH, *([entry] if entry else [])])

    def check(self, world):
        """Checks every library and RECORD with readers that share no code with tcfix."""
        for library in world.libraries():
            with self.subTest(library.name):
                (image,) = macho_reader.read(library)
                self.assertEqual(image.signature_problems()[0], [])
                self.assertEqual(len(set(image.rpaths)), len(image.rpaths))
                for path, size in zip(image.rpaths, image.rpath_sizes):
                    self.assertEqual(size, (12 + len(path) + 1 + 7) // 8 * 8)
                binary = lief.MachO.parse(str(library)).at(0)
                self.assertEqual([each.path for each in binary.rpaths], image.rpaths)
                self.assertEqual([each.name for each in binary.libraries
                                  if each.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB],
                                 image.dependencies)
                original = wheel(f"torchcodec-{self.version(world)}") / "torchcodec" / library.name
                self.assertEqual(library.stat().st_size, original.stat().st_size)
        tcfix("verify", *world.libraries())
        self.assertEqual(record_problems(world.site), [])

    def version(self, world):
        return next(world.site.glob("torchcodec-*.dist-info")).name.split("-")[1][:-len(".dist")]


class Places(WorldTest):
    def test_homebrew(self):
        for version, majors, own in (("0.3.0", {7: KEG7}, ()), ("0.8.1", {7: KEG7, 8: BREW}, ()),
                                     ("0.9.1", {7: KEG7, 8: BREW}, ())):
            with self.subTest(version):
                world = self.brewed(f"torchcodec-{version}", name=version)
                (target,) = world.apply()["targets"]
                self.expect(world, majors, own)
                self.check(world)
                self.assertEqual(target["loads"], {"before": False, "after": True})
                self.assertEqual(target["loads_bare"], {"before": False, "after": True})
                best = max(majors)
                self.assertEqual(target["ffmpeg"], {"major": best, "path": majors[best],
                                                    "source": "homebrew"})

    def test_homebrew_with_a_torch_that_is_too_old(self):
        """0.13 and 0.17 need a newer torch: repaired as far as possible, and reported."""
        for version in ("0.13.0", "0.17.0"):
            with self.subTest(version):
                world = self.brewed(f"torchcodec-{version}", name=version)
                report = world.apply(check=4)
                self.expect(world, {7: KEG7, 8: None}, own=["/opt/homebrew/opt/ffmpeg/lib"])
                self.check(world)
                (target,) = report["targets"]
                self.assertEqual(target["loads"], {"before": False, "after": False})
                self.assertIsNone(target["ffmpeg"])
                self.assertFalse(report["ok"])
                world.apply(check=4)

    def test_homebrew_on_intel(self):
        world = self.world()
        world.brew(8, prefix="/usr/local")
        self.assertEqual(world.apply()["targets"][0]["ffmpeg"]["path"], "/usr/local/lib")
        self.expect(world, {8: "/usr/local/lib"})
        self.check(world)

    def test_macports(self):
        world = self.world()
        world.put_ffmpeg(7, "/opt/local/libexec/ffmpeg7/lib")
        self.assertEqual(world.apply()["targets"][0]["ffmpeg"]["source"], "macports")
        self.expect(world, {7: "/opt/local/libexec/ffmpeg7/lib"})
        self.check(world)

    def test_conda(self):
        world = self.world(environment="opt/miniconda3/envs/video")
        (world.env / "pyvenv.cfg").unlink()
        (world.env / "conda-meta").mkdir()
        world.put_ffmpeg(7, "/opt/miniconda3/envs/video/lib")
        self.assertEqual(world.apply()["targets"][0]["ffmpeg"],
                         {"major": 7, "path": "/opt/miniconda3/envs/video/lib", "source": "conda"})
        self.expect(world, {7: "@loader_path/../../.."}, later="@loader_path/../../..")
        self.check(world)

    def test_pyav_and_nothing_else(self):
        for version, major in (("av-15.1.0", 7), ("av-16.0.1", 8)):
            with self.subTest(version):
                world = self.world("torchcodec-0.9.1", version, name=version)
                (target,) = world.apply()["targets"]
                self.assertEqual((target["ffmpeg"]["major"], target["ffmpeg"]["source"]),
                                 (major, "pyav"))
                self.expect(world, {major: PYAV})
                self.check(world)
                names = {path.name for path in (world.site / "av" / ".dylibs").iterdir()}
                for library in world.libraries():
                    asked = {each.rpartition("/")[2]
                             for each in macho_reader.read(library)[0].dependencies}
                    self.assertEqual(len(asked & names), 7 if major_of(library) == major else 0)

    def test_nothing_at_all(self):
        world = self.world()
        report = world.apply(check=4)
        self.expect(world, {})
        self.check(world)
        self.assertEqual(report["targets"][0]["loads"], {"before": False, "after": False})
        self.assertEqual(report["targets"][0]["summary"],
                         {"changed": 15, "unchanged": 0, "skipped": 0, "failed": 0})
        before = stamps(world.env)
        self.assertIn("nothing to do", tcfix("apply", "--sysroot", world.root, world.env,
                                             check=4).stdout)
        self.assertEqual(stamps(world.env), before)

    def test_json(self):
        world = self.brewed()
        report = world.apply()
        self.assertEqual((report["schema"], report["command"], report["ok"], report["errors"],
                          report["warnings"]), (1, "apply", True, [], []))
        (target,) = report["targets"]
        self.assertEqual(target["path"], str(world.env))
        files = {pathlib.Path(file["path"]).name: file for file in target["files"]}
        self.assertEqual(sorted(files), [path.name for path in world.libraries()])
        file = files["libtorchcodec_core8.dylib"]
        self.assertEqual(file["status"], "changed")
        self.assertEqual([(edit["op"], edit["value"]) for edit in file["edits"]][:2],
                         [("add_rpath", TORCH), ("add_rpath", BREW)])
        self.assertTrue(all(edit["reason"] for edit in file["edits"]))
        for name, file in files.items():
            library = world.site / "torchcodec" / name
            original = wheel("torchcodec-0.9.1") / "torchcodec" / name
            self.assertEqual(file["sha256_after"], harness.sha256(library))
            self.assertEqual(file["sha256_before"], harness.sha256(original))


class Again(WorldTest):
    """Second runs, undo, and changed surroundings."""

    def test_a_second_run_writes_nothing(self):
        world = self.brewed("torchcodec-0.9.1", "av-15.1.0")
        world.apply()
        before = stamps(world.root)
        (target,) = world.apply()["targets"]
        self.assertEqual(stamps(world.root), before)
        self.assertEqual(target["summary"]["unchanged"], 15)
        self.assertEqual(target["loads"], {"before": True, "after": True})
        self.assertIn("nothing to do", tcfix("apply", "--sysroot", world.root, world.env).stdout)

    def test_undo_restores_everything(self):
        for version in ("0.3.0", "0.9.1", "0.17.0"):
            with self.subTest(version):
                world = self.brewed(f"torchcodec-{version}", name=version)
                times = {path: path.stat().st_mtime_ns for path in world.site.rglob("*")
                         if path.is_file()}
                before = content(world.site)
                tcfix("apply", "--sysroot", world.root, world.env,
                      check=4 if version == "0.17.0" else 0)
                self.assertNotEqual(content(world.site), before)
                (undone,) = world.undo()["targets"]
                self.assertEqual(len(undone["restored"]), len(world.libraries()))
                self.assertEqual(content(world.site), before)
                self.assertEqual(times, {path: path.stat().st_mtime_ns
                                         for path in world.site.rglob("*") if path.is_file()})
                run("diff", "-r", wheel(f"torchcodec-{version}") / "torchcodec",
                    world.site / "torchcodec", check=0)
                self.assertEqual(world.undo()["targets"][0]["restored"], [])

    def test_undo_keeps_files_changed_by_others(self):
        world = self.brewed()
        before = content(world.site)
        world.apply()
        changed = world.site / "torchcodec" / "libtorchcodec_core5.dylib"
        tcfix("edit", "--add-rpath", "/elsewhere", changed)
        touched = changed.read_bytes()
        report = world.undo(check=3)
        self.assertEqual([error["path"] for error in report["errors"]], [str(changed)])
        self.assertEqual(changed.read_bytes(), touched)
        now = content(world.site)
        different = {name for name in before if now[name] != before[name]}
        self.assertEqual({name.rpartition("/")[2] for name in different},
                         {"libtorchcodec_core5.dylib", "RECORD"})

    def pristine(self, world, pyav):
        """The result of a first apply in the same surroundings, at the same path."""
        shutil.move(world.env, self.folder / "aside")
        world.make_environment()
        world.install("torch-2.9.1", "torchcodec-0.9.1", *([pyav] if pyav else []))
        tcfix_json("apply", "--sysroot", world.root, world.env, check=None)
        result = content(world.site)
        shutil.rmtree(world.env)
        shutil.move(self.folder / "aside", world.env)
        return result

    def test_the_result_depends_only_on_the_surroundings(self):
        """PyAV 15, 16, none, Homebrew, and back: always the result of a first apply."""
        world = self.world("torchcodec-0.9.1", "av-15.1.0")
        original = content(world.site)

        def pyav(name):
            if (world.site / "av").exists():
                world.uninstall("av")
            if name:
                world.install(name)

        steps = [("av-15.1.0", False), ("av-16.0.1", False), (None, False), (None, True),
                 ("av-16.0.1", True), (None, False), ("av-16.0.1", False), ("av-15.1.0", False)]
        for number, (name, has_brew) in enumerate(steps):
            with self.subTest(f"{number}: {name} {has_brew}"):
                pyav(name)
                if has_brew and not world.path("/opt/homebrew").exists():
                    world.brew(8)
                elif not has_brew and world.path("/opt/homebrew").exists():
                    world.unbrew()
                tcfix_json("apply", "--sysroot", world.root, world.env, check=None)
                expected = self.pristine(world, name)
                now = content(world.site)
                journal = "torchcodec-0.9.1.dist-info/tcfix-journal.json"
                self.assertEqual(sorted(now), sorted(expected))
                self.assertEqual([each for each in now if now[each] != expected[each]
                                  and each != journal], [])
                self.check(world)
        world.undo()
        self.assertEqual(content(world.site), original)

    def test_entries_of_others_are_kept(self):
        world = self.world("torchcodec-0.9.1", "av-15.1.0")
        for library in world.libraries():
            tcfix("edit", "--add-rpath", "/somebody/else", library)
        world.apply()
        self.expect(world, {7: PYAV}, own=["/somebody/else"])
        world.uninstall("av")
        world.apply(check=4)
        self.expect(world, {}, own=["/somebody/else"])
        world.apply("--ffmpeg", "none", check=4)
        self.expect(world, {}, own=["/somebody/else"], later=None)
        world.undo()
        for library in world.libraries():
            self.assertEqual(search_paths(library), ["/somebody/else"])

    def test_a_keg_upgrade_needs_nothing(self):
        world = self.brewed()
        world.apply()
        before = stamps(world.env)
        world.unbrew()
        world.brew(8, version="2.0")
        world.brew(7, "ffmpeg@7", version="3.0", linked=False)
        world.apply()
        self.assertEqual(stamps(world.env), before)


class Options(WorldTest):
    """The options."""

    def test_literal_entries_come_first_and_replace_computed_ones(self):
        world = self.brewed()
        report = world.apply("--rpath", "@loader_path/../../torch/lib", "--rpath", BREW)
        literal = ["@loader_path/../../torch/lib", BREW]
        for library in world.libraries():
            own = [KEG7] if major_of(library) == 7 else []
            self.assertEqual(search_paths(library), literal + [TORCH] + own)
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn("@loader_path/../../torch/lib contains none", report["warnings"][0]["message"])
        self.check(world)

    def test_a_literal_path_to_torch_is_enough(self):
        world = self.brewed()
        report = world.apply("--rpath", "@loader_path/./../torch/lib")
        for library in world.libraries():
            self.assertEqual(search_paths(library)[0], "@loader_path/./../torch/lib")
            self.assertNotIn(TORCH, search_paths(library))
        self.assertEqual(report["warnings"], [])

    def test_ffmpeg_none_removes_computed_entries(self):
        world = self.brewed()
        world.apply()
        report = world.apply("--ffmpeg", "none", check=4)
        self.expect(world, {}, later=None)
        removed = [edit for file in report["targets"][0]["files"] for edit in file["edits"]
                   if edit["op"] == "remove_rpath"]
        self.assertEqual(len(removed), 15)
        self.check(world)

    def test_ffmpeg_av_before_homebrew(self):
        world = self.brewed("torchcodec-0.9.1", "av-15.1.0")
        report = world.apply("--ffmpeg", "av")
        self.expect(world, {7: PYAV, 8: BREW})
        self.assertEqual(report["targets"][0]["ffmpeg"]["major"], 8)

    def test_ffmpeg_directory(self):
        world = self.brewed()
        world.put_ffmpeg(7, "/Users/me/ffmpeg/lib")
        for given in ("/Users/me/ffmpeg/lib", "/Users/me/ffmpeg"):
            with self.subTest(given):
                world.apply("--ffmpeg", given)
                self.expect(world, {7: "/Users/me/ffmpeg/lib", 8: BREW})
        world.apply()
        self.expect(world, {7: KEG7, 8: BREW})

    def test_a_cellar_path_becomes_a_stable_path(self):
        world = self.brewed()
        world.apply("--ffmpeg", "/opt/homebrew/Cellar/ffmpeg@7/1.0/lib")
        self.expect(world, {7: KEG7, 8: BREW})

    def test_the_highest_major_that_loads_wins(self):
        world = self.world("torchcodec-0.9.1", "av-16.0.1")
        world.brew(7, "ffmpeg@7", linked=False)
        (target,) = world.apply()["targets"]
        self.expect(world, {7: KEG7, 8: PYAV})
        self.assertEqual((target["ffmpeg"]["major"], target["ffmpeg"]["source"]), (8, "pyav"))

    def test_require(self):
        world = self.brewed()
        world.apply("--require", "7,8")
        world.apply("--require", "6", check=4)
        world.apply("--require", "7,6", check=4)
        world.apply("--require", "seven", check=2)

    def test_check(self):
        world = self.brewed()
        before = stamps(world.root)
        (target,) = world.apply("--check", check=1)["targets"]
        self.assertEqual(target["files"][0]["status"], "would_change")
        world.apply("--check", "--require", "6", check=1)
        self.assertEqual(stamps(world.root), before)
        world.apply()
        world.apply("--check")
        world.apply("--check", "--require", "6", check=4)

    def test_dry_run(self):
        world = self.brewed()
        before = stamps(world.root)
        text = tcfix("apply", "-n", "--sysroot", world.root, world.env).stdout
        self.assertEqual(stamps(world.root), before)
        self.assertRegex(text, r"(?m)^--- .*libtorchcodec_core8\.dylib$")
        self.assertRegex(text, r"(?m)^\+\+\+ .*libtorchcodec_core8\.dylib$")
        self.assertRegex(text, r"(?m)^\+.*" + re.escape(TORCH))
        world.apply("-n", "--require", "6")
        world.apply()
        self.assertEqual(tcfix("apply", "-n", "--sysroot", world.root, world.env).stdout,
                         "nothing to do\n")
        text = tcfix("apply", "-n", "--ffmpeg", "none", "--sysroot", world.root, world.env).stdout
        self.assertRegex(text, r"(?m)^-.*" + re.escape(BREW))
        self.assertNotRegex(text, r"(?m)^-.*" + re.escape(TORCH))

    def test_no_sign(self):
        world = self.brewed()
        report = world.apply("--no-sign")
        self.assertEqual(len(report["warnings"]), 15)
        tcfix("verify", *world.libraries(), check=1)
        world.apply()
        self.check(world)

    def test_another_package(self):
        world = self.world("torchcodec-0.9.1", "av-15.1.0")
        before = content(world.site)
        world.apply("--package", "av")
        self.assertEqual(content(world.site), before)
        world.apply("--package", "absent", check=2)

    def test_rebuilt_libraries(self):
        world = self.brewed()
        before = content(world.site)
        rebuilt = self.folder / "rebuilt"
        rebuilt.mkdir()
        source = wheel("torchcodec-0.8.1") / "torchcodec"
        for name in ("libtorchcodec_core8.dylib", "libtorchcodec_custom_ops8.dylib"):
            shutil.copy2(source / name, rebuilt)
        (rebuilt / "notes.txt").write_text("not a library")
        report = world.apply("--replace-from", rebuilt)
        replaced = [file for file in report["targets"][0]["files"]
                    if file["edits"][0]["op"] == "replace_file"]
        self.assertEqual(len(replaced), 2)
        self.expect(world, {7: KEG7, 8: BREW})
        self.assertEqual(record_problems(world.site), [])
        core = world.site / "torchcodec" / "libtorchcodec_core8.dylib"
        self.assertEqual(core.stat().st_size, (source / core.name).stat().st_size)
        stamp = stamps(world.env)
        world.apply()
        world.apply("--replace-from", rebuilt)
        self.assertEqual(stamps(world.env), stamp)
        world.apply("--ffmpeg", "none", check=4)
        self.assertEqual(search_paths(core), [TORCH])
        world.undo()
        self.assertEqual(content(world.site), before)

    def test_without_a_sysroot(self):
        """A macOS environment on another system: unknown verdicts are reported as unknown."""
        if os.uname().sysname == "Darwin":
            self.skipTest("this is a Mac")
        world = self.world()
        report = tcfix_json("apply", world.env)
        self.expect(world, {})
        (target,) = report["targets"]
        self.assertIsNone(target["loads"]["after"])
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn(f"FFmpeg is assumed to be in {BREW}", report["warnings"][0]["message"])
        report = tcfix_json("apply", "--ffmpeg", BREW, world.env)
        self.expect(world, dict.fromkeys(range(4, 9), BREW))
        tcfix_json("apply", "--rpath", BREW, world.env)
        for library in world.libraries():
            self.assertEqual(search_paths(library), [BREW, TORCH])
        self.check(world)


if __name__ == "__main__":
    unittest.main()
