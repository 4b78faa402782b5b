"""A duplicate dependency is merged: according to LLVM, every symbol is still bound to the same library."""
import re
import unittest

import harness
from harness import FilesTest, find_tool, run, tcfix, tcfix_json

CLANG = find_tool("clang-19", "clang")
LINKER = find_tool("ld64.lld-19", "ld64.lld")
NM = find_tool("llvm-nm-19", "llvm-nm")
OBJDUMP = find_tool("llvm-objdump-19", "llvm-objdump")
RENAME = find_tool("llvm-install-name-tool-19", "llvm-install-name-tool")
MANY = 20  # ordinals above 15 are encoded differently


def bindings(path):
    """Where each symbol comes from, by the library's name, without numbers and file names."""
    symbols = run(NM, "-m", path, check=0).stdout
    tables = run(OBJDUMP, "--macho", "--bind", "--lazy-bind", "--weak-bind", "--chained-fixups",
                 "--exports-trie", path, check=0).stdout
    tables = re.sub(r"lib_ordinal = -?\d+", "lib_ordinal", tables)
    return symbols + tables.split("\n", 1)[1]


def dependencies(path):
    return [each["name"] for each in tcfix_json("inspect", path)["files"][0]["dependencies"]]


@unittest.skipUnless(CLANG and LINKER and NM and OBJDUMP and RENAME, "LLVM's tools are not installed")
class Repeats(FilesTest):
    def assert_merged(self, path, name):
        """The second command is removed, everything else is unchanged, and undo restores it."""
        before, original = bindings(path), path.read_bytes()
        names = dependencies(path)
        self.assertEqual(names.count(name), 2)
        journal = self.folder / "journal.json"
        edits = tcfix_json("edit", "--rename-dependency", f"{name}={name}", "--journal", journal,
                           path)["files"][0]["edits"]
        self.assertIn(("remove_dependency", name), [(each["op"], each["value"]) for each in edits])
        names.pop(len(names) - 1 - names[::-1].index(name))
        self.assertEqual(dependencies(path), names)
        self.assertEqual(bindings(path), before)
        self.assertEqual(len(path.read_bytes()), len(original))
        tcfix("verify", path)
        self.assertIn("nothing to do", tcfix("edit", "--rename-dependency", f"{name}={name}", path).stdout)
        tcfix("undo", "--journal", journal)
        self.assertEqual(path.read_bytes(), original)

    def link(self, arch, *options):
        """A library that imports a function and a variable from each of MANY others."""
        def compiled(name, text):
            run("sh", "-c", f'printf %s "$1" | "$2" -target {arch}-apple-macos11 -x c -c -o "$3" -',
                "sh", text, CLANG, self.folder / f"{name}.o", check=0)
            return self.folder / f"{name}.o"

        def linked(name, *inputs):
            target = self.folder / f"lib{name}.dylib"
            run(LINKER, "-arch", arch, "-platform_version", "macos", "11.0", "14.0", "-dylib",
                "-undefined", "dynamic_lookup", "-headerpad", "0x400", "-adhoc_codesign", *options,
                "-install_name", f"@rpath/lib{name}.dylib", "-o", target, *inputs, check=0)
            return target

        others = [linked(f"p{i}", compiled(f"p{i}", f"int f{i}(void){{return {i};}} int v{i}={i};"))
                  for i in range(MANY)]
        body = "".join(f"int f{i}(void); extern int v{i}; int *q{i}=&v{i};" for i in range(MANY))
        calls = "+".join(f"f{i}()" for i in range(MANY))
        return linked("user", compiled("user", body + f"int go(void){{return {calls};}}"), *others)

    def test_both_ways_to_bind(self):
        for arch in ("arm64", "x86_64"):
            for option in ("-fixup_chains", "-no_fixup_chains"):
                linked = self.link(arch, option).read_bytes()
                for old, new in ((1, 0), (17, 3), (19, 18)):
                    with self.subTest(arch=arch, option=option, old=old):
                        library = self.folder / "library.dylib"
                        library.write_bytes(linked)
                        run(RENAME, "-change", f"@rpath/libp{old}.dylib", f"@rpath/libp{new}.dylib",
                            library, check=0)
                        tcfix("sign", library)
                        self.assert_merged(library, f"@rpath/libp{new}.dylib")

    def test_libraries_of_real_wheels(self):
        folder = harness.wheels("macos")
        originals = [path for version in ("0.9.1", "0.17.0") for path in sorted(
            folder.glob(f"torchcodec-{version}-*/torchcodec/libtorchcodec_c*7.dylib"))]
        self.assertEqual(len(originals), 4)
        for original, copy in self.copy(originals):
            own = [name for name in dependencies(copy) if name.startswith("@rpath/")]
            with self.subTest(str(original.relative_to(folder))):
                run(RENAME, "-change", own[-1], own[0], copy, check=0)
                tcfix("sign", copy)
                self.assert_merged(copy, own[0])


if __name__ == "__main__":
    unittest.main()
