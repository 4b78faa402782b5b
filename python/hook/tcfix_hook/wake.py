"""Runs `tcfix apply` if anything changed since it last found all well.

settings.json, written by `tcfix hook install`, names the program and the options of apply:
    {"tcfix": "/path/to/tcfix", "arguments": ["--ffmpeg", "av"]}
stamp.json, written here, tells whether the last repair was good, and what it stood on: for each file
[path, inode, size, mtime_ns].

After a repair that was none (no FFmpeg, for one) every process tries again: what is missing may come
from anywhere, and who waits for it wants it at once. A process that had to wait for such a try does
not repeat it.
"""

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import time

from .finder import PACKAGES

FOLDER = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.dirname(FOLDER)
STAMP = os.path.join(FOLDER, "stamp.json")
NEW_STAMP = os.path.join(FOLDER, "stamp.new")
PATIENCE = 60  # seconds, for another process that is at it
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
woken = []


def once():
    """Repairs, but not a second time in this process."""
    if not woken:
        woken.append(True)
        repair()


def repair():
    last_try = stamp(STAMP)
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
        if stamp(STAMP) == last_try:  # else another process has tried meanwhile
            apply(program, settings["arguments"])


def is_fresh():
    try:
        with open(STAMP, encoding="utf-8") as file:
            last = json.load(file)
        return last["good"] and all(entry == stamp(entry[0]) for entry in last["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def stamp(path):
    try:
        status = os.stat(path)
        return [path, status.st_ino, status.st_size, status.st_mtime_ns]
    except OSError:
        return [path, 0, 0, 0]


def apply(program, arguments):
    site = stamp(SITE)  # as it was before: an installer at work meanwhile must not go unseen
    result = subprocess.run(
        [program, "apply", "--json", "--quiet", *arguments, "--", environment()],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
    good = result.returncode == 0
    files = sorted(set(foundations(json.loads(result.stdout)))) if good else []
    with open(NEW_STAMP, "w", encoding="utf-8") as file:
        json.dump({"good": good, "files": [site, *map(stamp, files)]}, file)
    os.replace(NEW_STAMP, STAMP)


def environment():
    """The environment that these packages are installed in."""
    prefix = os.path.realpath(sys.prefix)
    is_inside = os.path.realpath(SITE).startswith(os.path.join(prefix, ""))
    return prefix if is_inside else SITE


def foundations(report):
    """What a repair stands on, beside the site, which changes when a package comes, goes or is
    replaced: libraries, records of packages, torch, FFmpeg."""
    yield os.path.join(sys.prefix, "conda-meta")
    for name in os.listdir(SITE):
        if name.endswith(".dist-info") and name.split("-")[0] in ("av", "torch", *PACKAGES):
            yield os.path.join(SITE, name, "RECORD")
    for target in report["targets"]:
        for file in target["files"]:
            yield file["path"]
        yield from libraries(target.get("torch"), ("libtorch", "torch", "libc10", "c10"))
        yield from libraries(target.get("ffmpeg"), ("libav", "av", "libsw", "sw"))


def libraries(install, beginnings):
    """By the names that the loader uses: what a link leads to is what counts."""
    for name in os.listdir(install["path"]) if install else ():
        if name.startswith(beginnings):
            yield os.path.join(install["path"], name)


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
            except OSError as error:
                if error.errno not in BUSY:
                    break  # a disk without locks; tcfix has one of its own
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)  # and with it the lock
