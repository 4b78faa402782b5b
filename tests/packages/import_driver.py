"""Runs in the Python of an environment: imports each module in its own process, and prints the results.

    python -I import_driver.py < request    {"modules": [[name, path, via]...], "seconds": N, "jobs": N}

`path` is the module's file, or null; `via` a module that is imported before it, or null.
The answer is {name: {"outcome": loads|loader|python|crash|timeout, "text", "mapped": [path...]}}. `loader` is a
failure of the dynamic loader: the text is its message. `python` is an exception of another kind, where the
loader accepts the file.
"""
import ctypes
import importlib
import json
import os
import re
import select
import signal
import sys
import time

# Messages of glibc's dl-load.c, dl-lookup.c and dl-version.c, and torch's message about them.
LOADER = re.compile(r"cannot open shared object file|undefined symbol|invalid ELF header|wrong ELF class|"
                    r"file too short|' not found \(required by|ELF load command|static TLS block|"
                    r"ELF file's phentsize|only ET_DYN|cannot read file data|internal error|"
                    r"Could not load this library")


def messages(error):
    """The messages of an exception and its causes, the first cause first."""
    chain = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return [f"{type(one).__name__}: {one}" for one in reversed(chain)]


def mapped_libraries():
    with open("/proc/self/maps") as file:
        return sorted({line.split(None, 5)[5].strip() for line in file if ".so" in line and "/" in line})


def attempt(name, path, via):
    try:
        if via:
            importlib.import_module(via)
        importlib.import_module(name)
        return {"outcome": "loads", "text": "", "mapped": mapped_libraries()}
    except BaseException as error:
        texts = messages(error)
    failure = next((text for text in texts if LOADER.search(text)), None)
    if not failure and path:
        # Another package may be missing: load the file without importing it.
        try:
            ctypes.CDLL(path, os.RTLD_NOW)
        except OSError as error:
            failure = str(error)
    return {"outcome": "loader" if failure else "python", "text": failure or texts[-1], "mapped": []}


def start(name, path, via):
    """A child process that writes its result to a pipe."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    os.close(reader)
    os.setpgid(0, 0)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    answer = json.dumps(attempt(name, path, via)).encode()
    while answer:
        answer = answer[os.write(writer, answer):]
    os._exit(0)


def finish(child, content, is_late):
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status = os.waitpid(child, 0)
    if content:
        return json.loads(content)
    outcome = "timeout" if is_late else "crash"
    return {"outcome": outcome, "text": f"{outcome}, wait status {status}", "mapped": []}


def run(modules, seconds, jobs):
    waiting, running, answers = list(reversed(modules)), {}, {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name, path, via = waiting.pop()
            child, reader = start(name, path, via)
            running[reader] = [name, child, time.monotonic() + seconds, b""]
        ready, _, _ = select.select(list(running), [], [], 1)
        for reader, (name, child, deadline, content) in list(running.items()):
            part = os.read(reader, 1 << 20) if reader in ready else None
            if part:
                running[reader][3] += part
            elif part == b"" or time.monotonic() > deadline:
                answers[name] = finish(child, content, part is None)
                os.close(reader)
                del running[reader]
    return answers


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(run(request["modules"], request["seconds"], request["jobs"]), sys.stdout)
