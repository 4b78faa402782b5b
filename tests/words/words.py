#!/usr/bin/env python3
"""Finds words and phrases that tcfix does not use: CONTRIBUTING.md, "Words".

    tests/words/words.py [ROOT]

Checks comments and strings in sources, comments in tests, CMake files and workflows, and the whole text of
documents. Prints one line for each hit, with the word to write instead. Names of functions and types are
not checked.
"""
import io
import re
import sys
import tokenize
from pathlib import Path

# (pattern, write instead). Patterns ignore case and match across line ends.
WORDS = [
    (r"folders?", "directory (folder only for Windows)"),
    (r"(?<!there )is no(?! (longer|more|less|larger|change|way|need|reason)\b)", "is not a"),
    (r"ha(s|ve) not (the|a)", "does not have the"),
    (r"comes? to nothing", "has no effect"),
    (r"made to deceive", "malicious"),
    (r"anew", "again"),
    (r"(to|can) be had", "available"),
    (r"told", "reported, from the text"),
    (r"(?<!cannot )(?<!can )tells? (that|whether|which|what|how|it|the|of)", "report, show, contain"),
    (r"ask(s|ed)? (for|of)", "require, request"),
    (r"who got", "the group that"),
    (r"nobody|no one('s)?|whoever", "nothing, unused; or the passive"),
    (r"wakes?", "run"),
    (r"damaged", "corrupt"),
    (r"judge[sd]?|judgement", "verify, check"),
    (r"hostile", "malicious, untrusted"),
    (r"out of reach", "not on this machine"),
    (r"mak(es?|ing) no sense", "invalid"),
    (r"shall", "must, will"),
    (r"lies?|lay", "is"),
    (r"behind", "after"),
    (r"stands? (there|where|at|before|in)", "is"),
    (r"(take|taken|took|takes) [\w ]*\bback|the way back", "undo, revert"),
    (r"puts? [\w ]*\bback", "restore"),
    (r"is (there|not there)[,;.]|which is not there|is there (twice|more than once|already)",
     "exists, not found, duplicate"),
    (r"takes a text|(?<!free )texts", "string"),
    (r"(by|of|from) an identity", "certificate (signature)"),
    (r"in vain|fruitless", "failed, not found"),
    (r"rooms", "module"),
    (r"contradicts?", "does not match"),
    (r"absurd|impossible alignments?", "invalid"),
    (r"say (more|nothing|which)", "print"),
    (r"look-up", "lookup"),
    (r"roll-back", "rollback"),
    (r"someone else('s)?|somebody|anybody", "another program, another user; or the passive"),
    (r"leads? nowhere", "broken (link), has no effect"),
    (r"has the last word|gives? [\w ]*\bback", "decides; restore"),
    (r"switch(es|ed)? off", "disable"),
    (r"where it happened", "on that machine"),
    (r"by ours", "relative to tcfix's"),
    (r"goe?s? together", "compatible"),
]
RULES = [(re.compile(rf"(?<![\w./:`{{$-])(?:{pattern})(?![\w/-])", re.I), instead) for pattern, instead in WORDS]

CHECKED = ("lib", "include", "tools", "python", "examples", "scripts", "tests", "docs", "README.md", "CONTRIBUTING.md",
           "CHANGELOG.md", "SECURITY.md", "CMakeLists.txt", "cmake", ".github")

EXCLUDED = (
    "tests/words/",  # examples of these words
)

# Windows has folders, and so have these parts, which are about Windows.
WINDOWS = ("lib/pe/", "lib/io/directory_windows", "lib/io/temporary_file_windows", "lib/resolve/windows",
           "lib/resolve/missing_symbols", "docs/windows.md", "tests/pe/", "tests/resolve/windows_test")
# JSON values, and quotes.
ALLOWED = {
    "lib/env/environment.cc": ("folder of packages", '"folder"'),
    "lib/providers/ffmpeg.cc": ('"folder"',),
    "scripts/fuzz": ("kinds=",),
    "lib/report/doctor.cc": ('"told"',),
    "docs/doctor.md": ("`told`",),
    "CONTRIBUTING.md": ("|",),  # the table of these words
}


def comments_and_strings(text, has_strings=True):
    """C and C++: the text with everything but comments and string literals blanked out."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    result, end = [], 0
    for match in re.finditer(pattern, text, re.S):
        result.append(re.sub(r"[^\n]", " ", text[end:match.start()]))
        is_kept = has_strings or match[0].startswith("/")
        result.append(match[0] if is_kept else re.sub(r"[^\n]", " ", match[0]))
        end = match.end()
    return "".join(result)


def python_text(text, has_strings=True):
    """Python: comments and strings, or only docstrings, on their own lines."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.line.lstrip().startswith('"""')
        is_string = token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1))
        if token.type == tokenize.COMMENT or is_docstring or (is_string and has_strings):
            for offset, line in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + offset] += line + " "
    return "\n".join(lines)


def checked_text(path, text):
    has_strings = not path.startswith("tests/")
    if path.endswith((".cc", ".h", ".c")):
        return comments_and_strings(text, has_strings)
    if path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        return python_text(text, has_strings)
    return text


def joined(text):
    """The text without comment marks and quotes at line ends, so that phrases match across lines: white
    space is one space. Also the line of each character."""
    text = re.sub(r'(?m)^[ \t]*(///?<?|#|\*|")|"[ \t]*$', lambda m: " " * len(m[0]), text)
    characters, lines, line = [], [], 1
    for character in text:
        if not character.isspace():
            characters.append(character)
            lines.append(line)
        elif characters and characters[-1] != " ":
            characters.append(" ")
            lines.append(line)
        line += character == "\n"
    return "".join(characters), lines


def find(path, text):
    """(line, phrase, instead) of each hit."""
    visible, numbers = joined(checked_text(path, text))
    lines = text.split("\n")
    for rule, instead in RULES:
        if instead.startswith("directory") and path.startswith(WINDOWS):
            continue
        for match in rule.finditer(visible):
            number = numbers[match.start()]
            line = lines[number - 1]
            if "directory" in instead and re.search(r"Windows|DLL|AddDll", line):
                continue
            if any(allowed in line for allowed in ALLOWED.get(path, ())):
                continue
            yield number, match[0], instead


def files(root):
    for name in CHECKED:
        start = root / name
        for file in sorted(start.rglob("*")) if start.is_dir() else [start]:
            path = file.relative_to(root).as_posix()
            if file.is_file() and not path.startswith(EXCLUDED) and "__pycache__" not in path \
                    and not path.endswith(("helper_code.h", ".pyc", ".png")):
                yield path


def check(root):
    root = Path(root)
    return [f"{path}:{line}: \"{phrase}\": write {instead}"
            for path in files(root)
            for line, phrase, instead in find(path, (root / path).read_text(encoding="utf-8"))]


if __name__ == "__main__":
    found = check(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    print("\n".join(found) or "no unused words found")
    sys.exit(1 if found else 0)
