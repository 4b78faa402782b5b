"""`tcfix apply` on Linux, with the real torchcodec and PyAV, loaded by the real ld.so."""
import base64
import csv
import hashlib
import os
import re
import unittest
import unittest.mock

from harness import find_tool, run, tcfix, tcfix_json
from linux_trees import (Tree, TreeTest, needed, open_workshop, private_ffmpeg, put_foreign_system,
                         put_zlib, search_paths, wheel)
from package_checks import stamps

VERSIONS = ("0.8.1", "0.9.1", "0.13.0", "0.17.0")
TORCH, PYAV = "$ORIGIN/../torch/lib", "$ORIGIN/../av.libs"


def setUpModule():
    open_workshop()


class ApplyTest(TreeTest):
    def apply(self, tree, *options, loads, before=()):
        """Applies; `before` and `loads` are the majors that load before and after, with torch imported and without.
        Then checks everything that must hold after any apply."""
        self.assertEqual(self.majors_that_load(tree), {"loads": set(before), "loads_bare": set(before)})
        code = 0 if loads else 4
        (target,) = tcfix_json("apply", *options, tree.root, check=code)["targets"]
        verdicts = {"before": bool(before), "after": bool(loads)}
        self.assertEqual((target["loads"], target["loads_bare"]), (verdicts, verdicts))
        self.assertEqual(self.majors_that_load(tree), {"loads": set(loads), "loads_bare": set(loads)})
        for major in tree.majors:
            tcfix("apply", "--check", "--require", major, *options, tree.root,
                  check=0 if major in loads else 4)
        self.assertEqual(target["ffmpeg"]["major"] if loads else None, max(loads, default=None))
        self.check_record(tree)
        self.check_second_run(tree, options, code)
        return target

    def check_second_run(self, tree, options, code):
        once = stamps(tree.root)
        self.assertIn("nothing to do", tcfix("apply", *options, tree.root, check=code).stdout)
        self.assertEqual(dict(stamps(tree.root).items() - once.items()), {})

    def check_record(self, tree):
        """RECORD lists every file of the package, including the journal, with its hash and size."""
        with open(tree.info / "RECORD", newline="") as file:
            rows = {row[0]: row[1:] for row in csv.reader(file)}
        for folder in (tree.package, tree.info):
            for path in folder.rglob("*"):
                if not path.is_file():
                    continue
                digest, size = rows[str(path.relative_to(tree.site))]
                if digest:
                    content = hashlib.sha256(path.read_bytes()).digest()
                    text = base64.urlsafe_b64encode(content).rstrip(b"=").decode()
                    self.assertEqual((digest, size), ("sha256=" + text, str(path.stat().st_size)), path)

    def libraries(self, tree):
        return {path.name: path.read_bytes() for path in tree.package.glob("*.so")}


class Versions(ApplyTest):
    def check(self, version, av, major):
        tree = self.tree(version, av=av)
        untouched = tree.content()
        target = self.apply(tree, loads=[major])
        self.assertEqual(target["ffmpeg"]["source"], "pyav")
        self.assertEqual(target["summary"]["changed"], len(list(tree.package.glob("*.so"))))
        # PyAV's libraries have no search paths, and need each other.
        kind, entries = search_paths(tree.library("core", major))
        self.assertEqual(kind, "RPATH")
        self.assertEqual([entry for entry in entries if "nvidia" not in entry], [TORCH, PYAV])
        # A major without FFmpeg gets the path to torch, and nothing of PyAV's.
        self.assertIn(TORCH, search_paths(tree.library("core", 5))[1])
        self.assertNotIn(PYAV, search_paths(tree.library("core", 5))[1])
        for role in ("custom_ops", "pybind_ops"):
            if tree.library(role, major).exists():
                self.assertEqual([name for name in needed(tree.library(role, major)) if "libpython" in name], [])
        tcfix("undo", tree.root)
        self.assertEqual(tree.content(), untouched)
        self.assertEqual(run("diff", "-r", wheel("torchcodec", version) / "torchcodec", tree.package).stdout, "")

    def test_pyav_15_is_ffmpeg_7(self):
        for version in VERSIONS:
            with self.subTest(version):
                self.check(version, "15.1.0", 7)

    def test_pyav_16_is_ffmpeg_8(self):
        for version in VERSIONS:
            with self.subTest(version):
                self.check(version, "16.0.1", 8)


class Libraries(ApplyTest):
    """Libraries that belong to no major."""

    def test_grafted_and_cuda(self):
        tree = self.tree("0.17.0", av="15.1.0", cuda=False)
        image, lone = tree.package / "libtorchcodec_image.so", tree.package / "libtorchcodec_pybind_ops.so"
        # Without CUDA's libraries nothing loads; their directory is only written if it exists.
        self.apply(tree, loads=[])
        self.assertEqual(search_paths(image), ("RPATH", ["$ORIGIN/../torchcodec.libs", TORCH]))
        tree.add_cuda()
        nvidia = "$ORIGIN/../nvidia/cu13/lib"
        self.apply(tree, loads=[7])
        self.assertEqual(search_paths(image), ("RPATH", ["$ORIGIN/../torchcodec.libs", TORCH, nvidia]))
        self.assertEqual(search_paths(lone), ("RUNPATH", [TORCH, nvidia]))
        for preload in ((), tree.torch()):
            self.assertEqual(tree.ld_so([image, lone], preload), ["loaded", "loaded"])

    def test_grafted_directory_without_search_path(self):
        tree = self.tree("0.17.0", av="15.1.0")
        image = tree.package / "libtorchcodec_image.so"
        tcfix("edit", "--remove-rpath", "$ORIGIN/../torchcodec.libs", image)
        self.assertNotEqual(tree.ld_so([image]), ["loaded"])
        self.apply(tree, loads=[7])
        self.assertIn("$ORIGIN/../torchcodec.libs", search_paths(image)[1])
        self.assertEqual(tree.ld_so([image]), ["loaded"])


class Kinds(ApplyTest):
    """RUNPATH or RPATH: the kind that loads; if both do, the current one, else RUNPATH."""

    def test_ffmpeg_without_search_paths_needs_rpath(self):
        tree = self.tree()
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        target = self.apply(tree, "--ffmpeg", ffmpeg, loads=[7])
        self.assertEqual(target["ffmpeg"], {"major": 7, "path": str(ffmpeg), "source": "option"})
        self.assertEqual(search_paths(tree.library("core")), ("RPATH", [TORCH, str(ffmpeg)]))

    def test_ffmpeg_with_search_paths_gets_runpath(self):
        tree = self.tree()
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0", "--add-rpath", "$ORIGIN")
        for path in ffmpeg.iterdir():
            tcfix("edit", "--add-rpath", "$ORIGIN", path)
        self.apply(tree, "--ffmpeg", ffmpeg, loads=[7])
        self.assertEqual(search_paths(tree.library("core")), ("RUNPATH", [TORCH, str(ffmpeg)]))

    def test_current_kind_is_kept(self):
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        for path in ffmpeg.iterdir():
            tcfix("edit", "--add-rpath", "$ORIGIN", path)
        for kind in ("rpath", "runpath"):
            tree = self.tree()
            for path in tree.package.glob("*.so"):
                tcfix("edit", "--add-rpath", "/opt/somebody", "--rpath-kind", kind, path)
            self.apply(tree, "--ffmpeg", ffmpeg, loads=[7])
            self.assertEqual(search_paths(tree.library("core")),
                             (kind.upper(), ["/opt/somebody", TORCH, str(ffmpeg)]))

    def test_runpath_would_hide_a_library_found_by_python(self):
        """A Python with DT_RPATH, such as conda's, already finds FFmpeg; a RUNPATH would disable that."""
        tree = self.tree(python=("-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/../lib"))
        private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        for path in (self.folder / "ffmpeg").iterdir():
            path.rename(tree.root / "lib" / path.name)
        tree.stand_ins.libpython(tree.root / "lib" / "libpython3.12.so.1.0")
        self.assertTrue(tree.real(7, preloaded=True))
        self.assertEqual(tcfix_json("apply", "-n", tree.root)["targets"][0]["loads"]["before"], True)
        target = tcfix_json("apply", tree.root)["targets"][0]
        self.assertEqual(target["loads"], {"before": True, "after": True})
        self.assertEqual(target["loads_bare"], {"before": False, "after": True})
        self.assertEqual(self.majors_that_load(tree), {"loads": {7}, "loads_bare": {7}})
        self.assertEqual(search_paths(tree.library("core")), ("RPATH", [TORCH]))
        self.assertIn("libpython3.12.so.1.0", needed(tree.library("custom_ops")))

    def test_conda(self):
        tree = self.conda_tree()
        tcfix("apply", tree.root)
        self.assertEqual(self.majors_that_load(tree), {"loads": {7}, "loads_bare": {7}})


class Libpython(ApplyTest):
    def test_kept_if_something_provides_it(self):
        """Also one in a directory that only the user's --rpath contains."""
        tree = self.tree(av="15.1.0")
        tree.stand_ins.libpython(tree.root / "lib" / "libpython3.12.so.1.0")
        self.apply(tree, "--rpath", "$ORIGIN/../../..", loads=[7])
        self.assertIn("libpython3.12.so.1.0", needed(tree.library("custom_ops")))
        self.assertEqual(search_paths(tree.library("custom_ops"))[1], ["$ORIGIN/../../..", TORCH, PYAV])


class World(ApplyTest):
    def test_plans_ignore_loader_variables(self):
        """LD_LIBRARY_PATH is not set in the next shell."""
        tree, same = self.tree(av="15.1.0"), self.tree(av="15.1.0")
        tcfix("apply", tree.root)
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        with unittest.mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": f"{same.site}/torch/lib:{ffmpeg}"}):
            tcfix("apply", same.root)
        self.assertEqual(self.libraries(same), self.libraries(tree))
        self.assertEqual(self.majors_that_load(same)["loads_bare"], {7})

    def test_converges(self):
        """Whatever was applied before, the result equals that of a first run."""
        tree = self.tree(av="15.1.0")
        untouched = {name: data for name, data in tree.content().items() if name.startswith("torchcodec")}
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "15.1.0")
        before = []
        for av, options, major in (("15.1.0", (), 7), ("16.0.1", (), 8), (None, (), None),
                                   (None, ("--ffmpeg", ffmpeg), 7), ("15.1.0", (), 7),
                                   ("15.1.0", ("--ffmpeg", "none"), None)):
            with self.subTest(av=av, options=options):
                tree.uninstall("av")
                if av:
                    tree.install("av", av)
                tcfix("apply", *options, tree.root, check=0 if major else 4)
                fresh = self.tree(av=av)
                tcfix("apply", *options, fresh.root, check=0 if major else 4)
                self.assertEqual(self.libraries(tree), self.libraries(fresh))
                loads = {major} if major else set()
                self.assertEqual(self.majors_that_load(tree), {"loads": loads, "loads_bare": loads})
                self.check_record(tree)
                self.check_second_run(tree, options, 0 if major else 4)
        tcfix("undo", tree.root)
        self.assertEqual({name: data for name, data in tree.content().items() if name.startswith("torchcodec")},
                         untouched)

    def test_changes_since_the_last_run_are_reported(self):
        tree = self.tree(av="15.1.0")
        tcfix("apply", tree.root)
        tree.uninstall("av")
        tree.install("av", "16.0.1")
        edits = {os.path.basename(file["path"]): [edit["op"] for edit in file["edits"]]
                 for file in tcfix_json("apply", tree.root)["targets"][0]["files"]}
        renames = ["rename_dependency"] * 7
        self.assertEqual(edits["libtorchcodec_core8.so"], ["add_rpath", "set_rpath_kind", *renames])
        self.assertEqual(edits["libtorchcodec_core7.so"], ["remove_rpath", "set_rpath_kind", *renames])
        self.assertEqual(edits["libtorchcodec_core6.so"], [])

    def test_both_pyavs_and_a_named_ffmpeg(self):
        """Every major gets its own FFmpeg, and the highest that loads is used."""
        tree = self.tree(av="15.1.0")
        ffmpeg = private_ffmpeg(self.folder / "ffmpeg", "16.0.1")
        target = self.apply(tree, "--ffmpeg", ffmpeg, loads=[8, 7])
        self.assertEqual(target["ffmpeg"], {"major": 8, "path": str(ffmpeg), "source": "option"})
        self.assertEqual(search_paths(tree.library("core", 7))[1], [TORCH, PYAV])
        self.assertEqual(search_paths(tree.library("core", 8))[1], [TORCH, str(ffmpeg)])

    def test_the_variable(self):
        """TCFIX_FFMPEG: one or more directories, after --ffmpeg and before all that is found; not with a sysroot."""
        tree = self.tree(av="15.1.0")
        mine = {7: private_ffmpeg(self.folder / "seven", "15.1.0"), 8: private_ffmpeg(self.folder / "eight", "16.0.1")}

        def entries(*options, variable, major, check=0):
            with unittest.mock.patch.dict(os.environ, {"TCFIX_FFMPEG": variable}):
                report = tcfix_json("apply", *options, tree.root, check=check)
            return report, search_paths(tree.library("core", major))[1]

        report, found = entries(variable=str(mine[7]), major=7)
        self.assertEqual(found, [TORCH, str(mine[7])])
        self.assertEqual(report["targets"][0]["ffmpeg"], {"major": 7, "path": str(mine[7]), "source": "variable"})
        self.assertEqual(self.majors_that_load(tree), {"loads": {7}, "loads_bare": {7}})
        report, found = entries(variable=f"{mine[7]}:{mine[8]}", major=8)
        self.assertEqual(found, [TORCH, str(mine[8])])
        self.assertEqual(self.majors_that_load(tree)["loads_bare"], {7, 8})
        relative = os.path.relpath(mine[7])
        self.assertEqual(entries(variable=relative, major=7)[1], [TORCH, str(mine[7])])
        self.assertEqual(entries("--ffmpeg", "av", variable=str(mine[7]), major=7)[1], [TORCH, PYAV])
        self.assertEqual(entries("--ffmpeg", "none", variable=str(mine[7]), major=7, check=4)[1], [TORCH])
        self.assertEqual(entries("--sysroot", "/", variable=str(mine[7]), major=7)[1], [TORCH, PYAV])
        report, found = entries(variable=f"{self.folder}/absent", major=7)
        self.assertEqual(found, [TORCH, PYAV])
        self.assertIn(f"{self.folder}/absent is not used: no such directory", report["warnings"][0]["message"])

    def test_an_environment_that_moves(self):
        tree = self.tree(av="15.1.0")
        self.apply(tree, loads=[7])
        moved = self.folder / "moved"
        tree.root.rename(moved)
        tree.root, tree.site = moved, moved / tree.site.relative_to(tree.root)
        tree.package, tree.python = tree.site / "torchcodec", moved / "bin" / "python3.12"
        self.assertEqual(self.majors_that_load(tree), {"loads": {7}, "loads_bare": {7}})


class Foreign(ApplyTest):
    """An environment for another machine, with and without its disk."""

    @classmethod
    def setUpClass(cls):
        absent = [tool for tool in ("aarch64-linux-gnu-gcc", "qemu-aarch64") if not find_tool(tool)]
        if absent:
            raise unittest.SkipTest("not installed: " + ", ".join(absent))

    def foreign(self, version):
        """A tree below self.folder, which is a system with a C library in its usual place."""
        lib = put_foreign_system(self.folder)
        stand_ins = self.stand_ins(version, "aarch64")
        put_zlib(lib, stand_ins, [wheel("av", "15.1.0", "aarch64"), wheel("torchcodec", version, "aarch64")])
        tree = Tree(self.folder / "home" / version, version, stand_ins)
        tree.install("av", "15.1.0")
        tree.add_cuda()
        tree.runner = ("qemu-aarch64", "-L", self.folder)
        return tree

    def check(self, tree, *options):
        self.assertEqual([major for major in tree.majors if tree.real(major, False)], [])
        untouched = tree.content()
        (target,) = tcfix_json("apply", *options, tree.root)["targets"]
        self.assertEqual([major for major in tree.majors if tree.real(major, False)], [7])
        self.assertEqual([major for major in tree.majors if tree.real(major, True)], [7])
        self.check_second_run(tree, options, 0)
        tcfix("undo", tree.root)
        self.assertEqual(tree.content(), untouched)
        return target

    def test_with_its_system(self):
        for version in ("0.13.0", "0.17.0"):
            with self.subTest(version):
                target = self.check(self.foreign(version), "--sysroot", self.folder)
                self.assertEqual((target["loads"], target["loads_bare"]),
                                 ({"before": False, "after": True},) * 2)
                path = f"/home/{version}/lib/python3.12/site-packages/av.libs"
                self.assertEqual(target["ffmpeg"], {"major": 7, "path": path, "source": "pyav"})

    def test_without_its_system(self):
        """The environment's own libraries are enough, and base libraries are assumed to exist."""
        target = self.check(self.foreign("0.17.0"))
        self.assertEqual(target["loads"], {"before": None, "after": True})


if __name__ == "__main__":
    unittest.main()
