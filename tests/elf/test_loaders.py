"""Small libraries, built by the test, loaded by real loaders before and after an edit.

Each test begins with the rule that it proves; each class runs them with another toolchain.
"""
import pathlib
import shutil
import struct
import sys
import unittest

import elf_checks
from elf_checks import run
from harness import TCFIX, FilesTest

LONG = "/no/such/folder/" + "x" * 300  # does not fit into any existing string table


class LoaderTests:
    cc = ["gcc"]
    strip_tool = "strip"
    runner = []
    has_cxx = False
    has_other_linkers = False
    # musl searches the directories of all libraries that require a library, regardless of the tag's kind, and
    # matches loaded libraries by file name, not by SONAME.
    is_musl = False

    @classmethod
    def setUpClass(cls):
        elf_checks.require(cls.cc[0], cls.strip_tool, *cls.runner[:1], *elf_checks.TOOLS)

    def setUp(self):
        super().setUp()
        (self.folder / "sub").mkdir()
        # The program that loads libraries and calls answer() in the last one.
        self.probe = self.build_program("probe", """
            #include <dlfcn.h>
            #include <stdio.h>
            int main(int count, char** names) {
              void* last = 0;
              for (int i = 1; i < count; ++i)
                if (!(last = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL))) return puts(dlerror()), 1;
              int (*answer)(void) = (int (*)(void))dlsym(last, "answer");
              printf("%d\\n", answer ? answer() : -1);
              return 0;
            }""", "-ldl")

    def compile(self, name, source, *options, suffix=".c", compiler=None):
        path = self.folder / name
        text = self.folder / (path.name + suffix)
        text.write_text(source)
        result = run(*(compiler or self.cc), text, "-o", path, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def build_library(self, name, source, *options, **more):
        soname = pathlib.Path(name).name
        return self.compile(name, source, "-shared", "-fPIC", "-Wl,-soname," + soname,
                            "-Wl,--build-id", *options, **more)

    def build_program(self, name, source, *options):
        return self.compile(name, source, *options)

    def link(self, library, *options):
        """Options that make a library depend on another one, with no search path."""
        return [f"-L{library.parent}", f"-l:{library.name}", f"-Wl,-rpath-link,{library.parent}",
                *options]

    def load(self, *paths, probe=None):
        result = run(*self.runner, probe or self.probe, *paths)
        return result.stdout.strip() + result.stderr.strip()

    def edit(self, path, *options, expect=0):
        """Edits; the checking tools must not report anything new, and a second run must not write."""
        before = elf_checks.complaints(path) if expect == 0 else None
        original = path.read_bytes()
        result = run(TCFIX, "edit", *options, path)
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        if expect:
            self.assertEqual(path.read_bytes(), original)
            return result
        self.assertEqual(elf_checks.new_complaints(before, path), [])
        once = path.read_bytes()
        self.assertEqual(run(TCFIX, "edit", *options, path).returncode, 0)
        self.assertEqual(path.read_bytes(), once)
        return result

    def strip(self, path):
        result = run(self.strip_tool, path)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")

    def pair(self, *options):
        """libtop.so, which needs sub/libdep.so and does not find it."""
        dep = self.build_library("sub/libdep.so", "int dep(void) { return 42; }")
        top = self.build_library("libtop.so",
                                 "int dep(void); int answer(void) { return dep(); }",
                                 *self.link(dep), *options)
        self.assertIn("libdep.so", self.load(top))
        return top, dep

    def test_runpath_is_searched(self):
        """A DT_RUNPATH entry with $ORIGIN is searched for the library's own dependencies."""
        top, _ = self.pair()
        self.edit(top, "--add-rpath", "$ORIGIN/sub")
        self.assertEqual(self.load(top), "42")

    def test_long_runpath_survives_strip_and_more_edits(self):
        """The new segment is mapped, survives strip, and later edits fit into it."""
        top, _ = self.pair()
        self.edit(top, "--add-rpath", LONG, "--add-rpath", "${ORIGIN}/sub")
        self.assertEqual(self.load(top), "42")
        size = top.stat().st_size
        self.edit(top, "--replace-rpath", LONG + "=/x")
        self.assertEqual(top.stat().st_size, size)
        for text in ("/after", LONG + "-again"):
            self.strip(top)
            self.assertEqual(self.load(top), "42")
            self.edit(top, "--prepend-rpath", text)
            self.assertEqual(self.load(top), "42")
        self.strip(top)
        self.assertEqual(self.load(top), "42")

    def test_patchelf_can_edit_the_result(self):
        """patchelf works on what tcfix wrote, and tcfix on what patchelf wrote."""
        top, _ = self.pair()
        self.edit(top, "--add-rpath", LONG)
        self.assertEqual(run("patchelf", "--add-rpath", LONG + "/patchelf", top).returncode, 0)
        self.edit(top, "--add-rpath", "$ORIGIN/sub", "--add-rpath", LONG + "/more")
        self.assertEqual(self.load(top), "42")

    def test_lief_reads_the_result(self):
        """LIEF sees the same search paths and dependencies as the loader."""
        script = ("import lief, sys; b = lief.parse(sys.argv[1]);"
                  "print([e.runpath for e in b.dynamic_entries if hasattr(e, 'runpath')],"
                  "      list(b.libraries), lief.ELF.check_layout(b)[0] "
                  "      if hasattr(lief.ELF, 'check_layout') else True)")
        top, _ = self.pair()
        self.edit(top, "--add-rpath", LONG, "--rename-dependency", "libdep.so=libother.so")
        said = run(sys.executable, "-c", script, top).stdout
        self.assertIn(LONG, said)
        self.assertIn("libother.so", said)

    def chain(self):
        """libtop.so needs sub/libmid.so, which needs sub/libleaf.so; neither has a search path."""
        leaf = self.build_library("sub/libleaf.so", "int leaf(void) { return 7; }")
        mid = self.build_library("sub/libmid.so",
                                 "int leaf(void); int mid(void) { return leaf(); }",
                                 *self.link(leaf))
        return self.build_library("libtop.so",
                                  "int mid(void); int answer(void) { return mid(); }",
                                  *self.link(mid), *self.link(leaf, "-Wl,--as-needed"))

    def test_runpath_is_not_inherited_but_rpath_is(self):
        """DT_RUNPATH applies to direct dependencies only, DT_RPATH to all below (glibc)."""
        top = self.chain()
        self.edit(top, "--add-rpath", "$ORIGIN/sub")
        if self.is_musl:
            self.assertEqual(self.load(top), "7")
        else:
            self.assertIn("libleaf.so", self.load(top))
        self.edit(top, "--rpath-kind", "rpath")
        self.assertEqual(self.load(top), "7")
        self.edit(top, "--rpath-kind", "runpath")
        self.edit(top, "--rpath-kind", "rpath", "--add-rpath", LONG)
        self.assertEqual(self.load(top), "7")

    def test_program_with_rpath_like_conda(self):
        """A program's DT_RPATH applies to libraries without a DT_RUNPATH; adding one breaks that."""
        shutil.copy(self.probe, self.folder / "conda")
        top, dep = self.pair()
        conda = self.folder / "conda"
        self.edit(conda, "--rpath-kind", "rpath", "--add-rpath", "$ORIGIN/sub")
        self.assertEqual(self.load(top, probe=conda), "42")
        self.edit(top, "--add-rpath", "/elsewhere")
        if not self.is_musl:
            self.assertIn("libdep.so", self.load(top, probe=conda))
        self.edit(top, "--rpath-kind", "rpath")
        self.assertEqual(self.load(top, probe=conda), "42")

    def test_rename_also_renames_symbol_versions(self):
        """ld.so aborts if symbol versions are required from a library that is not a dependency."""
        script = self.folder / "map"
        script.write_text("DEP_1 { global: dep; local: *; };\n")
        dep = self.build_library("sub/libdep.so", "int dep(void) { return 5; }",
                                 f"-Wl,--version-script={script}")
        top = self.build_library("libtop.so", "int dep(void); int answer(void) { return dep(); }",
                                 *self.link(dep))
        for hashed in ("libdep-1a2b3c4d.so.61.19.101", "d.so"):
            dep = dep.rename(self.folder / "sub" / hashed)
            self.edit(dep, "--set-id", hashed)
            old = elf_checks.read_dynamic(top)["needed"][0]
            self.edit(top, "--rename-dependency", f"{old}={hashed}", "--add-rpath", "$ORIGIN/sub")
            self.assertEqual(self.load(top), "5")
            self.strip(top)
            self.assertEqual(self.load(top), "5")
        self.edit(top, "--remove-dependency", "d.so", expect=3)

    def test_added_dependency_provides_symbols(self):
        """An added DT_NEEDED is loaded and searched for symbols."""
        self.build_library("sub/libdep.so", "int dep(void) { return 9; }")
        top = self.build_library("libtop.so", "int dep(void); int answer(void) { return dep(); }")
        self.assertNotEqual(self.load(top), "9")
        self.edit(top, "--add-dependency", "libdep.so", "--add-rpath", "$ORIGIN/sub")
        self.assertEqual(self.load(top), "9")

    def test_removed_dependency_is_not_searched(self):
        """A DT_NEEDED that nothing uses can be removed."""
        gone = self.build_library("libgone.so", "int gone(void) { return 1; }")
        top = self.build_library("libtop.so", "int answer(void) { return 3; }", "-Wl,--no-as-needed",
                                 *self.link(gone))
        gone.unlink()
        self.assertIn("libgone.so", self.load(top))
        self.edit(top, "--remove-dependency", "libgone.so")
        self.assertEqual(self.load(top), "3")

    def test_a_loaded_soname_wins(self):
        """A dependency is satisfied by an already loaded library with that SONAME."""
        if self.is_musl:
            self.skipTest("musl goes by file name, not by SONAME")
        top, dep = self.pair()
        loaded = dep.rename(self.folder / "another-name.so")
        self.assertEqual(self.load(loaded, top), "42")
        self.edit(loaded, "--set-id", "libdep-" + "9" * 100)
        self.edit(top, "--rename-dependency", "libdep.so=libdep-" + "9" * 100)
        self.assertEqual(self.load(loaded, top), "42")

    def test_programs(self):
        """Position-independent or not, a program still runs and finds its library."""
        dep = self.build_library("sub/libdep.so", "int dep(void) { return 11; }")
        source = """
            #include <stdio.h>
            int dep(void);
            static int table[100000];
            int main(void) { table[99999] = dep(); printf("%d\\n", table[99999]); return 0; }"""
        for kind in ("-pie", "-no-pie"):
            program = self.build_program("program", source, kind, *(["-fPIE"] * (kind == "-pie")),
                                         *self.link(dep))
            self.edit(program, "--add-rpath", LONG, "--add-rpath", "$ORIGIN/sub")
            self.assertEqual(self.load(probe=program), "11")
            self.edit(program, "--set-id", "x", expect=3)
            self.strip(program)
            self.assertEqual(self.load(probe=program), "11")
            self.edit(program, "--add-rpath", LONG + "/2")
            self.assertEqual(self.load(probe=program), "11")

    def align_segments(self, path, alignment):
        """Gives every PT_LOAD another p_align, and nothing else."""
        data = bytearray(path.read_bytes())
        word, start, count, size, align = (("<Q", 0x20, 0x38, 56, 48) if data[4] == 2 else
                                           ("<I", 0x1C, 0x2C, 32, 28))
        table = struct.unpack_from(word, data, start)[0]
        for i in range(struct.unpack_from("<H", data, count)[0]):
            if struct.unpack_from("<I", data, table + i * size)[0] == 1:
                struct.pack_into(word, data, table + i * size + align, alignment)
        path.write_bytes(data)

    def test_alignment_larger_than_addresses_keep(self):
        """Only pages matter: address and offset need not agree modulo a larger p_align (glibc 2.35)."""
        top, _ = self.pair()
        self.align_segments(top, 1 << 21)
        could = self.load(top)
        self.edit(top, "--add-rpath", LONG, "--add-rpath", "$ORIGIN/sub")
        self.assertEqual(self.load(top), "42" if "libdep.so" in could else could)

    def drop_section_headers(self, path):
        data = bytearray(path.read_bytes())
        is64 = data[4] == 2
        where = struct.unpack_from("<Q" if is64 else "<I", data, 0x28 if is64 else 0x20)[0]
        struct.pack_into("<Q" if is64 else "<I", data, 0x28 if is64 else 0x20, 0)
        struct.pack_into("<HHH", data, 0x3A if is64 else 0x2E, 0, 0, 0)
        path.write_bytes(data[:where])

    def test_without_section_headers(self):
        """Loaders and edits do not need section headers."""
        top, _ = self.pair()
        self.drop_section_headers(top)
        result = run(TCFIX, "edit", "--add-rpath", LONG, "--add-rpath", "$ORIGIN/sub", top)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.load(top), "42")
        size = top.stat().st_size
        self.assertEqual(run(TCFIX, "edit", "--replace-rpath", LONG + "=/y", top).returncode, 0)
        self.assertEqual(top.stat().st_size, size)
        self.assertEqual(self.load(top), "42")

    def test_other_linkers(self):
        """GNU ld, gold and lld arrange files differently: no spare entries, no notes, other orders."""
        if not self.has_other_linkers or not elf_checks.find_tool("clang-19"):
            self.skipTest("needs clang-19 and builds for this machine")
        for linker in ("bfd", "gold", "lld"):
            for options in (["-Wl,--build-id"], ["-Wl,--build-id=none"],
                            ["-Wl,--build-id=none", "-Wl,--hash-style=both"],
                            ["-Wl,--build-id=none", "-Wl,-z,relro,-z,now"]):
                compiler = ["clang-19", "-fuse-ld=" + linker]
                dep = self.build_library("sub/libdep.so", "int dep(void) { return 42; }")
                top = self.build_library(
                    "libtop.so", "int dep(void); int answer(void) { return dep(); }",
                    *self.link(dep), *options, compiler=compiler)
                for text in (LONG, LONG + "/2"):
                    self.edit(top, "--add-rpath", text, "--add-rpath", "$ORIGIN/sub",
                              "--add-dependency", "libm.so.6", "--add-dependency", "libdl.so.2")
                    self.assertEqual(self.load(top), "42", (linker, options))
                    self.strip(top)
                    self.assertEqual(self.load(top), "42", (linker, options))

    def test_large_pages(self):
        """The alignment of the file's own segments is kept."""
        for size in ("65536", "2097152"):
            top, _ = self.pair("-Wl,-z,max-page-size=" + size)
            self.edit(top, "--add-rpath", LONG, "--add-rpath", "$ORIGIN/sub")
            self.assertEqual(self.load(top), "42")
            self.strip(top)
            self.assertEqual(self.load(top), "42")

    def test_static_programs_are_refused(self):
        """A static program has no loader that searches anything."""
        # musl-gcc links the second one as an ordinary program.
        for kind in ("-static",) if self.is_musl else ("-static", "-static-pie"):
            program = self.build_program("program" + kind, "int main(void) { return 0; }", kind)
            result = self.edit(program, "--add-rpath", "/x", expect=3)
            self.assertIn("static", result.stderr)

    def test_exceptions_and_thread_locals_still_work(self):
        """Unwinding and thread-local storage depend on program headers; both survive the edit."""
        if not self.has_cxx:
            self.skipTest("no C++ library for this toolchain")
        compiler = [self.cc[0].replace("gcc", "g++")]
        top = self.build_library("libtop.so", """
            #include <stdexcept>
            thread_local int counter = 20;
            static void fail() { throw std::runtime_error("x"); }
            extern "C" int answer() {
              try { fail(); } catch (const std::exception&) { ++counter; }
              return counter;
            }""", suffix=".cc", compiler=compiler)
        self.assertEqual(self.load(top), "21")
        self.edit(top, "--add-rpath", LONG)
        self.assertEqual(self.load(top), "21")
        self.strip(top)
        self.assertEqual(self.load(top), "21")

    def test_undo_restores_the_original_bytes(self):
        """The journal restores every layout byte for byte."""
        top, _ = self.pair()
        original = top.read_bytes()
        journal = self.folder / "journal"
        for options in (["--add-rpath", LONG], ["--set-id", "x"], ["--add-rpath", "/a"]):
            result = run(TCFIX, "edit", "--journal", journal, *options, top)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotEqual(top.read_bytes(), original)
            self.assertEqual(run(TCFIX, "undo", "--journal", journal).returncode, 0)
            self.assertEqual(top.read_bytes(), original)


class Glibc(LoaderTests, FilesTest):
    has_cxx = True
    has_other_linkers = True


class I386(LoaderTests, FilesTest):
    cc = ["gcc", "-m32"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if run("gcc", "-m32", "-print-file-name=crtbeginS.o").stdout.strip() == "crtbeginS.o":
            elf_checks.require("gcc for 32 bits (gcc-12-multilib)")


class Musl(LoaderTests, FilesTest):
    cc = ["musl-gcc"]
    is_musl = True


class Aarch64(LoaderTests, FilesTest):
    cc = ["aarch64-linux-gnu-gcc"]
    strip_tool = "aarch64-linux-gnu-strip"
    runner = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    has_cxx = True


if __name__ == "__main__":
    unittest.main()
