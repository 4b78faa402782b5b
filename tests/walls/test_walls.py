"""The boundaries between modules: this repository violates none, and violations are detected."""
import tempfile
import unittest
from pathlib import Path

from walls import House

ROOT = Path(__file__).parents[2]

DECLARED = """
tcfix_module(base SOURCES base/error.cc)
tcfix_module(io SOURCES io/file.cc DEPENDS base)  # tcfix_module(comment DEPENDS nothing)
tcfix_module(wheel SOURCES wheel/repair.cc
             DEPENDS io)
"""
SOUND = {
    "lib/CMakeLists.txt": DECLARED,
    "lib/README.md": "| `base` | a |\n| `io` | b |\n| `wheel` | c |\n",
    "lib/base/error.cc": "#include <string>\n",
    "lib/io/file.cc": '#include "base/error.h"\n#include <unistd.h>\n',
    "lib/wheel/repair.cc": '#include "wheel/repair.h"\n#include "io/file.h"\n// std::cout << getenv("X")\n',
    "tools/tcfix/CMakeLists.txt": "tcfix_use_modules(tcfix wheel)",
    "tools/tcfix/main.cc": '#include "wheel/repair.h"\n#include "command.h"\n',
    "tests/wheel/CMakeLists.txt": "tcfix_test(wheel_test SOURCES repair_test.cc DEPENDS wheel)",
    "tests/wheel/repair_test.cc": '#include "base/error.h"\n#include "wheel/samples.h"\n',
    "tests/wheel/samples.h": '#include "io/file.h"\n',
}


class Walls(unittest.TestCase):
    def problems(self, files={}):
        """The problems of a valid tree with these files added or replaced."""
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {**SOUND, **files}.items():
                path = Path(directory, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return House(directory).check()

    def expect_file(self, name, text, problem):
        self.assertEqual(self.problems({name: text}), [problem])

    def test_this_repository(self):
        self.assertEqual(House(ROOT).check(), [])

    def test_a_sound_tree(self):
        self.assertEqual(self.problems(), [])

    def test_an_undeclared_module(self):
        self.expect_file("lib/base/error.cc", '#include "wheel/repair.h"\n',
                         "lib/base/error.cc includes wheel/repair.h, but module base does not declare wheel")

    def test_indirect_declarations_are_not_enough(self):
        self.expect_file("lib/wheel/repair.cc", '#include "io/file.h"\n#include "base/error.h"\n',
                         "lib/wheel/repair.cc includes base/error.h, but module wheel does not declare base")

    def test_a_declaration_without_use(self):
        self.expect_file("lib/wheel/repair.cc", "", "module wheel declares io, but includes nothing of it")

    def test_a_cycle(self):
        files = {
            "lib/CMakeLists.txt": DECLARED.replace("base/error.cc)", "base/error.cc DEPENDS wheel)"),
            "lib/base/error.cc": '#include "wheel/repair.h"\n',
        }
        self.assertEqual(self.problems(files),
                         ["modules depend on each other: base -> wheel -> io -> base"])

    def test_a_module_that_is_not_declared(self):
        self.expect_file("lib/new/new.cc", "", "lib/new is not declared in lib/CMakeLists.txt")

    def test_a_module_without_a_row_in_the_readme(self):
        self.expect_file("lib/README.md", "| `base` |\n| `wheel` |\n", "module io has no row in lib/README.md")

    def test_the_program(self):
        self.expect_file("tools/tcfix/main.cc", '#include "io/file.h"\n',
                         "tools/tcfix/main.cc includes io/file.h, but tools/tcfix/CMakeLists.txt does not declare io")

    def test_a_test_uses_only_what_is_below(self):
        self.expect_file("tests/wheel/samples.h", '#include "report/text.h"\n',
                         "tests/wheel/samples.h includes report/text.h, but test wheel_test does not declare report")

    def test_headers_that_a_build_precompiles(self):
        use = "using llvm::Error; // TEST(\n"
        self.expect_file("lib/base/error.cc", use,
                         "lib/base/error.cc uses llvm::, but includes no header that declares it")
        self.assertEqual(self.problems({"lib/base/error.cc": '#include "base/error.h"\n' + use,
                                        "lib/base/error.h": "#include <llvm/Support/Error.h>\n"}), [])
        self.expect_file("tests/wheel/repair_test.cc", "TEST_F(Repair, Works) {}\n",
                         "tests/wheel/repair_test.cc uses TEST, but includes no header that declares it")

    def test_system_calls(self):
        for header in ("unistd.h", "sys/stat.h", "windows.h", "fcntl.h", "filesystem", "llvm/Support/FileSystem.h"):
            with self.subTest(header):
                self.expect_file("lib/base/error.cc", f"#include <{header}>\n",
                                 f"lib/base/error.cc includes {header}; only lib/io calls the system")
        for code, name in (('llvm::sys::fs::remove("x");', "sys::fs"), ('getenv("HOME");', "getenv"),
                           ('namespace fs = llvm::sys::fs;', "sys::fs"), ("std::system(x);", "std::system")):
            with self.subTest(code):
                self.expect_file("lib/base/error.cc", f"#include <llvm/Support/Error.h>\n{code}\n",
                                 f"lib/base/error.cc:2 uses {name}; only lib/io calls the system")

    def test_printing(self):
        for code, name in (("std::cout << 1;", "std::cout"), ('printf("x");', "printf"),
                           ("llvm::errs() << 1;", "llvm::errs"), ("std::fprintf(f, x);", "std::fprintf")):
            with self.subTest(code):
                self.expect_file("lib/base/error.cc", f"#include <llvm/Support/Error.h>\n{code}",
                                 f"lib/base/error.cc:2 uses {name}; lib does not print")
        self.assertEqual(self.problems({"lib/base/error.cc": "snprintf(a, b, c);\n// printf(x)\n"}), [])

    def test_public_headers(self):
        declared = DECLARED + "tcfix_module(api SOURCES api/api.cc)\n"
        api = {"lib/CMakeLists.txt": declared, "lib/README.md": SOUND["lib/README.md"] + "| `api` |",
               "lib/api/api.cc": '#include "tcfix/tcfix.h"\n'}
        path = "include/tcfix/tcfix.h"
        for text, problem in (
                ("#include <string>\n", None),
                ("#include <llvm/ADT/StringRef.h>\n", f"{path} includes llvm/ADT/StringRef.h; users have only "
                                                      "include/tcfix and the standard library"),
                ("/// llvm::Error\nllvm::Error apply();\n", f"{path}:2 names an LLVM type")):
            with self.subTest(text):
                self.assertEqual(self.problems({**api, path: text}), [problem] if problem else [])

    def test_long_functions(self):
        body = "int longest() {\n" + "  ++calls;\n" * 68 + "}\n"
        self.assertEqual(self.problems({"lib/base/error.cc": body}), [])
        self.expect_file("lib/base/error.cc", "\n" + body.replace("++calls;\n", "++calls;\n\n", 1),
                         "lib/base/error.cc:2 has a function of 71 lines")

    def test_documents(self):
        walk = "\n    step        takes\n    io/file     a path\n    wheel/gone, io/file   x\n"
        self.expect_file("lib/README.md", SOUND["lib/README.md"] + walk,
                         "lib/README.md names wheel/gone, which does not exist")
        self.expect_file("CONTRIBUTING.md", "`lib/io/file.cc`, `lib/io/gone.cc`\n",
                         "CONTRIBUTING.md names lib/io/gone.cc, which does not exist")


if __name__ == "__main__":
    unittest.main()
