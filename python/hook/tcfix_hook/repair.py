"""Runs `tcfix apply` if anything has changed since the last successful repair.

settings.json, written by `tcfix hook install`, contains the program and the options of apply:
    {"tcfix": "/path/to/tcfix", "arguments": ["--ffmpeg", "av"]}
stamp.json, written here, records whether the last repair succeeded, and the files that the result
depends on: [path, inode, size, mtime_ns] for each.

After a failed repair (without FFmpeg, for example) every process tries again, because there is no way
to detect that what is missing has been installed. A process that waited for another one's attempt does
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
LOCK_TIMEOUT = 60  # seconds to wait for another process
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
seen = []  # stamps of the site that this process has already checked


def once(name, path):
    """Repairs the package that is about to be imported; again in the same process only after an
    installer has changed the site. Does nothing if the package is not installed, so that programs
    that only check for it are not slowed down."""
    site = stamp(SITE)
    if site not in seen and PathFinder.find_spec(name, path):
        seen.append(site)
        repair_if_changed()


def repair_if_changed():
    last_try = stamp(STAMP)
    if os.environ.get("TCFIX_DISABLE", "0") not in ("", "0") or is_fresh():
        return
    if not os.access(FOLDER, os.W_OK):
        return  # no permission to repair
    settings = read(SETTINGS)
    program = shutil.which(settings["tcfix"]) or shutil.which("tcfix")
    if not program:
        return
    with locked():
        if stamp(STAMP) == last_try:  # otherwise another process has tried in the meantime
            apply(program, settings["arguments"])


def is_fresh():
    try:
        last = read(STAMP)
        return last["good"] and all(entry == stamp(entry[0]) for entry in last["files"])
    except Exception:  # a missing or invalid stamp
        return False


def read(path):
    """Reads JSON with paths in the file system encoding, which may differ between processes."""
    with open(path, "rb") as file:
        return json.loads(os.fsdecode(file.read()))


def stamp(path):
    try:
        status = os.stat(path)
        return [path, status.st_ino, status.st_size, status.st_mtime_ns]
    except OSError:
        return [path, 0, 0, 0]


def apply(program, arguments):
    # Stamps from before the repair, so that a concurrent installer is detected.
    before = [stamp(SITE), stamp(SETTINGS)]
    output = run([program, "apply", "--json", "--quiet", *arguments, "--", environment()])
    try:
        report = json.loads(os.fsdecode(output))
        # The exit code is lost in programs that ignore SIGCHLD.
        good = report["ok"] is True
        files = sorted(set(relevant_files(report))) if good else []
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
    except BaseException:  # Ctrl-C: tcfix receives it as well, and rolls back first
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


def relevant_files(report):
    """The files that the result depends on: libraries, RECORDs, torch, FFmpeg. The site itself changes
    when a package is added, removed or replaced."""
    yield os.path.join(sys.prefix, "conda-meta")
    for name in os.listdir(SITE):
        if name.endswith(".dist-info") and name.split("-")[0] in ("av", "torch", *PACKAGES):
            yield os.path.join(SITE, name, "RECORD")
    for target in report["targets"]:
        for file in target["files"]:
            yield file["path"]
        yield from libraries(target.get("torch"), ("libtorch", "torch", "libc10", "c10"))
        yield from libraries(target.get("ffmpeg"), ("libav", "av", "libsw", "sw"))


def libraries(install, prefixes):
    """Paths as the loader uses them, so that stamps follow links."""
    folder = install and install["path"]
    for name in os.listdir(folder) if folder else ():
        if name.startswith(prefixes):
            yield os.path.join(folder, name)


@contextlib.contextmanager
def locked():
    """One process at a time; leaves no lock file. Raises OSError on timeout."""
    if os.name == "nt":
        import msvcrt
        handle = os.open(SETTINGS, os.O_RDWR)

        def try_lock():
            os.lseek(handle, 1 << 30, os.SEEK_SET)  # past the text: locked bytes cannot be read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl
        handle = os.open(FOLDER, os.O_RDONLY)

        def try_lock():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    try:
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                try_lock()
                break
            except OSError as error:
                if error.errno not in BUSY:
                    break  # a file system without locks; tcfix has its own lock
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)  # releases the lock
