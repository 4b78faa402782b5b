"""Commands that install FFmpeg, PyAV, torch or torchcodec must have a compatible version: without one
they install the newest, which most releases cannot use."""
import re

INSTALL = re.compile(r"(?:(?:uv )?pip3? install|conda install|pixi add|brew install|winget install|"
                     r"apt(?:-get)? install)((?: +(?:\"[^\"]*\"|'[^']*'|[^\s\"'`&|;)]+))*)")
NAMES = {"av", "ffmpeg", "torch", "torchcodec", "Gyan.FFmpeg.Shared", "Gyan.FFmpeg"}
# Options with a value, which is not a package.
WITH_VALUE = {"-c", "--index-url", "--python", "--version", "-o", "--target", "--prefix"}

# No version is needed here, and why.
ALLOWED = {
    "pip install av": "torchcodec 0.16 and later use FFmpeg 9, which the newest PyAV brings",
    "brew install ffmpeg": "torchcodec 0.16 and later use FFmpeg 9, which the formula brings",
    "pip install torch": "a package of which nothing says which torch it needs",
}


def unbounded(text):
    """The install commands in a text that have one of these packages without a version."""
    found = []
    for match in INSTALL.finditer(text):
        command = match.group(0)
        words = re.findall(r"\"[^\"]*\"|'[^']*'|\S+", match.group(1))
        has_version = "--version" in words
        skip = False
        for word in words:
            if skip or word.startswith("-"):
                skip = not skip and word in WITH_VALUE
                continue
            name = re.split(r"[<>=!~\[@]", word.strip("\"'"))[0]
            versioned = name != word.strip("\"'") or has_version or re.search(r"@\d", word)
            if name in NAMES and not versioned and command not in ALLOWED:
                found.append(command)
    return found
