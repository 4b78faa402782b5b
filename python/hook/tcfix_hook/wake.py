"""Runs `tcfix apply` if anything changed since it last found all well.

settings.json, written by `tcfix hook install`, names the program and the options of apply:
    {"tcfix": "/path/to/tcfix", "arguments": ["--ffmpeg", "av"]}
stamp.json, written here, lists what the last good repair stood on: [path, inode, size, mtime_ns].
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time

from . import PACKAGES

FOLDER = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.dirname(FOLDER)
STAMP = os.path.join(FOLDER, "stamp.json")
PATIENCE = 60  # seconds, for another process that is at it


def repair():
    if os.environ.get("TCFIX_DISABLE", "0") not in ("", "0") or is_fresh():
        return
    if not os.access(FOLDER, os.W_OK):
        return  # who cannot write here cannot repair here
    with open(os.path.join(FOLDER, "settings.json"), encoding="utf-8") as file:
        settings = json.load(file)
    program = shutil.which(settings["tcfix"]) or shutil.which("tcfix")
    if not program:
        return
    with locked():
        if not is_fresh():  # another process may have done it meanwhile
            apply(program, settings["arguments"])


def is_fresh():
    try:
        with open(STAMP, encoding="utf-8") as file:
            return all(entry == stamp(entry[0]) for entry in json.load(file))
    except (OSError, ValueError):
        return False


def stamp(path):
    try:
        status = os.stat(path)
        return [path, status.st_ino, status.st_size, status.st_mtime_ns]
    except OSError:
        return [path, 0, 0, 0]


def apply(program, arguments):
    result = subprocess.run(
        [program, "apply", "--json", "--quiet", *arguments, "--", environment()],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    if result.returncode != 0:
        return  # no stamp: what was missing may be there next time
    places = sorted(set(places_of(json.loads(result.stdout))))
    temporary = f"{STAMP}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump([stamp(path) for path in places], file)
    os.replace(temporary, STAMP)


def environment():
    """The environment that these packages are installed in."""
    prefix = os.path.realpath(sys.prefix)
    is_inside = os.path.realpath(SITE).startswith(os.path.join(prefix, ""))
    return prefix if is_inside else SITE


def places_of(report):
    """What a repair stands on: libraries, records of packages, FFmpeg."""
    yield SITE  # changes when a package comes, goes or is replaced
    yield os.path.join(sys.prefix, "conda-meta")
    for name in os.listdir(SITE):
        if name.endswith(".dist-info") and name.split("-")[0] in ("av", "torch", *PACKAGES):
            yield os.path.join(SITE, name, "RECORD")
    for target in report["targets"]:
        for file in target["files"]:
            yield file["path"]
        if target["ffmpeg"]:
            folder = target["ffmpeg"]["path"]
            for name in os.listdir(folder):
                if name.startswith(("libav", "av", "libsw", "sw")):
                    yield os.path.join(folder, name)


@contextlib.contextmanager
def locked():
    """One process at a time; nothing is left behind. Gives up waiting with an OSError."""
    if os.name == "nt":
        import msvcrt
        handle = os.open(os.path.join(FOLDER, "settings.json"), os.O_RDWR)

        def try_lock():
            os.lseek(handle, 1 << 30, os.SEEK_SET)  # locks forbid reading, so not where text is
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl
        handle = os.open(FOLDER, os.O_RDONLY)

        def try_lock():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                try_lock()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)  # and with it the lock
