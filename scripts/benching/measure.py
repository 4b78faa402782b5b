"""Runs commands in turn and records the time, processor time and memory of each run."""
import dataclasses
import os
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time

DEFAULT_RUNS = 10


@dataclasses.dataclass
class Series:
    """The runs of one command, in seconds."""
    wall: list
    cpu: list

    @property
    def median(self):
        return statistics.median(self.wall)

    @property
    def cpu_median(self):
        return statistics.median(self.cpu)

    @property
    def spread(self):
        """The quartiles of the wall time."""
        low, _, high = statistics.quantiles(self.wall, n=4)
        return low, high

    def json(self):
        low, high = self.spread
        return {"median": self.median, "quartiles": [low, high], "cpu": self.cpu_median, "runs": len(self.wall)}


def quoted(parts):
    return " ".join(shlex.quote(str(part)) for part in parts)


def once(command):
    """Wall and processor time of a shell line or of a list of words; the exit code is ignored."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else [str(part) for part in command]
    start = time.perf_counter()
    pid = os.posix_spawnp(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)])
    _, _, usage = os.wait4(pid, 0)
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def series(commands, prepare=None, runs=DEFAULT_RUNS, warmup=1):
    """One Series for each command. The commands run in turn, so that other load affects all of them."""
    found = [Series([], []) for _ in commands]
    for number in range(-warmup, runs):
        for command, one in zip(commands, found):
            if prepare:
                subprocess.run(prepare, shell=True, check=True, stdout=subprocess.DEVNULL)
            wall, cpu = once(command)
            if number >= 0:
                one.wall.append(wall)
                one.cpu.append(cpu)
    return found


def peak_memory(command, prepare=None):
    """The peak memory of a process in MB, mapped files included; None without GNU time. Python cannot measure this: it
    would count its own memory before the exec."""
    timer = shutil.which("time", path="/usr/bin")
    if not timer:
        return None
    if prepare:
        subprocess.run(prepare, shell=True, check=True, stdout=subprocess.DEVNULL)
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else [str(part) for part in command]
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([timer, "-q", "-f", "%M", "-o", out.name, *words], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return int(out.read().split()[-1]) / 1024


def instructions(command):
    """The number of instructions, counted by valgrind; None without it."""
    if not shutil.which("valgrind"):
        return None
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    found = re.search(r"Collected : (\d+)", result.stderr)
    return int(found[1]) if found else None


def system_calls(command):
    """{name: count} of all threads' system calls; None without strace."""
    if not shutil.which("strace"):
        return None
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["strace", "-f", "-c", "-U", "calls,name", "-o", out.name, *map(str, command)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = (line.split() for line in out)
        return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total"}
