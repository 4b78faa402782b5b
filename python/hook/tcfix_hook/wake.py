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
import signal
import subprocess
import sys
import threading
import time
from importlib.machinery import PathFinder

from .finder import PACKAGES

FOLDER = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.dirname(FOLDER)
SETTINGS = os.path.join(FOLDER, "settings.json")
STAMP = os.path.join(FOLDER, "stamp.json")
NEW_STAMP = os.path.join(FOLDER, "stamp.new")
PATIENCE = 60  # seconds, for another process that is at it
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
seen = []  # the site, each time that this process looked at it


def once(name, path):
    """Repairs what is about to be imported; in one process again only after an installer was at
    work. Programs that only ask whether a package is there must not pay when it is not."""
    site = stamp(SITE)
    if site not in seen and PathFinder.find_spec(name, path):
        seen.append(site)
        repair()


def repair():
    last_try = stamp(STAMP)
    if os.environ.get("TCFIX_DISABLE", "0") not in ("", "0") or is_fresh():
        return
    if not os.access(FOLDER, os.W_OK):
        return  # who cannot write here cannot repair here
    settings = read(SETTINGS)
    program = shutil.which(settings["tcfix"]) or shutil.which("tcfix")
    if not program:
        return
    with locked():
        if stamp(STAMP) == last_try:  # else another process has tried meanwhile
            apply(program, settings["arguments"])


def is_fresh():
    try:
        last = read(STAMP)
        return last["good"] and all(entry == stamp(entry[0]) for entry in last["files"])
    except Exception:  # whatever is wrong with it, there is no stamp then
        return False


def read(path):
    """Paths are bytes; each process has its own way to see letters in them."""
    with open(path, "rb") as file:
        return json.loads(os.fsdecode(file.read()))


def stamp(path):
    try:
        status = os.stat(path)
        return [path, status.st_ino, status.st_size, status.st_mtime_ns]
    except OSError:
        return [path, 0, 0, 0]


def apply(program, arguments):
    # As they were before: an installer at work meanwhile must not go unseen.
    before = [stamp(SITE), stamp(SETTINGS)]
    output = run([program, "apply", "--json", "--quiet", *arguments, "--", environment()])
    try:
        report = json.loads(os.fsdecode(output))
        # Not the exit code, which is lost where a program ignores SIGCHLD.
        good = report["ok"] is True
        files = sorted(set(foundations(report))) if good else []
    except (OSError, LookupError, TypeError, ValueError):
        good, files = False, []
    text = json.dumps({"good": good, "files": [*before, *map(stamp, files)]}, ensure_ascii=False)
    with open(NEW_STAMP, "wb") as file:
        file.write(os.fsencode(text))
    os.replace(NEW_STAMP, STAMP)


def run(command):
    with interrupts_held() as interrupts:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
    try:
        for interrupt in interrupts:
            interrupt()
        return process.communicate(timeout=600)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    except BaseException:  # Ctrl-C: tcfix heard it, too, and first puts everything back in order
        process.communicate()
        raise


@contextlib.contextmanager
def interrupts_held():
    """Collects Ctrl-C, to be called afterwards: a process that is being started cannot be waited
    for."""
    held = []
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield held
        return
    signal.signal(signal.SIGINT, lambda *event: held.append(lambda: handler(*event)))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, handler)


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
    folder = install and install["path"]
    for name in os.listdir(folder) if folder else ():
        if name.startswith(beginnings):
            yield os.path.join(folder, name)


@contextlib.contextmanager
def locked():
    """One process at a time; nothing is left behind. Gives up waiting with an OSError."""
    if os.name == "nt":
        import msvcrt
        handle = os.open(SETTINGS, os.O_RDWR)

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
