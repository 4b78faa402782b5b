"""Random trees of small libraries that exercise all rules of ld.so's search."""
import os
import pathlib
import random
import shutil
import subprocess

NAMES = [f"lib{letter}.so" for letter in "abcdefg"]
FOLDERS = ["d0", "d1", "d2"]

ABORTED = "ld.so aborts"

PROBE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
static int show(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  printf("loaded %s\n", info->dlpi_name);
  return 0;
}
int main(int count, char** names) {
  for (int i = 1; i < count; ++i)
    printf("%s\n", dlopen(names[i], RTLD_NOW | RTLD_LOCAL) ? "ok" : dlerror()), fflush(stdout);
  dl_iterate_phdr(show, 0);
  return 0;
}
"""


def run(*command, cwd=None):
    subprocess.run([str(part) for part in command], check=True, cwd=cwd)


class Workshop:
    """Objects, stubs and programs that all trees are made of, built once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in NAMES:
            symbol = self.symbol(name)
            self.assemble(f"def_{symbol}", f".globl {symbol}\n.type {symbol}, @function\n{symbol}: ret\n")
            self.assemble(f"use_{symbol}", f".data\n.quad {symbol}\n")
            self.assemble(f"weak_{symbol}", f".weak {symbol}\n.data\n.quad {symbol}\n")
            for version in (None, "V1", "V2"):
                self.link(self.stub(name, version), [f"def_{symbol}.o"], soname=name, versions=[version])
        self.assemble("use_nowhere", ".data\n.quad nowhere\n")
        self.assemble("class32", ".globl s_32\ns_32: ret\n", "--32")
        run("ld", "-m", "elf_i386", "-shared", "-o", self.folder / "lib32.so", self.folder / "class32.o")
        (self.folder / "probe.c").write_text(PROBE)
        for number, options in enumerate(self.program_options()):
            run("gcc", self.folder / "probe.c", "-o", self.folder / f"probe{number}", "-ldl", *options)

    @staticmethod
    def program_options():
        tags = ("-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags")
        return [[]] + [[tag, "-Wl,-rpath,$ORIGIN/../" + FOLDERS[-1]] for tag in tags]

    @staticmethod
    def symbol(name):
        return "s_" + name[3]

    def assemble(self, name, text, *options):
        (self.folder / f"{name}.s").write_text(text + '.section .note.GNU-stack,"",@progbits\n')
        run("as", *options, self.folder / f"{name}.s", "-o", self.folder / f"{name}.o")

    def stub(self, name, version):
        return self.folder / f"stub_{version}_{name}"

    def link(self, path, objects, soname=None, versions=(None,), libraries=(), search=None, hash_style="gnu"):
        command = ["ld", "-shared", "-o", path, f"--hash-style={hash_style}", "-z", "noexecstack"]
        if soname:
            command += ["-soname", soname]
        if any(versions):
            script = path.with_suffix(".map")
            script.write_text("".join(
                f"{version} {{ {'s_*;' if number == 0 else ''} }}{'' if number == 0 else ' V1'};\n"
                for number, version in enumerate(versions)))
            command += [f"--version-script={script}"]
        if search:
            tag, entries = search
            command += ["--disable-new-dtags" if tag == "rpath" else "--enable-new-dtags"]
            command += ["-rpath", ":".join(entries)]
        run(*command, "--no-as-needed", *[self.folder / name for name in objects], *libraries)


class Tree:
    """One random tree below a directory; the same seed gives the same tree."""

    def __init__(self, workshop, folder, seed):
        self.workshop, self.folder, self.random = workshop, pathlib.Path(folder), random.Random(seed)
        for name in FOLDERS + ["bin"]:
            (self.folder / name).mkdir(parents=True)
        number = self.random.choice([0, 0, 0, 1, 2])
        self.program = self.folder / "bin" / "probe"
        shutil.copy(workshop.folder / f"probe{number}", self.program)
        libraries = [self.make(name, folder) for name in NAMES for folder in self.places()]
        self.clutter()
        # Also libraries opened by a path that a dependency may reach under another name.
        self.roots = self.random.sample(libraries, min(len(libraries), 3))
        self.environment = {}
        if self.random.random() < 0.2:
            self.environment["LD_LIBRARY_PATH"] = ":".join(map(str, self.some_folders()))

    def places(self):
        count = self.random.choices([0, 1, 2], [1, 8, 3])[0]
        return self.random.sample(FOLDERS, count)

    def some_folders(self):
        names = self.random.sample(FOLDERS + ["nowhere"], self.random.choice([1, 2]))
        return [self.folder / name for name in names]

    def entries(self):
        """A search path in one of its common spellings."""
        spell = [lambda f: f"$ORIGIN/../{f.name}", lambda f: f"${{ORIGIN}}/../{f.name}", str,
                 lambda f: f"$ORIGIN/../{f.name}/."]
        return [self.random.choice(spell)(folder) for folder in self.some_folders()]

    def make(self, name, folder):
        pick = self.random
        path = self.folder / folder / name
        if pick.random() < 0.05 and pick.random() < 0.5:
            (path.parent / "glibc-hwcaps" / "x86-64-v2").mkdir(parents=True, exist_ok=True)
            path = path.parent / "glibc-hwcaps" / "x86-64-v2" / name
        # Later letters depend on nothing that depends on them, mostly.
        later = [other for other in NAMES if other > name or pick.random() < 0.1]
        needed = pick.sample(later, min(len(later), pick.choice([0, 1, 2, 3])))
        objects = [f"def_{Workshop.symbol(name)}.o"] if pick.random() < 0.93 else []
        libraries = []
        for other in needed:
            libraries.append(self.workshop.stub(other, pick.choice([None, None, None, "V1", "V2"])))
            if pick.random() < 0.7:
                objects.append(f"{pick.choice(['use', 'use', 'use', 'weak'])}_{Workshop.symbol(other)}.o")
        if pick.random() < 0.02:
            objects.append("use_nowhere.o")
        soname = pick.choices([name, None, pick.choice(NAMES)], [12, 2, 1])[0]
        search = None
        if pick.random() < 0.75:
            search = (pick.choice(["rpath", "rpath", "runpath"]), self.entries())
        versions = pick.choice([(None,), (None,), ("V1",), ("V1", "V2")])
        if not objects:
            objects, versions = [f"weak_{Workshop.symbol(name)}.o"], (None,)
        self.workshop.link(path, objects, soname, versions, libraries, search,
                           pick.choice(["gnu", "sysv", "both"]))
        return path

    def clutter(self):
        """Misleading files: text, another architecture, another class, links."""
        for name in NAMES:
            for folder in FOLDERS:
                path = self.folder / folder / name
                if path.exists() or self.random.random() > 0.1:
                    continue
                kind = self.random.choice(["text", "machine", "class", "link", "dangling", "folder"])
                stub = self.workshop.stub(name, None)
                if kind == "text":
                    path.write_text("not a library, but long enough to be read as a header would be\n" * 2)
                elif kind == "machine":
                    content = bytearray(stub.read_bytes())
                    content[18] = 183  # e_machine: aarch64
                    path.write_bytes(content)
                elif kind == "class":
                    shutil.copy(self.workshop.folder / "lib32.so", path)
                elif kind == "link":
                    other = self.folder / self.random.choice(FOLDERS) / name
                    if other.is_file():
                        os.symlink(os.path.relpath(other, path.parent), path)
                elif kind == "dangling":
                    os.symlink("nothing-here", path)
                else:
                    path.mkdir()

    def ask_loader(self):
        """The result for each root, and the paths loaded at the end; None if ld.so aborts."""
        result = subprocess.run([self.program, *self.roots], capture_output=True, text=True,
                                env={**self.environment, "LC_ALL": "C"})
        if result.returncode and "Inconsistency detected by ld.so" in result.stderr:
            return result.stdout.splitlines() + [ABORTED], None
        assert result.returncode == 0, result.stderr
        lines = result.stdout.splitlines()
        loaded = [line.removeprefix("loaded ") for line in lines if line.startswith("loaded ")]
        answers = [line for line in lines if not line.startswith("loaded ")]
        return answers, [os.path.realpath(path) for path in loaded if path.startswith(str(self.folder))]
