"""Every ELF library of the pinned Linux wheels, edited and checked by other tools."""
import concurrent.futures
import platform
import shutil
import sys
import unittest

import elf_checks
import harness
from harness import FilesTest, run, tcfix, tcfix_json

PATHS = ["$ORIGIN/../torch/lib", "/opt/ffmpeg/lib"]
ADD = [part for path in PATHS for part in ("--add-rpath", path)]
LONG = "/no/such/folder/" + "x" * 400


def wheels(pattern="*manylinux*"):
    # The same cache has other packages for other tests.
    folders = sorted(path for path in harness.wheels("linux").glob(pattern)
                     if path.name.startswith(("torchcodec-", "av-")))
    assert folders, f"no wheel matches {pattern}"
    return folders


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries(pattern="*manylinux*"):
    found = sorted(path for folder in wheels(pattern) for path in folder.rglob("*.so*")
                   if is_elf(path) and not path.is_symlink())
    assert found, f"no library in the wheels {pattern}"
    return found


def is_arm(path):
    return any("aarch64" in part for part in path.parts)


def table_size(path):
    """The size of .dynstr, as read by readelf."""
    for line in run("readelf", "-SW", path, check=0).stdout.splitlines():
        if " .dynstr " in line:
            return int(line.split(" .dynstr ")[1].split()[3], 16)
    raise AssertionError(f"{path} has no .dynstr")


class EditedWheels(FilesTest):
    @classmethod
    def setUpClass(cls):
        elf_checks.require(*elf_checks.TOOLS, "strip", "aarch64-linux-gnu-strip")

    def for_each(self, pairs, check):
        """Runs check(original, copy), which returns problems, for all pairs."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (original, _), said in zip(pairs, pool.map(lambda pair: check(*pair), pairs)):
                with self.subTest(str(original)):
                    self.assertEqual(said, [])

    def test_two_entries_cost_few_bytes(self):
        pairs = self.copy(libraries())
        tcfix("edit", *ADD, *[copy for _, copy in pairs])
        for original, copy in pairs:
            with self.subTest(str(original)):
                old, new = original.read_bytes(), copy.read_bytes()
                self.assertLessEqual(harness.count_changed(old, new), 100)
                self.assertLessEqual(len(new) - len(old), table_size(original) + 4096)
                rpath = elf_checks.read_dynamic(copy)["rpath"].split(":")
                self.assertEqual(rpath[-2:], PATHS)
        stamps = [copy.stat().st_mtime_ns for _, copy in pairs]
        tcfix("edit", *ADD, *[copy for _, copy in pairs])
        self.assertEqual([copy.stat().st_mtime_ns for _, copy in pairs], stamps)

    def test_every_edit_is_accepted_by_every_tool_also_after_strip(self):
        def check(original, copy):
            before = elf_checks.complaints(original)
            needed = elf_checks.read_dynamic(original)["needed"][:1]
            rename = [part for name in needed for part in
                      ("--rename-dependency", f"{name}=lib{'q' * 150}.so.9")]
            tcfix("edit", "--prepend-rpath", LONG, "--set-id", f"lib{'z' * 200}.so", *rename,
                  "--add-dependency", "libm-added.so", copy)
            said = elf_checks.new_complaints(before, copy)
            wanted = elf_checks.read_dynamic(copy)
            if LONG not in wanted["rpath"] or "libm-added.so" not in wanted["needed"]:
                said.append(f"patchelf reads {wanted}")
            size = copy.stat().st_size
            tcfix("edit", "--replace-rpath", f"{LONG}=/short", copy)
            if copy.stat().st_size != size:
                said.append("a second edit did not reuse the room of the first")
            wanted = elf_checks.read_dynamic(copy)

            strip = "aarch64-linux-gnu-strip" if is_arm(original) else "strip"
            plain = copy.with_name("plain")
            run(strip, "-o", plain, original, check=0)
            run(strip, copy, check=0)
            said += ["stripped: " + line
                     for line in elf_checks.new_complaints(elf_checks.complaints(plain), copy)]
            if elf_checks.read_dynamic(copy) != wanted:
                said.append(f"after strip patchelf reads {elf_checks.read_dynamic(copy)}")
            tcfix("edit", "--add-rpath", LONG, copy)
            return said

        self.for_each(self.copy(libraries()), check)

    def test_undo_restores_the_original_bytes(self):
        pairs = self.copy(libraries("torchcodec-0.17*manylinux*"))
        journal = self.folder / "journal"
        tcfix("edit", "--journal", journal, "--add-rpath", LONG, *[copy for _, copy in pairs])
        tcfix("undo", "--journal", journal)
        for original, copy in pairs:
            self.assertEqual(original.read_bytes(), copy.read_bytes(), original)

    def test_lief_reads_the_same(self):
        import lief
        for original, copy in self.copy(libraries("torchcodec-0.17*linux*x86_64")):
            with self.subTest(str(original)):
                tcfix("edit", "--add-rpath", LONG, copy)
                binary = lief.ELF.parse(str(copy))
                seen = [entry for entry in binary.dynamic_entries
                        if isinstance(entry, (lief.ELF.DynamicEntryRunPath,
                                              lief.ELF.DynamicEntryRpath))]
                self.assertEqual(len(seen), 1)
                self.assertIn(LONG, str(seen[0]))
                self.assertEqual(list(binary.libraries),
                                 list(lief.ELF.parse(str(original)).libraries))

    @unittest.skipUnless(sys.platform == "linux" and platform.machine() == "x86_64",
                         "SKIPPED: loads libraries of Linux x86_64 into this process")
    def test_grafted_libraries_load_as_before(self):
        """All of a .libs directory, edited together, loaded by this machine's own loader."""
        for wheel in (*wheels("av-15.1.0*x86_64"), *wheels("torchcodec-0.17*linux*x86_64")):
            for folder in wheel.glob("*.libs"):
                copy = self.folder / folder.name
                shutil.copytree(folder, copy)
                files = sorted(path for path in copy.iterdir() if is_elf(path))
                before = [self.loads(folder / path.name) for path in files]
                tcfix("edit", "--add-rpath", LONG, *files)
                for path, could in zip(files, before):
                    with self.subTest(path.name):
                        self.assertEqual(self.loads(path), could)

    def loads(self, path):
        script = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
        result = run(sys.executable, "-c", script, path)
        return result.returncode, result.stderr.replace(str(path.parent), "").splitlines()[-1:]


@unittest.skipUnless(sys.platform == "linux" and platform.machine() == "x86_64",
                     "SKIPPED: asks the loader of Linux x86_64")
class InheritedRpath(FilesTest):
    """OpenCV's module has a DT_RPATH, which its bundled libraries need to find each other."""

    def setUp(self):
        super().setUp()
        (wheel,) = harness.wheels("inherited").glob("opencv_python-4.5.1*")
        shutil.copytree(wheel, self.folder / "site", copy_function=harness.link_or_copy)
        (self.module,) = (self.folder / "site/cv2").glob("cv2.*.so")
        (self.bundled,) = (self.folder / "site/opencv_python.libs").glob("libavformat-*")

    def missing(self):
        """The libraries that the real loader does not find for the module."""
        shown = run("env", "LD_TRACE_LOADED_OBJECTS=1", "/lib64/ld-linux-x86-64.so.2", self.module)
        return {line.split()[0] for line in shown.stdout.splitlines() if "not found" in line}

    def edit(self, *arguments):
        """The libraries in the warnings, and those that the real loader lost."""
        before = self.missing()
        report = tcfix_json("edit", *arguments)
        named = {name for warning in report["warnings"]
                 for name in warning["message"].partition("no longer found: ")[2]
                 .partition(" (add --rpath-kind rpath)")[0].split(", ")}
        return named, self.missing() - before

    def test_a_runpath_in_a_bundled_library(self):
        named, lost = self.edit("--add-rpath", "/opt/x", self.bundled)
        self.assertEqual(named, lost)
        self.assertGreater(len(lost), 1)

    def test_a_runpath_in_the_module(self):
        named, lost = self.edit("--rpath-kind", "runpath", self.module)
        self.assertEqual(named, lost)
        self.assertGreater(len(lost), 1)

    def test_harmless_edits(self):
        for edit in (["--add-rpath", "/opt/x", "--rpath-kind", "rpath", self.bundled],
                     ["--add-rpath", "/opt/x", self.module]):
            with self.subTest(edit):
                self.assertEqual(self.edit(*edit), (set(), set()))

    def test_a_runpath_that_finds_its_neighbours(self):
        self.assertEqual(self.edit("--add-rpath", "$ORIGIN", self.bundled), (set(), set()))


if __name__ == "__main__":
    unittest.main()
