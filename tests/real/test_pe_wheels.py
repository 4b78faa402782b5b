"""PE files of real wheels: torchcodec, torch and PyAV for Windows, checked by pefile, LIEF and llvm-readobj, and
loaded by Wine."""
import hashlib
import pathlib
import shutil
import tempfile
import unittest
import zipfile

import lief
import pefile

from harness import FilesTest, ROOT, archives, find_tool, run, tcfix, tcfix_json, wheels
from wine import WINE_TOOLS, start_wine, wine, windows_path

lief.logging.disable()
GCC = find_tool("x86_64-w64-mingw32-gcc")
READOBJ = find_tool("llvm-readobj-19", "llvm-readobj")
VERSIONS = ("0.8.1", "0.9.1", "0.17.0")
CONVERT = ("--delay", "av*", "--delay", "sw*", "--add-rpath", "$ORIGIN\\..\\av.libs")


def setUpModule():
    global WHEELS, TORCH, PYAV
    WHEELS = wheels("windows")
    TORCH = WHEELS / "torch-2.9.1-cp312-cp312-win_amd64" / "torch" / "lib"
    PYAV = WHEELS / "av-15.1.0-cp312-cp312-win_amd64" / "av.libs"


def torchcodec(version):
    return WHEELS / f"torchcodec-{version}-cp312-cp312-win_amd64" / "torchcodec"


def libraries(folder):
    return sorted(path for path in folder.glob("libtorchcodec*") if path.suffix in (".dll", ".pyd"))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def renames():
    """PyAV's DLLs have hashed names: avutil-59-<hash>.dll is avutil-59.dll."""
    options = []
    for path in sorted(PYAV.glob("av*.dll")) + sorted(PYAV.glob("sw*.dll")):
        options += ["--rename-dependency", f"{path.stem.rpartition('-')[0]}.dll={path.name}"]
    return options


def read_with_pefile(path):
    """{dependency: [symbols]} of ordinary and of delayed imports."""
    image = pefile.PE(str(path), fast_load=True)
    image.parse_data_directories(directories=[1, 13])
    tables = []
    for name in ("DIRECTORY_ENTRY_IMPORT", "DIRECTORY_ENTRY_DELAY_IMPORT"):
        table = {}
        for entry in getattr(image, name, []):
            symbols = [f"#{one.ordinal}" if one.import_by_ordinal else one.name.decode()
                       for one in entry.imports]
            table.setdefault(entry.dll.decode(), []).extend(symbols)
        tables.append(table)
    image.close()
    return tables


class OtherReaders(FilesTest):
    def test_inspect_agrees_with_pefile(self):
        for version in VERSIONS:
            for path in libraries(torchcodec(version)):
                seen = tcfix_json("inspect", "--symbols", path)["files"][0]
                ordinary, delayed = read_with_pefile(path)
                self.assertEqual([one["name"] for one in seen["dependencies"]], [*ordinary, *delayed])
                self.assertEqual([one["name"] for one in seen["imports"]],
                                 [name for table in (ordinary, delayed) for names in table.values()
                                  for name in names])
                self.assertEqual(seen["id"], path.name.replace(".cp312-win_amd64", ""))

    def test_every_export_of_torch(self):
        path = TORCH / "torch_cpu.dll"
        seen = tcfix_json("inspect", "--symbols", path)["files"][0]["exports"]
        image = lief.PE.parse(str(path))  # must outlive its parts
        expected = sorted(entry.name for entry in image.get_export().entries)
        self.assertEqual(len(seen), 60252)
        self.assertEqual(sorted(seen), expected)

    def test_converted_files_read_the_same_everywhere(self):
        for version in VERSIONS:
            for original, copy in self.copy_all(version):
                tcfix("edit", *CONVERT, "--delay", "*.dll", copy)
                before, after = read_with_pefile(original), read_with_pefile(copy)
                delayed = {name: symbols for name, symbols in before[0].items()
                           if name.upper() != "KERNEL32.DLL"}
                self.assertEqual(after[1], delayed)
                self.assertEqual(list(after[0]), ["KERNEL32.dll"])
                image = lief.PE.parse(str(copy))
                self.assertEqual(lief.PE.check_layout(image), (True, ""))
                self.assertEqual({one.name: [entry.name for entry in one.entries if entry.name]
                                  for one in image.delay_imports},
                                 {name: [s for s in symbols if not s.startswith("#")]
                                  for name, symbols in delayed.items()})
                if READOBJ:
                    shown = run(READOBJ, "--coff-imports", "--unwind", "--sections", copy, check=0)
                    self.assertNotIn("warning", shown.stderr)
                    self.assertEqual(shown.stdout.count("DelayImport {"), len(delayed))

    def test_a_second_run_changes_nothing_and_undo_restores_the_original(self):
        for version in VERSIONS:
            for original, copy in self.copy_all(version):
                tcfix("edit", *CONVERT, *renames(), copy)
                stamp = copy.stat().st_mtime_ns
                converted = digest(copy)
                again = tcfix_json("edit", *CONVERT, *renames(), copy)["files"][0]
                self.assertEqual((again["status"], digest(copy), copy.stat().st_mtime_ns),
                                 ("unchanged", converted, stamp))
                self.assertLess(copy.stat().st_size - original.stat().st_size, 9000)
                tcfix("edit", "--undelay", "*", "--remove-rpath", CONVERT[-1],
                      *(part for option in renames() if "=" in option
                        for part in ("--rename-dependency", "=".join(reversed(option.split("="))))), copy)
                self.assertEqual(digest(copy), digest(original))

    def test_journal_restores_it(self):
        original = torchcodec("0.9.1") / "libtorchcodec_core7.dll"
        ((_, copy),) = self.copy([original])
        journal = self.folder / "journal.json"
        tcfix("edit", "--journal", journal, *CONVERT, copy)
        tcfix("edit", "--journal", journal, "--delay", "c10.dll", "--add-rpath", "C:\\x", copy)
        self.assertNotEqual(digest(copy), digest(original))
        tcfix("undo", "--journal", journal)
        self.assertEqual(digest(copy), digest(original))

    def test_symbols_that_torch_lacks(self):
        # torchcodec 0.17 requires a newer torch; 0.9.1 fits this one.
        counts = {"0.9.1": 0, "0.17.0": 11}
        pairs = self.copy(torchcodec(version) / "libtorchcodec_core7.dll" for version in counts)
        for (_, copy), count in zip(pairs, counts.values()):
            for name in ("c10.dll", "torch_cpu.dll"):
                (copy.parent / name).symlink_to(TORCH / name)
            missing = tcfix_json("inspect", "--symbols", copy)["files"][0]["missing_symbols"]
            self.assertEqual(sum(len(each["symbols"]) for each in missing), count)
            if count:
                self.assertIn("torch_from_blob", missing[0]["symbols"])

    def test_certificate_is_dropped_only_on_request(self):
        original = torchcodec("0.17.0") / "jpeg8.dll"
        ((_, copy),) = self.copy([original])
        edits = ("--rename-dependency", "KERNEL32.dll=kernel32-of-another-name.dll", copy)
        self.assertIn("certificate", tcfix("edit", *edits, check=3).stderr)
        self.assertEqual(digest(copy), digest(original))
        tcfix("edit", "--replace-signature", *edits)
        self.assertFalse(lief.PE.parse(str(copy)).has_signatures)
        self.assertIn("kernel32-of-another-name.dll", read_with_pefile(copy)[0])

    def test_truncated_files_are_refused_and_not_changed(self):
        original = torchcodec("0.9.1") / "libtorchcodec_core7.dll"
        ((_, copy),) = self.copy([original])
        content = original.read_bytes()
        for length in (100, 300, 700, 1024, 5000, 200000, len(content) - 1):
            copy.write_bytes(content[:length])
            for command in (("inspect",), ("edit", *CONVERT)):
                self.assertIn(copy.name, tcfix(*command, copy, check=3).stderr)
            self.assertEqual(copy.read_bytes(), content[:length])

    def copy_all(self, version):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        return self.copy(libraries(torchcodec(version)))


@unittest.skipUnless(GCC and all(map(find_tool, WINE_TOOLS)), "wine or mingw-w64 is not installed")
class Loader(FilesTest):
    """Wine gives a missing import of torch a stub, so that 0.17.0 can be loaded with torch 2.9.1 as long as torch's
    DLLs are ordinary imports."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="tcfix-test-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.addClassCleanup(start_wine(pathlib.Path(folder) / "prefix"))
        cls.program = pathlib.Path(folder) / "loader.exe"
        run(GCC, "-O1", "-municode", ROOT / "tests" / "pe" / "sources" / "loader.c", "-o", cls.program,
            check=0)

    def environment(self, version):
        site = self.folder / version
        shutil.copytree(torchcodec(version), site / "torchcodec")
        (site / "torch").mkdir()
        (site / "torch" / "lib").symlink_to(TORCH)
        (site / "av.libs").symlink_to(PYAV)
        return site / "torchcodec"

    def verdicts(self, folder, preload=()):
        """{major: the loader's message}, highest major first, as torchcodec tries them."""
        cores = sorted(folder.glob("libtorchcodec_core*.dll"), reverse=True)
        lines = wine(self.program, *map(windows_path, [*preload, *cores]))
        lines = [line for line in lines if line == "loaded" or line.startswith("error ")]
        self.assertEqual(lines[:len(preload)], ["loaded"] * len(preload))
        return {int(core.stem[-1]): line for core, line in zip(cores, lines[len(preload):])}

    def test_only_the_installed_major_loads(self):
        for version in VERSIONS:
            folder = self.environment(version)
            torch = [folder.parent / "torch" / "lib" / name for name in ("c10.dll", "torch_cpu.dll")]
            before = self.verdicts(folder, torch)
            self.assertEqual(set(before.values()), {"error 126"})
            for core in folder.glob("libtorchcodec_core*.dll"):
                tcfix("edit", *CONVERT, *renames(), core)
            after = self.verdicts(folder, torch)
            self.assertEqual(after, {major: "loaded" if major == 7 else "error 1114" for major in before},
                             version)

    def test_ffmpeg_inside_the_wheel(self):
        """The libraries that `tcfix wheel --bundle-ffmpeg` adds are found under their own names."""
        ffmpeg = self.folder / "ffmpeg"
        shutil.copytree(PYAV, ffmpeg)
        back = [part if part.startswith("--") else "=".join(reversed(part.split("=")))
                for part in renames()]
        tcfix("edit", *back, *ffmpeg.glob("*.dll"))
        for names in back[1::2]:
            hashed, plain = names.split("=")
            (ffmpeg / hashed).rename(ffmpeg / plain)
        name = "torchcodec-0.9.1-cp312-cp312-win_amd64.whl"
        site = self.folder / "site"
        (made,) = tcfix_json("wheel", "-o", self.folder / "dist", "--bundle-ffmpeg", ffmpeg,
                             archives(name) / name)["wheels"]
        with zipfile.ZipFile(made["output"]) as archive:
            archive.extractall(site)
        shutil.rmtree(ffmpeg)
        (site / "torch").mkdir()
        (site / "torch" / "lib").symlink_to(TORCH)
        for path in (site / "torchcodec.libs").iterdir():
            self.assertRegex(path.name, r"-[0-9a-f]{8}\.dll$")
        verdicts = self.verdicts(site / "torchcodec")
        self.assertEqual([major for major, line in verdicts.items() if line == "loaded"], [7])

    def test_all_of_pyav_with_everything_delayed(self):
        # 34 DLLs of mingw-w64, with TLS callbacks, that depend on each other.
        folder = self.folder / "av.libs"
        shutil.copytree(PYAV, folder)
        files = sorted(folder.glob("*.dll"))
        tcfix("edit", "--delay", "*", "--add-rpath", "$ORIGIN", *files)
        self.assertEqual(wine(self.program, *map(windows_path, files)), ["loaded"] * len(files))

    def test_torch_is_found_by_the_list_too(self):
        for version in ("0.8.1", "0.9.1"):
            folder = self.environment(version)
            for core in folder.glob("libtorchcodec_core*.dll"):
                tcfix("edit", *CONVERT, *renames(), "--delay", "c10.dll", "--delay", "torch*.dll",
                      "--add-rpath", "$ORIGIN\\..\\torch\\lib", core)
            self.assertEqual({major: line == "loaded" for major, line in self.verdicts(folder).items()},
                             {8: False, 7: True, 6: False, 5: False, 4: False})


if __name__ == "__main__":
    unittest.main()
