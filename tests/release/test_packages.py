"""scripts/releasing with dummy programs: installers and independent readers accept the files."""
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "scripts"))

from releasing import archives, bill, machine, macho, packages, sources, toolchain, wheels
from releasing.archives import Member
from releasing.targets import TARGETS, UNIVERSAL, contents_of, host_target

PROGRAM = b"#!/bin/sh\necho made up\n"
GENERATED = {"man/man1/tcfix.1": b".TH tcfix 1\n", "zsh/site-functions/_tcfix": b"#compdef tcfix\n"}
LICENCES = [Member("linked/llvm.txt", b"a licence\n")]


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def wheel(self, tag="any", directory=None):
        directory = directory or self.directory
        directory.mkdir(exist_ok=True)
        return wheels.write_wheel(directory, PROJECT, tag, Member("tcfix", PROGRAM, True), GENERATED, LICENCES)


class Wheels(ReleaseTest):
    def test_pip_installs_it_and_verifies_every_hash(self):
        # The platform is `any`, so that the wheel can be installed everywhere. pip does not check the hashes
        # of RECORD; `wheel unpack` does.
        wheel = self.wheel()
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                        "--disable-pip-version-check", "--prefix", self.directory / "prefix", wheel], check=True)
        program = self.directory / "prefix" / "bin" / "tcfix"
        self.assertEqual(program.read_bytes(), PROGRAM)
        self.assertTrue(os.access(program, os.X_OK))
        self.assertEqual((self.directory / "prefix/share/man/man1/tcfix.1").read_bytes(), GENERATED["man/man1/tcfix.1"])
        unpack = [sys.executable, "-m", "wheel", "unpack", "--dest", self.directory / "unpacked", wheel]
        subprocess.run(unpack, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel],
                                        stdout=subprocess.DEVNULL).returncode, 0)

    def test_a_wrong_hash_is_noticed(self):
        wheel = self.wheel()
        broken = self.directory / "broken" / wheel.name
        broken.parent.mkdir()
        with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(broken, "w") as copy:
            for info in archive.infolist():
                content = archive.read(info)
                copy.writestr(info, content + b"#" if info.filename.endswith("/tcfix") else content)
        unpack = [sys.executable, "-m", "wheel", "unpack", "--dest", self.directory / "unpacked", broken]
        self.assertNotEqual(subprocess.run(unpack, capture_output=True).returncode, 0)

    def test_pip_chooses_by_platform(self):
        """`pip download --platform` selects the right wheel from a directory with all of them."""
        for target in TARGETS.values():
            self.wheel(target.wheel_tag, self.directory / "all")
        asked = {"macos-arm64": "macosx_14_0_arm64", "macos-x86_64": "macosx_13_0_x86_64",
                 "windows-x86_64": "win_amd64", "windows-arm64": "win_arm64",
                 "linux-x86_64": "manylinux_2_28_x86_64", "linux-aarch64": "manylinux_2_28_aarch64",
                 "musl-x86_64": "musllinux_1_2_x86_64", "musl-aarch64": "musllinux_1_2_aarch64"}
        self.assertEqual(set(asked), set(TARGETS))
        for name, tag in asked.items():
            older = [tag.replace("2_28", "2_17"), tag.replace("14_0", "11_0").replace("13_0", "11_0")]
            options = [word for each in (tag, *older) for word in ("--platform", each)]
            taken = self.directory / name
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                            "--no-index", "--no-deps", "--only-binary", ":all:", "--find-links",
                            self.directory / "all", "--dest", taken, *options, "tcfix"], check=True)
            self.assertEqual([each.name.rsplit("-", 1)[1] for each in taken.iterdir()],
                             [TARGETS[name].wheel_tag + ".whl"])

    def test_equal_input_gives_equal_bytes(self):
        first = self.wheel().read_bytes()
        with unittest.mock.patch("time.time", lambda: 2e9):
            self.assertEqual(self.wheel(directory=self.directory / "again").read_bytes(), first)

    def test_an_unknown_field_of_the_project_is_an_error(self):
        for name in ("CMakeLists.txt", "README.md", "pyproject.toml"):
            shutil.copy(PROJECT / name, self.directory)
        settings = self.directory / "pyproject.toml"
        settings.write_text(settings.read_text().replace("[project]\n", '[project]\ndependencies = ["av"]\n'))
        with self.assertRaisesRegex(SystemExit, "dependencies"):
            wheels.metadata(self.directory)


class Archives(ReleaseTest):
    MEMBERS = [Member("tcfix", PROGRAM, True), Member("LICENSE", b"text"), Member("completions/_tcfix", b"#")]

    def test_tar_and_zip_hold_the_same_in_one_directory(self):
        tar, zipped = self.directory / "tcfix-1-linux.tar.gz", self.directory / "tcfix-1-linux.zip"
        archives.write_archive(tar, self.MEMBERS)
        archives.write_archive(zipped, self.MEMBERS)
        for path, command in ((tar, ["tar", "xzf", tar]), (zipped, [sys.executable, "-m", "zipfile", "-e", zipped, "."])):
            target = self.directory / path.suffix
            target.mkdir()
            subprocess.run(command, cwd=target, check=True)
            found = {str(each.relative_to(target)): each.read_bytes() for each in target.rglob("*") if each.is_file()}
            self.assertEqual(found, {"tcfix-1-linux/" + each.path: each.content for each in self.MEMBERS})
        self.assertTrue(os.access(self.directory / ".gz" / "tcfix-1-linux" / "tcfix", os.X_OK))

    def test_order_time_and_owner_do_not_count(self):
        first, second = self.directory / "a.tar.gz", self.directory / "b" / "a.tar.gz"
        second.parent.mkdir()
        archives.write_archive(first, self.MEMBERS)
        with unittest.mock.patch("time.time", lambda: 2e9):
            archives.write_archive(second, self.MEMBERS[::-1])
        self.assertEqual(first.read_bytes(), second.read_bytes())
        with tarfile.open(first) as tar:
            self.assertEqual({(each.mtime, each.uid, each.uname) for each in tar}, {(0, 0, "")})


class Universal(unittest.TestCase):
    def test_each_slice_keeps_its_bytes(self):
        slices = {name: name.encode() * 3000 for name in UNIVERSAL}
        joined = macho.join(slices)
        import lief  # an independent reader of the header; it cannot read the dummy slices
        self.assertEqual(joined[:8].hex(), "cafebabe00000002")
        self.assertTrue(lief.is_macho(list(joined)))
        for index, name in enumerate(UNIVERSAL):
            offset, size, align = (int.from_bytes(joined[16 + 20 * index + at:][:4], "big") for at in (0, 4, 8))
            self.assertEqual(joined[offset:offset + size], slices[name])
            self.assertEqual(offset % (1 << align), 0)


class Strip(ReleaseTest):
    """Links with LLVM's linker instead of zig's: it also signs an arm64 library."""

    SOURCE = ("extern int other(int); static __attribute__((noinline)) int secret(int x) { return other(x) * 3; }"
              "int open_one(int x) { return secret(x) + secret(x + 1); }")

    def library(self, processor):
        compiler, linker = shutil.which("clang-19"), shutil.which("ld64.lld-19")
        if not compiler or not linker or not shutil.which("llvm-objdump-19"):
            self.skipTest("clang-19, ld64.lld-19 or llvm-objdump-19 is not installed")
        source, obj, library = (self.directory / name for name in ("a.c", "a.o", "liba.dylib"))
        source.write_text(self.SOURCE)
        subprocess.run([compiler, "-target", f"{processor}-apple-macos11", "-O1", "-c", source, "-o", obj], check=True)
        subprocess.run([linker, "-arch", processor, "-platform_version", "macos", "11.0", "14.0", "-dylib",
                        "-undefined", "dynamic_lookup", "-o", library, obj], check=True)
        return library

    def test_only_what_the_loader_reads_stays(self):
        import lief
        for processor in ("x86_64", "arm64"):
            library = self.library(processor)
            before = lief.MachO.parse(str(library)).at(0)
            stripped = self.directory / "stripped.dylib"
            stripped.write_bytes(macho.strip(library.read_bytes()))
            after = lief.MachO.parse(str(stripped)).at(0)
            self.assertLess(stripped.stat().st_size, library.stat().st_size)
            self.assertIn("_secret", [each.name for each in before.symbols])
            names = [each.name for each in after.symbols]
            self.assertNotIn("_secret", names)
            self.assertLessEqual({"_open_one", "_other"}, set(names))
            self.assertEqual(lief.MachO.check_layout(after), (True, ""))
            self.assertFalse(after.has_code_signature)
            # The stubs still refer to their functions.
            dumps = [subprocess.run(["llvm-objdump-19", "--macho", "--indirect-symbols", path], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout for path in (library, stripped)]
            rows = [[(line.split()[0], line.split()[-1]) for line in dump.splitlines() if line.startswith("0x")]
                    for dump in dumps]
            self.assertEqual(*rows)
            self.assertIn("_other", {name for _, name in rows[0]})

    def test_a_second_time_changes_nothing(self):
        once = macho.strip(self.library("x86_64").read_bytes())
        self.assertEqual(macho.strip(once), once)


class Bill(ReleaseTest):
    def document(self, *names):
        return json.loads(bill.bill("1.2", {name: hashlib.sha256(name.encode()).hexdigest() for name in names}))

    def test_it_lists_what_each_program_contains(self):
        document = self.document("macos-arm64", "musl-x86_64", "windows-x86_64")
        known = {each["bom-ref"] for each in document["components"]} | {"tcfix"}
        linked = {each["ref"]: {name.split("@")[0] for name in each["dependsOn"]} for each in document["dependencies"]}
        for each in document["dependencies"]:
            self.assertLessEqual({each["ref"], *each["dependsOn"]}, known)
        self.assertIn("openssl", linked["program-musl-x86_64"])
        self.assertIn("musl", linked["program-musl-x86_64"])
        self.assertNotIn("openssl", linked["program-macos-arm64"])
        self.assertIn("mingw-w64-runtime", linked["program-windows-x86_64"])
        self.assertTrue(all(each.get("version") or each["type"] == "file" for each in document["components"]))
        program, = (each for each in document["components"] if each["bom-ref"] == "program-macos-arm64")
        self.assertEqual(program["hashes"][0]["content"], hashlib.sha256(b"macos-arm64").hexdigest())

    def test_the_published_schema_accepts_it(self):
        try:
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
        except ImportError:
            self.skipTest("cyclonedx-python-lib is not installed (scripts/bootstrap --tests)")
        validator = JsonStrictValidator(SchemaVersion.V1_5)
        text = json.dumps(self.document(*TARGETS))
        self.assertIsNone(validator.validate_str(text))
        self.assertIsNotNone(validator.validate_str(text.replace('"library"', '"lib"')))

    def test_a_program_of_an_earlier_run_stays_in_it(self):
        for name in ("linux-x86_64", "windows-x86_64", "macos-universal"):
            target = contents_of(name)
            path = packages.archive_path(self.directory, wheels.version_of(PROJECT), name, target.archive_suffix)
            archives.write_archive(path, [Member(target.program, name.encode(), True), Member("LICENSE", b"text")])
            document = json.loads(packages.write_bill(PROJECT, self.directory).read_text())
        hashes = {each["name"].split("/")[0]: each["hashes"][0]["content"] for each in document["components"]
                  if each["type"] == "file"}
        self.assertEqual(hashes, {name: hashlib.sha256(name.encode()).hexdigest()
                                  for name in ("linux-x86_64", "windows-x86_64", "macos-universal")})

    def test_the_same_programs_give_the_same_bill(self):
        self.assertEqual(self.document("linux-x86_64"), self.document("linux-x86_64"))


class Sources(ReleaseTest):
    def test_only_the_pinned_bytes_are_accepted(self):
        right, wrong = self.directory / "right", self.directory / "wrong"
        for mirror, content in ((wrong, b"other bytes"), (right, b"the bytes")):
            (mirror / "p").mkdir(parents=True)
            (mirror / "p" / "x.tar.gz").write_bytes(content)
        digest = hashlib.sha256(b"the bytes").hexdigest()
        source = sources.Source("x", "1", "p/x.tar.gz", digest, "MIT", "LICENSE", "", "")
        urls = tuple(f"file://{mirror}/" for mirror in (self.directory / "absent", wrong, right))
        with unittest.mock.patch.object(sources, "MIRRORS", urls):
            self.assertEqual(sources.download(source, self.directory / "kept").read_bytes(), b"the bytes")
        with unittest.mock.patch.object(sources, "MIRRORS", urls[:2]):
            with self.assertRaisesRegex(SystemExit, "hash differs"):
                sources.download(source, self.directory / "other")
            self.assertEqual(list((self.directory / "other").iterdir()), [])
            # An existing archive is not fetched again, unless it was changed.
            self.assertTrue(sources.download(source, self.directory / "kept"))
            (self.directory / "kept" / "x.tar.gz").write_bytes(b"cut off")
            with self.assertRaises(SystemExit):
                sources.download(source, self.directory / "kept")

    def test_only_what_is_kept_is_unpacked(self):
        path = self.directory / "downloads" / "x.tar.gz"
        path.parent.mkdir()
        archives.write_archive(path, [Member("lib/a.c", b"a"), Member("lib/b/c.c", b"c"), Member("test/d.c", b"d")])
        source = sources.Source("x", "1", "p/x.tar.gz", sources.sha256_of(path), "MIT", "", "", "", keep=("lib/",))
        unpacked = sources.unpack(source, self.directory)
        found = sorted(str(each.relative_to(unpacked)) for each in unpacked.rglob("*") if each.is_file())
        self.assertEqual(found, ["lib/a.c", "lib/b/c.c"])


class Checksums(ReleaseTest):
    def test_sha256sum_reads_them(self):
        for name in ("b.whl", "a.tar.gz"):
            (self.directory / name).write_text(name)
        packages.write_checksums(self.directory)
        check = [shutil.which("sha256sum") or "shasum", "-c", "SHA256SUMS"]
        self.assertEqual(subprocess.run(check, cwd=self.directory, capture_output=True).returncode, 0)
        (self.directory / "b.whl").write_text("changed")
        self.assertNotEqual(subprocess.run(check, cwd=self.directory, capture_output=True).returncode, 0)


class Machine(ReleaseTest):
    def missing_with(self, *programs):
        """What is missing on a machine with these programs alone, each of which does nothing and succeeds."""
        for name in programs:
            path = self.directory / name
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"PATH": str(self.directory)}):
            return machine.missing_packages()

    def test_each_missing_package_is_named(self):
        self.assertEqual(self.missing_with("cmake", "dpkg-deb"), ["make", "ninja-build", "perl"])
        with self.assertRaisesRegex(SystemExit, "apt-get install make ninja-build perl$"), \
                unittest.mock.patch.dict(os.environ, {"PATH": str(self.directory)}):
            machine.check_packages()
        self.assertEqual(self.missing_with(*machine.PROGRAMS), [])

    def test_a_perl_without_modules_is_not_enough(self):
        self.missing_with(*machine.PROGRAMS)
        (self.directory / "perl").write_text("#!/bin/sh\nexit 2\n")
        with unittest.mock.patch.dict(os.environ, {"PATH": str(self.directory)}):
            self.assertEqual(machine.missing_packages(), ["perl"])


class Targets(unittest.TestCase):
    def test_the_host_program_is_a_target(self):
        if platform.system() != "Linux":
            self.skipTest("releases are made on Linux")
        self.assertIn(host_target().name, TARGETS)

    def test_the_pinned_zig_exists_for_both_processors(self):
        self.assertEqual({len(each) for each in toolchain.ZIG_HASHES.values()}, {64})


if __name__ == "__main__":
    unittest.main()
