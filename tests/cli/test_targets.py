"""Which directories and files the commands accept, and what they report about others."""
import os
import pathlib
import shutil
import subprocess
import unittest

import harness
import tiny_macho
from harness import FilesTest, not_on_windows, run, tcfix, tcfix_json
from package_checks import content, record_problems, stamps
from tiny_world import (BREW, INFO, LIBRARIES, TORCH, TinyWorld, library, package_files,
                        record_row, write_files)

COMMANDS = (["apply"], ["undo"], ["doctor"], ["list"])


def rpaths(path):
    return tcfix_json("inspect", path)["files"][0]["rpaths"]


def all_bytes(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class TargetsTest(FilesTest):
    def setUp(self):
        super().setUp()
        self.world = TinyWorld(self.folder / "root")

    def json(self, command, *arguments, check=0):
        return tcfix_json(command, "--sysroot", self.world.root, *arguments, check=check)

    def refused(self, target, *options, commands=COMMANDS, check=2):
        """The error that every command reports, after which nothing has changed."""
        before = stamps(self.folder)
        said = set()
        for command in commands:
            report = self.json(*command, *options, target, check=check)
            (error,) = report["errors"]
            self.assertEqual(error["path"], str(target))
            said.add((error["message"], error["hint"]))
        self.assertEqual(stamps(self.folder), before)
        (error,) = said
        return error

    def repaired(self, target, package, *options, code=0):
        """Apply, apply again, and undo by any of these names: the same bytes as before."""
        before = all_bytes(self.folder)
        report = self.json("apply", *options, target, check=code)
        self.assertEqual(report["targets"][0]["summary"]["changed"], len(LIBRARIES))
        self.assertIn(BREW, rpaths(package / LIBRARIES[0]))
        stamp = stamps(self.folder)
        self.json("apply", *options, target, check=code)
        self.assertEqual(stamps(self.folder), stamp)
        return before


class Accepted(TargetsTest):
    def test_the_layouts_of_installed_packages(self):
        """The journal is in .dist-info, RECORD is updated, and undo finds it by any other name."""
        world = self.world
        names = (world.env, world.site, world.package)
        for name, other in zip(names, names[1:] + names[:1]):
            with self.subTest(apply=name, undo=other):
                before = self.repaired(name, world.package)
                self.assertTrue(world.journal.exists())
                self.assertEqual(record_problems(world.site), [])
                self.json("doctor", other)
                self.assertEqual(len(self.json("list", other)["libraries"]), len(LIBRARIES))
                self.assertEqual(len(self.json("undo", other)["targets"][0]["restored"]),
                                 len(LIBRARIES))
                self.assertEqual(all_bytes(self.folder), before)

    def test_an_unpacked_wheel(self):
        wheel = self.folder / "unpacked"
        write_files(wheel, package_files())
        for name in (wheel, wheel / "torchcodec"):
            with self.subTest(name):
                before = self.repaired(name, wheel / "torchcodec", code=4)  # without torch
                self.assertEqual(record_problems(wheel), [])
                self.json("undo", wheel)
                self.assertEqual(all_bytes(self.folder), before)

    def test_a_build_tree_has_one_journal(self):
        """Whichever directory above the copy is given to apply or undo."""
        project = self.folder / "project"
        copy = project / "build/lib.macosx-11.0-arm64-cpython-312/torchcodec"
        write_files(copy, {name: library(name) for name in LIBRARIES})
        write_files(project, {"src/torchcodec/__init__.py": b"", "build/temp/libother.dylib": b"",
                              ".git/torchcodec/libtorchcodec_core7.dylib": b""})
        names = (project, project / "build", copy.parent, copy)
        for name, other in zip(names, names[1:] + names[:1]):
            with self.subTest(apply=name, undo=other):
                before = self.repaired(name, copy, code=4)
                self.assertEqual([path.parent for path in project.rglob(".tcfix")], [copy])
                self.json("apply", other, check=4)
                self.assertEqual([path.parent for path in project.rglob(".tcfix")], [copy])
                self.json("undo", other)
                self.assertEqual(all_bytes(self.folder), before)

    def test_a_build_tree_finds_torch_beside_the_package(self):
        site = self.folder / "project/build/lib"
        write_files(site / "torchcodec", {name: library(name) for name in LIBRARIES})
        write_files(site, {"torch/lib/libc10.dylib": tiny_macho.dylib(identity="@rpath/libc10.dylib")})
        for target in (self.folder / "project", site / "torchcodec"):
            self.json("apply", target)
            self.assertEqual(rpaths(site / "torchcodec" / LIBRARIES[0]), [TORCH, BREW])
            self.json("undo", target)

    def test_a_bare_directory_has_only_the_libraries_directly_in_it(self):
        bare = self.folder / "bare"
        write_files(bare, {name: library(name) for name in LIBRARIES})
        write_files(bare / "old", {name: library(name) for name in LIBRARIES})
        before = self.repaired(bare, bare, code=4)
        self.assertEqual(rpaths(bare / "old" / LIBRARIES[0]), [])
        self.json("undo", bare)
        self.assertEqual(all_bytes(self.folder), before)

    def test_another_package(self):
        """A build of any package, by the name of its directory; undo needs no name."""
        package = self.folder / "project/build/lib/my_ext"
        write_files(package, {"__init__.py": b"", **{f"_parts/{name}": library(name)
                                                    for name in LIBRARIES}})
        write_files(self.folder / "project/my_ext", {"__init__.py": b""})
        before = self.repaired(self.folder / "project", package / "_parts", "--package", "my-ext",
                               code=4)
        self.json("doctor", "--package", "my-ext", self.folder / "project", check=1)
        self.json("undo", self.folder / "project")
        self.assertEqual(all_bytes(self.folder), before)
        message, _ = self.refused(self.folder / "project", "--package", "other",
                                  commands=(["apply"], ["doctor"], ["list"]))
        self.assertIn("does not contain other", message)

    def test_undo_without_the_libraries(self):
        bare = self.folder / "bare"
        write_files(bare, {name: library(name) for name in LIBRARIES})
        self.json("apply", bare, check=4)
        for path in bare.glob("lib*"):
            path.unlink()
        self.json("undo", bare)
        self.assertEqual(os.listdir(bare), [])

    def test_a_package_without_dist_info(self):
        world = self.world
        shutil.rmtree(world.info)
        (error,) = self.json("apply", world.env, check=3)["errors"]
        self.assertIn("being installed", error["message"])
        self.assertIn(str(world.package), error["hint"])
        for other in (world.package, world.env):
            before = self.repaired(world.package, world.package)
            self.assertEqual([path.parent for path in world.env.rglob(".tcfix")], [world.package])
            self.json("undo", other)
            self.assertEqual(all_bytes(self.folder), before)


class Refused(TargetsTest):
    @not_on_windows("links of the host are not links of Windows")
    def test_a_directory_of_other_things(self):
        """Reported by a user: three levels below there were unpacked wheels of other projects."""
        work = self.folder / "work"
        for name in ("b/venv", "a/.venv"):
            (work / name).mkdir(parents=True)
            (work / name / "pyvenv.cfg").write_text("home = /usr/bin\n")
        write_files(work / "other/unpacked", package_files())
        write_files(work / "b/venv/lib/python3.12/site-packages", package_files())
        os.symlink(work, work / "a/loop")
        message, hint = self.refused(work)
        self.assertEqual(message, "is not an environment; found below it: b/venv, other/unpacked, a/.venv")
        self.assertEqual(hint, f"pass one of them, such as {work}/b/venv")
        text = tcfix("apply", work, check=2)
        self.assertEqual((text.stdout, text.stderr.splitlines()),
                         ("", [f"error: {work}: {message}", f"  hint: {hint}"]))

    def test_five_are_listed(self):
        work = self.folder / "work"
        for number in range(9):
            (work / f"env{number}").mkdir(parents=True)
            (work / f"env{number}/pyvenv.cfg").touch()
        message, _ = self.refused(work)
        self.assertEqual(message, "is not an environment; found below it: env0, env1, env2, env3, env4 and 4 more")
        for verb in ("install", "remove", "status"):
            self.assertIn(message, tcfix("hook", verb, work, check=2).stderr)

    def test_two_copies(self):
        work = self.folder / "work"
        for name in ("lib.a/torchcodec", "lib.b/torchcodec"):
            write_files(work / name, {each: library(each) for each in LIBRARIES})
        message, hint = self.refused(work)
        self.assertEqual(message, "contains 2 copies of torchcodec: lib.a/torchcodec, lib.b/torchcodec")
        self.assertEqual(hint, f"pass one of them, such as {work}/lib.a/torchcodec")

    def test_a_copy_and_an_environment(self):
        work = self.folder / "work"
        write_files(work / "build/torchcodec", {each: library(each) for each in LIBRARIES})
        (work / ".venv").mkdir()
        (work / ".venv/pyvenv.cfg").touch()
        message, _ = self.refused(work)
        self.assertEqual(message, "is not an environment; found below it: build/torchcodec, .venv")

    def test_a_part_of_an_environment(self):
        """Its libraries are never changed without their RECORD."""
        world = self.world
        (world.env / "bin").mkdir()
        for part in (world.env / "lib", world.site.parent, world.env / "bin"):
            with self.subTest(part):
                message, hint = self.refused(part)
                self.assertEqual(message, f"is part of the environment {world.env}, but not one itself")
                self.assertEqual(hint, f"pass the environment: {world.env}")

    def test_a_part_of_another_package(self):
        world = self.world
        _, hint = self.refused(world.site / "torch", commands=(["apply"], ["doctor"], ["list"]))
        self.assertIn(str(world.env), hint)
        self.assertEqual(self.json("undo", world.site / "torch")["targets"][0]["restored"], [])

    def test_a_vendored_copy_belongs_to_its_package(self):
        site = self.world.site
        files = {f"vendor/torchcodec/{name}": library(name) for name in LIBRARIES}
        write_files(site, files)
        write_files(site, {"vendor-1.0.dist-info/RECORD": "".join(
            record_row(path, data) for path, data in files.items()).encode()})
        message, hint = self.refused(site / "vendor", commands=(["apply"], ["doctor"], ["list"]))
        self.assertEqual(message, "belongs to the installed package vendor")
        self.assertIn("--package vendor", hint)

    def test_environments_inside_an_environment(self):
        """They are probably what was meant, as in conda's own directory."""
        world = self.world
        (world.env / "projects/mine/.venv").mkdir(parents=True)
        (world.env / "projects/mine/.venv/pyvenv.cfg").touch()
        message, _ = self.refused(world.env / "projects")
        self.assertEqual(message, "is not an environment; found below it: mine/.venv")

    def test_a_dry_run_of_a_refused_target_prints_no_diff(self):
        self.assertEqual(tcfix("apply", "-n", self.folder, check=2).stdout, "")

    def test_an_empty_directory(self):
        (self.folder / "empty").mkdir()
        message, hint = self.refused(self.folder / "empty")
        self.assertIn("does not contain torchcodec", message)
        self.assertIn("pass an environment", hint)

    def test_a_huge_tree_is_not_searched_to_its_end(self):
        huge = self.folder / "huge"
        for first in range(110):
            for second in range(100):
                (huge / str(first) / str(second)).mkdir(parents=True)
        write_files(huge / "0/torchcodec", {each: library(each) for each in LIBRARIES})
        message, hint = self.refused(huge, commands=(["apply"],))
        self.assertIn("0/torchcodec (not all directories were searched)", message)
        self.assertIn(f"{huge}/0/torchcodec", hint)


class OneFile(TargetsTest):
    """A library given by path belongs to the package whose RECORD lists it."""

    def setUp(self):
        super().setUp()
        site = self.world.site
        files = {"cv2/__init__.py": b"", "cv2/cv2.abi3.so": library("cv2.abi3.so"),
                 "cv2/.dylibs/libgrafted.dylib": library("libgrafted.dylib"),
                 "opencv_python-4.10.0.dist-info/METADATA": b"Name: opencv-python\nVersion: 4.10.0\n"}
        write_files(site, files)
        rows = "".join(record_row(path, data) for path, data in files.items())
        self.info = site / "opencv_python-4.10.0.dist-info"
        (self.info / "RECORD").write_text(rows + f"{self.info.name}/RECORD,,\n")

    def record_problems(self):
        return [each for each in record_problems(self.world.site, "opencv_python")
                if not each.startswith("opencv_python/")]

    def test_of_another_package(self):
        site = self.world.site
        for name in ("cv2.abi3.so", ".dylibs/libgrafted.dylib"):
            for other in (site / "cv2" / name, self.world.env, site):
                with self.subTest(name=name, undo=other):
                    before = all_bytes(self.folder)
                    self.json("apply", site / "cv2" / name, check=None)
                    self.assertIn(BREW, rpaths(site / "cv2" / name))
                    self.assertEqual(self.record_problems(), [])
                    self.assertTrue((self.info / "tcfix-journal.json").exists())
                    self.assertEqual(list(site.rglob(".tcfix")), [])
                    stamp = stamps(self.folder)
                    self.json("apply", site / "cv2" / name, check=None)
                    self.assertEqual(stamps(self.folder), stamp)
                    self.json("undo", other)
                    self.assertEqual(all_bytes(self.folder), before)

    def test_what_several_packages_share(self):
        """It is undecidable which RECORD to update."""
        site = self.world.site
        shutil.copytree(self.info, site / "opencv_contrib_python-4.10.0.dist-info")
        before = stamps(self.folder)
        report = self.json("apply", "--package", "cv2", self.world.env, check=2)
        self.assertEqual([(each["message"], each["hint"]) for each in report["errors"]], [
            ("cv2 is part of several installed packages: opencv_contrib_python, opencv_python",
             "name one of them with --package")])
        self.assertEqual(stamps(self.folder), before)
        self.json("list", "--package", "cv2", self.world.env)
        self.json("apply", "--package", "opencv-python", self.world.env, check=None)
        self.assertEqual(self.record_problems(), [])

    def test_list_names_its_package(self):
        site = self.world.site
        (listed,) = self.json("list", site / "cv2/cv2.abi3.so")["libraries"]
        self.assertEqual((listed["package"], listed["path"]),
                         ("opencv-python", str(site / "cv2/cv2.abi3.so")))

    def test_of_another_package_than_requested(self):
        file = self.world.package / LIBRARIES[0]
        message, hint = self.refused(file, "--package", "opencv-python",
                                     commands=(["apply"], ["doctor"]))
        self.assertIn("belongs to torchcodec", message)
        self.assertEqual(hint, "use --package torchcodec")

    def test_its_siblings_are_found(self):
        """custom_ops needs core, which torchcodec loads before it."""
        world = self.world
        self.json("apply", world.env)
        for name in LIBRARIES:
            with self.subTest(name):
                self.json("doctor", world.package / name)
        bare = self.folder / "bare"
        write_files(bare, {name: (world.package / name).read_bytes() for name in LIBRARIES})
        missing = [problem["dependency"]
                   for group in self.json("doctor", bare / LIBRARIES[1], check=1)["groups"]
                   for each in group["libraries"] for problem in each["problems"]]
        self.assertNotIn("@rpath/libtorchcodec_core7.dylib", missing)


@not_on_windows("files have no modes there")
class Permissions(TargetsTest):
    """A directory that cannot be searched is not reported as missing."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.program = shutil.copy2(harness.TCFIX, self.folder)  # where any user may run it
        self.nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

    def run_as_nobody(self, *words):
        return subprocess.run([self.program, *map(str, words)], capture_output=True, text=True,
                              **self.nobody)

    def close(self, path):
        mode = path.stat().st_mode
        path.chmod(0)
        self.addCleanup(path.chmod, mode)

    def test_a_target(self):
        world = self.world
        for closed in (world.env, world.env.parent, world.env / "lib", world.site, world.package):
            with self.subTest(closed):
                self.close(closed)
                for (command,) in COMMANDS:
                    result = self.run_as_nobody(command, "--sysroot", world.root, world.env)
                    self.assertEqual(result.returncode, 3, result.stderr + result.stdout)
                    self.assertIn("permission denied", result.stderr)
                    self.assertNotIn("no such", result.stderr)
            closed.chmod(0o755)

    def test_a_plain_directory(self):
        closed = self.folder / "closed"
        (closed / "inside").mkdir(parents=True)
        self.close(closed)
        for target in (closed, closed / "inside"):
            for (command,) in COMMANDS:
                result = self.run_as_nobody(command, target)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn(f"{target}: permission denied", result.stderr)

    def test_a_sysroot(self):
        closed = self.folder / "closed"
        (closed / "sysroot").mkdir(parents=True)
        self.close(closed)
        result = self.run_as_nobody("list", "--sysroot", closed / "sysroot", self.world.env)
        self.assertEqual(result.returncode, 3)
        self.assertIn(f"{closed / 'sysroot'}: permission denied", result.stderr)


if __name__ == "__main__":
    unittest.main()
