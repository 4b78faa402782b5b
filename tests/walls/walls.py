#!/usr/bin/env python3
"""Checks that each module includes only what lib/CMakeLists.txt declares for it.

    tests/walls/walls.py [ROOT]

Reads sources and CMake files as text; builds nothing. Prints one line for each violation.
"""
import re
import sys
from pathlib import Path

# The public headers, by the module that they belong to.
PUBLIC = {"tcfix/image.h": "image", "tcfix/tcfix.h": "api"}

SYSTEM_HEADER = re.compile(
    r"(sys|mach|arpa|net|netinet)/|"
    r"(unistd|fcntl|dirent|dlfcn|pwd|grp|poll|signal|spawn|termios|io|direct|process|windows|bcrypt|glob|ftw|stdio)\.h$|"
    r"(csignal|cstdio|filesystem|fstream)$|"
    r"llvm/Support/(FileSystem|FileUtilities|FileOutputBuffer|MemoryBuffer|Process|Program|Signals)\.h$")
SYSTEM_CALL = re.compile(
    r"\bsys::(fs|Process)\b|\b(findProgramByName|ExecuteAndWait|ExecuteNoWait)\b|\bstd::filesystem\b|"
    r"\b(getenv|fopen|popen)\s*\(|\bstd::system\s*\(|MemoryBuffer::getFile|"
    r"\bpath::(home_directory|system_temp_directory|cache_directory|user_config_directory)\b")
PRINTING = re.compile(
    r"\bstd::(cout|cerr|clog)\b|\bllvm::(outs|errs|dbgs)\b|\b(outs|errs)\(\)|"
    r"(?<![\w:])(std::)?(printf|fprintf|vprintf|puts|fputs|putchar|fwrite)\s*\(")

# Only tools/ prints to standard output; it also replaces two functions of the C library.
MAY_CALL_SYSTEM = ("lib/io/",)
MAY_PRINT = ("lib/report/log.", "lib/report/progress.", "tools/")
# scripts/check-sources parses these headers once for all sources (cmake/Precompiled.cmake), so the compiler does not
# notice there that a source lacks them.
PRECOMPILED = (("llvm::", re.compile(r"\bllvm::"), re.compile(r"llvm/")),
               ("TEST", re.compile(r"^TEST(_F|_P)?\(", re.M), re.compile(r"(gtest|gmock)/")))
LONGEST_FUNCTION = 70  # lines: a function fits one screen
EXCEPTIONS = {"tools/tcfix/users_static.cc": "pwd.h", "tools/tcfix/command_line.cc": "cstdio",
              "tools/tcfix/llvm_unused.cc": "llvm/Support/Signals.h"}


def calls(text, *functions):
    """The arguments of each call of these CMake functions, as words."""
    text = re.sub(r"#[^\n]*", "", text)
    for call in re.finditer(r"\b(%s)\s*\(([^()]*)\)" % "|".join(functions), text):
        yield call[1], call[2].split()


def part(words, keyword):
    """The words after a keyword, up to the next one."""
    if keyword not in words:
        return []
    rest = words[words.index(keyword) + 1:]
    end = next((i for i, word in enumerate(rest) if word.isupper()), len(rest))
    return rest[:end]


def without_comments(text):
    """The same lines without comments and without the contents of string literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


class House:
    def __init__(self, root):
        self.root = Path(root)
        self.problems = []
        self.texts = {}
        self.depends = {}  # module -> what it declares
        for _, words in calls(self.read("lib/CMakeLists.txt"), "tcfix_module"):
            self.depends[words[0]] = part(words, "DEPENDS")

    def read(self, path):
        if path not in self.texts:
            file = self.root / path
            self.texts[path] = file.read_text(encoding="utf-8") if file.exists() else ""
        return self.texts[path]

    def sources(self, *directories):
        for directory in directories:
            for file in sorted((self.root / directory).rglob("*")):
                if file.suffix in (".cc", ".c", ".h"):
                    yield file.relative_to(self.root).as_posix()

    def includes(self, path):
        """(header, True if in quotes) of each include."""
        for match in re.finditer(r'^\s*#\s*include\s+(["<])([^">]+)[">]', self.read(path), re.M):
            yield match[2], match[1] == '"'

    def module_of(self, header):
        """The module that a header in quotes belongs to; None for a neighbour or a generated file."""
        if header in PUBLIC:
            return PUBLIC[header]
        return header.split("/")[0] if "/" in header else None

    def closure(self, modules):
        reached, open_ = set(), list(modules)
        while open_:
            module = open_.pop()
            if module not in reached:
                reached.add(module)
                open_ += self.depends.get(module, [])
        return reached

    def check(self):
        self.check_declarations()
        self.check_cycles()
        self.check_modules()
        self.check_program()
        self.check_tests()
        self.check_system_and_printing()
        self.check_public_headers()
        self.check_precompiled()
        self.check_lengths()
        self.check_documents()
        return self.problems

    def check_declarations(self):
        present = {path.split("/")[1] for path in self.sources("lib")}
        map_ = self.read("lib/README.md")
        for module in sorted(present - set(self.depends)):
            self.problems.append(f"lib/{module} is not declared in lib/CMakeLists.txt")
        for module, depends in self.depends.items():
            if module not in present:
                self.problems.append(f"module {module} is declared, but lib/{module} has no sources")
            if f"| `{module}` |" not in map_:
                self.problems.append(f"module {module} has no row in lib/README.md")
            for other in depends:
                if other not in self.depends:
                    self.problems.append(f"module {module} declares {other}, which is not a module")

    def check_cycles(self):
        done = set()

        def visit(module, way):
            if module in way:
                cycle = way[way.index(module):] + [module]
                self.problems.append("modules depend on each other: " + " -> ".join(cycle))
            elif module not in done:
                for other in self.depends.get(module, []):
                    visit(other, way + [module])
                done.add(module)

        for module in self.depends:
            visit(module, [])

    def check_modules(self):
        used = {module: set() for module in self.depends}
        for path in self.sources("lib", "include"):
            module = PUBLIC.get(path[len("include/"):]) or path.split("/")[1]
            if module not in self.depends:
                continue
            for header, is_quoted in self.includes(path):
                other = self.module_of(header) if is_quoted else None
                if other is None or other == module:
                    continue
                used[module].add(other)
                if other not in self.depends[module]:
                    self.problems.append(
                        f"{path} includes {header}, but module {module} does not declare {other}")
        for module, depends in self.depends.items():
            for other in depends:
                if other in self.depends and other not in used[module]:
                    self.problems.append(f"module {module} declares {other}, but includes nothing of it")

    def check_program(self):
        declared = set()
        for _, words in calls(self.read("tools/tcfix/CMakeLists.txt"), "tcfix_use_modules"):
            declared |= set(words[1:])
        for path in self.sources("tools"):
            for header, is_quoted in self.includes(path):
                other = self.module_of(header) if is_quoted else None
                if other is not None and other not in declared:
                    self.problems.append(
                        f"{path} includes {header}, but tools/tcfix/CMakeLists.txt does not declare {other}")

    def check_tests(self):
        """A test may use the modules that it declares and those below them."""
        for file in sorted((self.root / "tests").glob("*/CMakeLists.txt")):
            folder = file.parent.relative_to(self.root).as_posix()
            for _, words in calls(file.read_text(encoding="utf-8"), "tcfix_test", "tcfix_fuzz"):
                if words[0].startswith("$") or words[0] == "name":
                    continue  # the function's own definition
                sources = part(words, "SOURCES") or [words[0] + "_fuzz.cc"]
                reached = self.closure(part(words, "DEPENDS"))
                seen, open_ = set(), [f"{folder}/{source}" for source in sources]
                while open_:
                    path = open_.pop()
                    if path in seen:
                        continue
                    seen.add(path)
                    for header, is_quoted in self.includes(path):
                        if not is_quoted:
                            continue
                        if (self.root / "tests" / header).exists():
                            open_.append("tests/" + header)
                        elif (module := self.module_of(header)) and module not in reached:
                            self.problems.append(
                                f"{path} includes {header}, but test {words[0]} does not declare {module}")

    def check_system_and_printing(self):
        for path in self.sources("lib", "tools"):
            may_call = path.startswith(MAY_CALL_SYSTEM)
            may_print = path.startswith(MAY_PRINT)
            for header, _ in self.includes(path):
                if not may_call and SYSTEM_HEADER.match(header) and EXCEPTIONS.get(path) != header:
                    self.problems.append(f"{path} includes {header}; only lib/io calls the system")
            rules = [] if may_call else [(SYSTEM_CALL, "only lib/io calls the system")]
            rules += [] if may_print else [(PRINTING, "lib does not print")]
            text = self.read(path)
            for rule, why in rules:
                # Comments and strings are removed only if something may be found.
                for call in rule.finditer(without_comments(text)) if rule.search(text) else ():
                    number = text.count("\n", 0, call.start()) + 1
                    self.problems.append(f"{path}:{number} uses {call[0].strip('( ')}; {why}")

    def check_public_headers(self):
        for path in self.sources("include"):
            if path[len("include/"):] not in PUBLIC:
                self.problems.append(f"{path} belongs to no module: see PUBLIC in tests/walls/walls.py")
            for header, is_quoted in self.includes(path):
                if header.startswith("llvm") or (is_quoted and header not in PUBLIC):
                    self.problems.append(f"{path} includes {header}; users have only include/tcfix and the standard library")
            for number, line in enumerate(without_comments(self.read(path)).splitlines(), 1):
                if "llvm::" in line:
                    self.problems.append(f"{path}:{number} names an LLVM type")

    def reached_headers(self, path):
        """All headers that a file includes, directly or through headers of this project."""
        reached, open_ = set(), [path]
        while open_:
            path = open_.pop()
            for header, is_quoted in self.includes(path):
                for base in ("lib", "include", "tests", Path(path).parent.as_posix()) if is_quoted else ():
                    if (self.root / base / header).exists() and f"{base}/{header}" not in reached:
                        open_.append(f"{base}/{header}")
                        reached.add(open_[-1])
                reached.add(header)
        return reached

    def check_precompiled(self):
        for path in self.sources("lib", "tools", "tests"):
            text = self.read(path)
            for name, use, header in PRECOMPILED:
                # Comments and strings are removed only if something may be found.
                if use.search(text) and use.search(without_comments(text)) and not any(
                        header.match(reached) for reached in self.reached_headers(path)):
                    self.problems.append(f"{path} uses {name}, but includes no header that declares it")

    def check_lengths(self):
        """Relies on the formatter: a function's first line and its closing brace are not indented."""
        for path in self.sources("lib", "tools"):
            begin = None
            for number, line in enumerate(self.read(path).splitlines(), 1):
                if line[:1].isalpha() and "(" in line and not line.endswith(";"):
                    begin = number
                elif line == "}" and begin is not None:
                    length = number - begin + 1
                    if length > LONGEST_FUNCTION:
                        self.problems.append(f"{path}:{begin} has a function of {length} lines")
                    begin = None

    def check_documents(self):
        """Files that the documents for developers mention exist: steps of commands, and paths in backticks."""
        for document, pattern, base in (
                ("lib/README.md", r"(?:^    |, )(?:  )?([a-z_]+/[a-z_/]+)(?= |,|$)", "lib"),
                ("lib/README.md", r"`((?:include|tools|tests|scripts|docs)/[\w./-]+)`", ""),
                ("CONTRIBUTING.md", r"`((?:include|lib|tools|tests|scripts|docs|testdata)/[\w./-]+)`", "")):
            for name in re.findall(pattern, self.read(document), re.M):
                path = name if base == "" or name.startswith("tools/") else f"{base}/{name}"
                if not any((self.root / (path + suffix)).exists() for suffix in ("", ".cc", ".h")):
                    self.problems.append(f"{document} names {name}, which does not exist")


if __name__ == "__main__":
    found = House(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).check()
    print("\n".join(found) or "every include is declared")
    sys.exit(1 if found else 0)
