"""Every Mach-O library of the pinned macOS wheels, edited and checked by other tools."""
import os
import re
import shutil
import unittest
import zipfile

import harness
import macho_reader
from harness import FilesTest, find_tool, run, tcfix, tcfix_json

PATHS = ["@loader_path/../../torch/lib", "/opt/homebrew/lib"]
NUMPY = "numpy-1.26.4-cp312-cp312-macosx_11_0_arm64.whl"
ADD = [part for path in PATHS for part in ("--add-rpath", path)]


def libraries(pattern="*"):
    """Of torch's, torchcodec's and PyAV's wheels only."""
    folders = sorted(folder for folder in harness.wheels("macos").glob(f"{pattern}macosx*")
                     if re.match("(av|torch|torchcodec)-", folder.name))
    assert folders, f"no wheel matches {pattern}"
    found = sorted(path for folder in folders for path in folder.rglob("*")
                   if path.suffix in (".dylib", ".so") and not path.is_symlink())
    assert found, f"no library in the wheels {pattern}"
    return found


def large_pages():
    return sorted(harness.wheels("packages").glob("psycopg2_binary-*macosx*/**/_psycopg*.so"))


class Untouched(unittest.TestCase):
    def test_verify_accepts_published_files(self):
        """No rule about load commands or blobs may reject a published file."""
        folders = [folder for group in ("macos", "packages", "healthy")
                   for folder in harness.wheels(group).glob("*macosx*")]
        files = sorted({path for folder in folders for path in folder.rglob("*")
                        if path.suffix in (".dylib", ".so") and not path.is_symlink()})
        report = tcfix_json("verify", *files)
        self.assertEqual([file for file in report["files"] if not file["valid"]], [])
        self.assertGreater(len(report["files"]), 400)


class EditedWheels(FilesTest):
    def edited(self, pattern="*"):
        """Copies of the libraries, edited in one call. Libraries without header padding are excluded, but must be
        refused correctly."""
        pairs = self.copy(libraries(pattern))
        result = run(harness.TCFIX, "edit", *ADD, *[copy for _, copy in pairs])
        refused = set(re.findall(r"^error: (\S+): not enough header padding", result.stderr, re.M))
        self.assertEqual(result.returncode, 3 if refused else 0, result.stderr)
        for original, copy in pairs:
            if str(copy) in refused:
                self.assertEqual(original.read_bytes(), copy.read_bytes())
        self.assertLess(len(refused), 5, "room is scarce in PyAV's libx264 and few others")
        return [pair for pair in pairs if str(pair[1]) not in refused]

    def test_an_independent_reader_confirms_paths_and_hashes(self):
        for original, copy in self.edited():
            with self.subTest(copy.name):
                for before, after in zip(macho_reader.read(original), macho_reader.read(copy)):
                    added = [path for path in PATHS if path not in before.rpaths]
                    self.assertEqual(after.rpaths, before.rpaths + added)
                    self.assertEqual(after.rpath_sizes[len(before.rpaths):],
                                     [{PATHS[0]: 48, PATHS[1]: 32}[path] for path in added])
                    self.assertEqual(after.dependencies, before.dependencies)
                    self.assertEqual(after.signature_problems(),
                                     ([], before.signature_problems()[1]))

    def test_nothing_changes_outside_load_commands_and_signature(self):
        for original, copy in self.edited():
            with self.subTest(copy.name):
                old, new = original.read_bytes(), copy.read_bytes()
                self.assertEqual(len(old), len(new))
                (before,) = macho_reader.read(original)
                begin, end = before.first_section, before.signature_range[0]
                self.assertEqual(old[begin:end], new[begin:end])
                if len(old) < 10_000_000:
                    self.assertLessEqual(harness.count_changed(old, new), 200)

    def test_llvm_reads_the_result(self):
        otool = find_tool("llvm-otool-19", "llvm-otool")
        objdump = find_tool("llvm-objdump-19", "llvm-objdump")
        if not otool or not objdump:
            self.skipTest("llvm-otool and llvm-objdump are not installed")
        for _, copy in self.edited("torchcodec-0.*"):
            with self.subTest(copy.name):
                listing = run(otool, "-l", copy, check=0).stdout
                for path, size in zip(PATHS, (48, 32)):
                    self.assertRegex(listing, rf"cmdsize {size}\n\s+path {re.escape(path)} ")
                shown = run(objdump, "--macho", "--rpaths", copy, check=0).stdout
                self.assertLessEqual(set(PATHS), set(shown.split()))

    def test_lief_reads_the_result(self):
        try:
            import lief
        except ImportError:
            self.skipTest("LIEF is not installed")
        for _, copy in self.edited("torchcodec-0.*"):
            with self.subTest(copy.name):
                universal = lief.MachO.parse(str(copy))
                binary = universal.at(0)  # valid only as long as `universal`
                self.assertLessEqual(set(PATHS), {rpath.path for rpath in binary.rpaths})
                ok, message = lief.MachO.check_layout(binary)
                self.assertTrue(ok, message)

    def test_rcodesign_reads_the_signature(self):
        rcodesign = find_tool("rcodesign") or os.environ.get("RCODESIGN")
        if not rcodesign:
            self.skipTest("rcodesign is not installed (cargo install apple-codesign)")
        for original, copy in self.edited("torchcodec-0.9.1*"):
            with self.subTest(copy.name):
                # It reports the empty CMS wrapper that codesign itself writes: it must not report anything about the
                # result that it did not report about the original.
                before, after = (run(rcodesign, "verify", path) for path in (original, copy))
                self.assertEqual(after.stderr.replace(str(copy), ""),
                                 before.stderr.replace(str(original), ""))
                info = run(rcodesign, "print-signature-info", copy, check=0).stdout
                self.assertIn("CodeSignatureFlags(ADHOC)", info)

    def test_a_second_run_writes_nothing(self):
        pairs = self.edited("torchcodec-0.*")
        stats = [copy.stat() for _, copy in pairs]
        out = tcfix("edit", *ADD, *[copy for _, copy in pairs]).stdout
        self.assertIn("nothing to do", out)
        for (_, copy), stat in zip(pairs, stats):
            now = copy.stat()
            self.assertEqual((now.st_ino, now.st_mtime_ns), (stat.st_ino, stat.st_mtime_ns))

    def test_undo_restores_the_originals(self):
        pairs = self.copy(libraries("torchcodec-0.9.1*"))
        journal = self.folder / "journal.json"
        copies = [copy for _, copy in pairs]
        tcfix("edit", "--journal", journal, *ADD, *copies)
        tcfix("edit", "--journal", journal, "--prepend-rpath", "/first", "--rename-dependency",
              "/usr/lib/libSystem.B.dylib=/usr/lib/libOther.dylib", *copies)
        report = tcfix_json("undo", "--journal", journal)
        self.assertEqual(len(report["targets"][0]["restored"]), len(copies))
        for original, copy in pairs:
            self.assertEqual(original.read_bytes(), copy.read_bytes())
            self.assertEqual(original.stat().st_mtime_ns, copy.stat().st_mtime_ns)
        report = tcfix_json("undo", "--journal", journal)
        self.assertEqual(report["targets"][0]["restored"], [])


class SignedAgain(FilesTest):
    def test_the_identifier_is_the_one_that_codesign_chose(self):
        """The signature is destroyed, so tcfix must derive the identifier like codesign."""
        compared = 0
        for original, copy in self.copy(libraries("torchcodec-*") + libraries("av-*")):
            (before,) = macho_reader.read(original)
            problems, identifier = before.signature_problems()
            self.assertEqual(problems, [])
            start, room = before.signature_range
            with open(copy, "r+b") as file:
                file.seek(start)
                file.write(bytes(room))
            tcfix("verify", copy, check=1)
            tcfix("sign", copy)
            (after,) = macho_reader.read(copy)
            with self.subTest(copy.name):
                self.assertEqual(after.signature_problems(), ([], identifier))
                compared += 1
        self.assertGreater(compared, 100)

    def test_pages_keep_their_size_so_that_no_file_grows(self):
        """codesign hashes pages of 16 KiB in newer files, and of 4 KiB in others."""
        seen = set()
        for original, copy in self.copy(libraries("torchcodec-0.9.1*") + large_pages()):
            (before,) = macho_reader.read(original)
            data = bytearray(original.read_bytes())
            data[before.first_section] ^= 1  # the first byte after the header
            copy.write_bytes(data)
            tcfix("verify", copy, check=1)
            tcfix("sign", copy)
            with self.subTest(copy.name):
                (after,) = macho_reader.read(copy)
                self.assertEqual(after.signature_problems()[0], [])
                self.assertEqual(after.page_sizes, before.page_sizes)
                self.assertEqual(after.signature_range, before.signature_range)
                self.assertEqual(copy.stat().st_size, original.stat().st_size)
                seen.update(after.page_sizes)
        self.assertEqual(seen, {0x1000, 0x4000})

    def test_a_valid_signature_is_kept_even_with_a_duplicate_search_path(self):
        original, copy = self.folder / "original.dylib", self.folder / "copy.dylib"
        with zipfile.ZipFile(harness.archives(NUMPY) / NUMPY) as wheel:
            original.write_bytes(wheel.read("numpy/.dylibs/libopenblas64_.0.dylib"))
        shutil.copy2(original, copy)
        (before,) = macho_reader.read(original)
        self.assertLess(len(set(before.rpaths)), len(before.rpaths), "the wheel's own flaw")
        (file,) = tcfix_json("sign", copy)["files"]
        self.assertEqual((file["status"], file["edits"]), ("unchanged", []))
        self.assertEqual(copy.read_bytes(), original.read_bytes())
        tcfix("edit", "--add-rpath", before.rpaths[0], copy)
        (after,) = macho_reader.read(copy)
        self.assertEqual(after.rpaths, list(dict.fromkeys(before.rpaths)))
        self.assertEqual(after.signature_problems()[0], [])

    def test_a_signature_removed_by_lief_is_built_again(self):
        try:
            import lief
        except ImportError:
            self.skipTest("LIEF is not installed")
        for _, copy in self.copy(libraries("torchcodec-0.9.1*")):
            with self.subTest(copy.name):
                universal = lief.MachO.parse(str(copy))
                binary = universal.at(0)
                binary.remove_signature()
                binary.write(str(copy))
                self.assertIsNone(macho_reader.read(copy)[0].signature_range)
                tcfix("verify", copy, check=1)
                tcfix("edit", *ADD, copy)
                (after,) = macho_reader.read(copy)
                self.assertEqual(after.signature_problems()[0], [])
                start, room = after.signature_range
                self.assertEqual(start + room, copy.stat().st_size)
                tcfix("verify", copy)


if __name__ == "__main__":
    unittest.main()
