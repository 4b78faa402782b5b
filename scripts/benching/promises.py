"""The targets for speed: ratios to other tools in the same run, and counts that do not depend on the load."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from benching import measure
from benching.measure import quoted

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TCFIX = ROOT / "build" / "bin" / "tcfix"
ADD = ["--add-rpath", "@loader_path/../torch/lib", "--add-rpath", "/opt/homebrew/lib"]
LIBRARIES = 15  # of torchcodec 0.9.1
results = []  # {"text", "value", "limit", "kept", "note"}


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    sys.exit(f"scripts/bench needs {names[0]}; install it first")


def promise(text, value, limit, holds, note=""):
    results.append({"text": text, "value": value, "limit": limit, "kept": bool(holds), "note": note.strip()})
    print(f"{'met    ' if holds else 'NOT MET'}  {text}: {value:.2f} (target: {limit}){note}", flush=True)


def medians(commands, prepare=None, runs=measure.DEFAULT_RUNS):
    return [series.median for series in measure.series(commands, prepare, runs)]


def installed_tool(name):
    """A program that scripts/bootstrap --tests installed."""
    cache = subprocess.run([ROOT / "scripts" / "cache-directory"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.strip()
    return f"{cache}/tools/bin/{name}"


def wheel(prefix, group):
    """The directory of an unpacked wheel."""
    folder = subprocess.run([ROOT / "scripts" / "fetch-wheels", prefix.split("-*")[0] + "-*", group], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    return next(pathlib.Path(folder).glob(prefix))


def build(target):
    """A program of tests/bench."""
    subprocess.run(["cmake", "--build", ROOT / "build", "--target", target], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build" / "bin" / target


def python():
    """An interpreter, not a script that chooses one."""
    return subprocess.run(["python3", "-c", "import sys; print(sys.executable)"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def bench_start():
    ours, theirs = medians([[TCFIX, "--version"], [python(), "-I", "-c", "pass"]], runs=60)
    promise("start-up, relative to Python's", ours / theirs, "at most 0.33", ours <= theirs / 3,
            f"  [{ours * 1000:.1f} ms against {theirs * 1000:.1f} ms]")


def bench_digest():
    ours, llvms = map(float, subprocess.run([build("digest_bench")], check=True, stdout=subprocess.PIPE,
                                            text=True).stdout.split())
    promise("SHA-256, relative to LLVM's speed", ours / llvms, "at least 4", ours >= 4 * llvms,
            f"  [{ours:.0f} MB/s]")


def bench_macho():
    """The 15 libraries of torchcodec 0.9.1: one tcfix process compared with one process per file."""
    peer = tool("llvm-install-name-tool-19", "llvm-install-name-tool")
    source = wheel("torchcodec-0.9.1-*macosx*", "macos") / "torchcodec"
    files = sorted(source.glob("libtorchcodec*"))
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        copies = [pathlib.Path(folder) / file.name for file in files]
        floor = [pathlib.Path(folder) / f"floor-{file.name}" for file in files]
        prepare = f"cp {quoted(files)} {folder}/ && sync {folder}/*"
        one_by_one = " && ".join(
            quoted([peer, "-add_rpath", ADD[1], "-add_rpath", ADD[3], copy]) for copy in copies)
        bare = (" && ".join(quoted(["cp", a, b]) for a, b in zip(copies, floor))
                + f" && sync {quoted(floor)} && openssl dgst -sha256 {quoted(floor)}")
        ours, theirs, least = medians(
            [quoted([TCFIX, "edit", "-q", *ADD, *copies]), one_by_one, bare], prepare)
    promise(f"{len(files)} libraries, {peer}'s time relative to tcfix's", theirs / ours, "at least 10",
            theirs >= 10 * ours, f"  [{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms; "
            f"copy + sync + hash: {least * 1000:.0f} ms]")


def bench_large():
    """libtorch_cpu.dylib, 208 MB, compared with the minimum that any safe tool must do."""
    source = wheel("torch-2.9.1-*macosx*", "macos") / "torch" / "lib" / "libtorch_cpu.dylib"
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        copy = pathlib.Path(folder) / source.name
        prepare = f"cp {source} {copy} && sync {copy}"
        edit = [TCFIX, "edit", "-q", *ADD, copy]
        ours, least = medians([edit, [build("floor_bench"), copy]], prepare)
        promise("libtorch_cpu.dylib, relative to copy + sync + hash", ours / least, "at most 1.1",
                ours <= 1.1 * least, f"  [{ours * 1000:.0f} ms against {least * 1000:.0f} ms]")
        peak = measure.peak_memory(edit, prepare)
        if peak is not None:
            promise("its memory in MB, mapped files included", peak, "under 64", peak < 64)


def bench_elf():
    """The 15 libraries of torchcodec 0.17.0: one tcfix process compared with one patchelf per file, which writes in
    place and does not sync."""
    peer = tool(installed_tool("patchelf"), "patchelf")
    source = wheel("torchcodec-0.17.0-*linux*x86_64", "linux") / "torchcodec"
    files = sorted(source.glob("libtorchcodec*"))
    paths = ["$ORIGIN/../torch/lib", "/opt/ffmpeg/lib"]
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        copies = [pathlib.Path(folder) / file.name for file in files]
        prepare = f"cp {quoted(files)} {folder}/ && sync {folder}/*"
        one_by_one = " && ".join(quoted([peer, "--add-rpath", ":".join(paths), copy])
                                 for copy in copies)
        edit = quoted([TCFIX, "edit", "-q", "--add-rpath", paths[0], "--add-rpath", paths[1],
                       *copies])
        ours, theirs = medians([edit, one_by_one], prepare)
        changed, growth = {}, {}
        for name, command in (("tcfix", edit), ("patchelf", one_by_one)):
            subprocess.run(f"{prepare} && {command}", shell=True, check=True)
            pairs = [(file.read_bytes(), copy.read_bytes()) for file, copy in zip(files, copies)]
            changed[name] = max(sum(a != b for a, b in zip(*pair)) for pair in pairs)
            growth[name] = max(len(new) - len(old) for old, new in pairs)
    promise(f"{len(files)} libraries, patchelf's time relative to tcfix's", theirs / ours, "at least 1",
            theirs >= ours, f"  [{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms]")
    promise("bytes changed, at most in a file", changed["tcfix"], "at most 100",
            changed["tcfix"] <= 100, f"  [patchelf: {changed['patchelf']}]")
    # The smallest string table of these files has 5 kB, and a copy is padded by at most 4 kB.
    promise("growth in bytes, at most of a file", growth["tcfix"], "at most 9000",
            growth["tcfix"] <= 9000, f"  [patchelf: {growth['patchelf']}]")


def bench_pe():
    """Windows DLLs, compared with Python tools that read and edit them."""
    python = installed_tool("python")
    torch = wheel("torch-2.9.1-*win_amd64", "windows") / "torch" / "lib" / "torch_cpu.dll"
    exports = ("import pefile, sys; image = pefile.PE(sys.argv[1], fast_load=True, "
               "max_symbol_exports=1 << 20); image.parse_data_directories(directories=[0]); "
               "print(len(image.DIRECTORY_ENTRY_EXPORT.symbols))")
    ours, theirs = medians([quoted([TCFIX, "inspect", "--symbols", "--json", torch]),
                            quoted([python, "-c", exports, torch])], runs=7)
    promise("the exports of torch_cpu.dll, pefile's time relative to tcfix's", theirs / ours, "at least 10",
            theirs >= 10 * ours, f"  [{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms]")

    source = wheel("torchcodec-0.9.1-*win_amd64", "windows") / "torchcodec" / "libtorchcodec_core7.dll"
    old, new = "avutil-59.dll", "avutil-59-7a7ccc29eb93e5eb7c701b6318a81c68.dll"
    # In memory if possible: only tcfix syncs, so the disk would be measured.
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        copy, out = pathlib.Path(folder) / source.name, pathlib.Path(folder) / "out.dll"
        commands = {
            "tcfix": [TCFIX, "edit", "-q", "--delay", "av*", "--delay", "sw*", "--add-rpath",
                      "$ORIGIN\\..\\av.libs", "--rename-dependency", f"{old}={new}", copy],
            "delvewheel": [python, "-m", "delvewheel", "replace-needed", "-change", old, new, copy],
            "machomachomangler": [python, "-m", "machomachomangler.cmd.redll", copy, out, old, new]}
        ours, theirs, others = medians([quoted(command) for command in commands.values()],
                                       f"cp {source} {copy}")
        promise("converting core7.dll, delvewheel's time for a rename relative to tcfix's", theirs / ours,
                "at least 10", theirs >= 10 * ours,
                f"  [{ours * 1000:.1f} ms against {theirs * 1000:.0f} ms; "
                f"machomachomangler: {others * 1000:.0f} ms]")


def bench_hook():
    """In fresh Pythons: how long `site` takes for the .pth file, or for the import that a .start file requests."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["python3", "-m", "venv", "--without-pip", folder], check=True)
        subprocess.run([TCFIX, "hook", "install", "--quiet", folder], check=True)
        python, (site,) = f"{folder}/bin/python", pathlib.Path(folder).glob("lib/*/site-packages")

        def value(code):
            return float(subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""}).stdout)

        def start(work):
            code = (f"import site, sys, time; begin = time.perf_counter(); {work}; "
                    "print((time.perf_counter() - begin) * 1000)")
            value(code)
            return statistics.median(value(code) for _ in range(31))

        path = start(f"site.addpackage({str(site)!r}, 'tcfix_hook.pth', None)")
        promise("the hook at Python's start, in ms", path, "at most 1", path <= 1)
        entry = start("import tcfix_hook.finder as finder; finder.install()")
        promise("the same where Python reads .start, in ms", entry, "at most 1", entry <= 1)
        other = value("import timeit, sys; print(min(timeit.repeat('find(\"json.decoder\", None)', "
                      "number=10**5, repeat=9, globals={'find': sys.meta_path[0].find_spec})) * 10)")
        promise("the hook at another package's import, in µs", other, "at most 1", other <= 1)


def install(site, *sources):
    """Unpacked wheels in one directory, hard-linked if possible, as by uv; of torch only the libraries."""
    for source in sources:
        is_torch = (source / "torch" / "lib").is_dir()
        parts = [source / "torch" / "lib", *source.glob("torch[.-]*")] if is_torch else [source]
        for part in parts:
            target = site / part.relative_to(source)
            target.mkdir(parents=True, exist_ok=True)
            is_near = target.stat().st_dev == part.stat().st_dev
            subprocess.run(["cp", "-al" if is_near else "-a", f"{part}/.", target], check=True)


def mac_environment(root):
    """A virtual environment with torch, torchcodec 0.9.1 and PyAV below `root`, a Mac's disk."""
    install(root / "venv" / "lib" / "python3.12" / "site-packages",
            *(wheel(f"{name}-*macosx*", "macos") for name in ("torch-2.9.1", "av-15.1.0", "torchcodec-0.9.1")))
    (root / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return root / "venv"


def bench_apply():
    """A complete apply on 15 libraries, compared with the shell script that it replaces: two calls per library, one
    for the search paths and one for the signature, both with the same tool."""
    peer = tool("llvm-install-name-tool-19", "llvm-install-name-tool")
    source = wheel("torchcodec-0.9.1-*macosx*", "macos")
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        root = pathlib.Path(folder)
        venv = mac_environment(root)
        package = venv / "lib" / "python3.12" / "site-packages" / "torchcodec"
        script = " && ".join(
            quoted([peer, "-add_rpath", ADD[1], "-add_rpath", ADD[3], copy]) + " && " +
            quoted([peer, "-id", f"@rpath/{copy.name}", copy])
            for copy in sorted(package.glob("libtorchcodec*")))
        # Copies, because the script writes in place and must not change the cache.
        prepare = (f"rm -rf {package} {package}-*.dist-info && cp -a {source}/. {package.parent} && "
                   f"sync {package}/*")
        ours, theirs, least = medians(
            [[TCFIX, "apply", "-q", "--sysroot", root, venv], script,
             [build("floor_bench"), *sorted(package.glob("libtorchcodec*"))]], prepare)
    promise("apply on 15 libraries, the script's time relative to tcfix's", theirs / ours, "at least 10",
            theirs >= 10 * ours, f"  [{ours * 1000:.0f} ms against {theirs * 1000:.0f} ms]")
    promise("the same, relative to copy + sync + hash", ours / least, "at most 1.5", ours <= 1.5 * least,
            f"  [{ours * 1000:.0f} ms against {least * 1000:.0f} ms]")


def bench_idle():
    """A second apply, compared with a Python that does nothing."""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        root = pathlib.Path(folder)
        command = [TCFIX, "apply", "-q", "--sysroot", root, mac_environment(root)]
        subprocess.run(command, check=True)
        idle, start = measure.series([command, [python(), "-I", "-c", "pass"]], runs=60)
        calls = measure.system_calls(command)
    promise("apply with nothing to do, relative to Python's start-up", idle.median / start.median,
            "at most 0.25", idle.median <= start.median / 4,
            f"  [{idle.median * 1000:.1f} ms against {start.median * 1000:.1f} ms; of processor time "
            f"{idle.cpu_median * 1000:.1f} ms against {start.cpu_median * 1000:.1f} ms]")
    if calls:
        total = sum(calls.values())
        promise("its system calls, for each of the 15 libraries", total / LIBRARIES, "under 25",
                total < 25 * LIBRARIES, f"  [{total} in all]")


def bench_many():
    """200 environments in one call, on one core and on all cores; in memory if possible, so that the disk is not
    the limit."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else ROOT / "build") as folder:
        first = mac_environment(pathlib.Path(folder) / "0")
        targets = [first]
        for number in range(1, 200):
            targets.append(pathlib.Path(folder) / str(number) / "venv")
            targets[-1].parent.mkdir()
            subprocess.run(["cp", "-al", first, targets[-1]], check=True)

        def seconds(*prefix):
            subprocess.run([TCFIX, "undo", "-q", "--sysroot", folder, *targets], check=True)
            start = time.monotonic()
            subprocess.run([*prefix, TCFIX, "apply", "-q", "--sysroot", folder, *targets],
                           check=True)
            return time.monotonic() - start

        alone, together = seconds(tool("taskset"), "-c", "0"), seconds()
    promise(f"200 environments, one core's time relative to {cores} cores'", alone / together,
            f"at least {0.7 * cores:.1f}", alone >= 0.7 * cores * together,
            f"  [{together / 200 * 1000:.1f} ms an environment]")


# Only the part of doctor that compares symbols on Windows: which imports have no export.
COMPARISON = """
import pathlib, pefile, sys
def read(path, directory):
    image = pefile.PE(str(path), fast_load=True, max_symbol_exports=1 << 20)
    image.parse_data_directories(directories=[directory])
    return image
package, torch = map(pathlib.Path, sys.argv[1:])
exports = {}
missing = 0
for path in package.glob("libtorchcodec_c*.dll"):
    for entry in read(path, 1).DIRECTORY_ENTRY_IMPORT:
        provider = torch / entry.dll.decode()
        if provider.exists():
            if provider not in exports:
                exports[provider] = {one.name for one in read(provider, 0).DIRECTORY_ENTRY_EXPORT.symbols}
            missing += sum(one.name not in exports[provider] for one in entry.imports)
print(missing)
"""


def bench_doctor():
    """The diagnosis of torchcodec 0.13.0 with torch 2.9.1, where hundreds of symbols are missing."""
    places = {"macos": ("*macosx*", "venv/lib/python3.12/site-packages"),
              "linux": ("*linux*_aarch64", "venv/lib/python3.12/site-packages"),
              "windows": ("*win_amd64", "C/venv/Lib/site-packages")}
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        commands = []
        for group, (pattern, place) in places.items():
            root = pathlib.Path(folder) / group
            site = root / place
            install(site, *(wheel(f"{name}-{pattern}", group) for name in ("torch-2.9.1", "torchcodec-0.13.0")))
            venv = root / place.partition("/lib")[0].partition("/Lib")[0]
            (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
            # The exit code is 1, because nothing loads.
            commands.append(quoted([TCFIX, "doctor", "--json", "--sysroot", root, venv]) + "; test $? -eq 1")
        commands.append(quoted([installed_tool("python"), "-c", COMPARISON, site / "torchcodec", site / "torch" / "lib"]))
        *ours, theirs = medians(commands, runs=7)
    for group, seconds in zip(places, ours):
        promise(f"doctor on the tree for {group}, in seconds", seconds, "at most 1", seconds <= 1)
    promise("comparing symbols on Windows, pefile's time relative to all of doctor's", theirs / ours[-1],
            "at least 10", theirs >= 10 * ours[-1], f"  [{ours[-1] * 1000:.0f} ms against {theirs * 1000:.0f} ms]")


def bench_probe():
    """`doctor -q`, which other programs run before they import: on a repaired environment, and on one without
    FFmpeg."""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        commands = []
        for name, packages, code in (("ok", ("torchcodec-0.9.1", "av-15.1.0"), 0), ("broken", ("torchcodec-0.9.1",), 1)):
            root = pathlib.Path(folder) / name
            venv = root / "venv"
            install(venv / "lib" / "python3.12" / "site-packages",
                    *(wheel(f"{package}-*macosx*", "macos") for package in ("torch-2.9.1", *packages)))
            (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
            subprocess.run([TCFIX, "apply", "-q", "--sysroot", root, venv])
            commands.append(quoted([TCFIX, "doctor", "-q", "--sysroot", root, venv]) + f"; test $? -eq {code}")
        *ours, theirs = medians([*commands, "python3 -c pass"], runs=40)
    for name, seconds in zip(("loads", "does not load"), ours):
        promise(f"doctor -q where it {name}, relative to Python's start-up", seconds / theirs, "at most 0.5",
                seconds <= 0.5 * theirs, f"  [{seconds * 1000:.1f} ms against {theirs * 1000:.1f} ms]")


# What auditwheel does to learn which libraries a wheel needs: lddtree, on pyelftools.
LDDTREE = """
import sys
from pathlib import Path
from auditwheel.lddtree import ldd
print(sum(len(ldd(Path(path)).libraries) for path in sys.argv[1:]))
"""


def bench_health():
    """Every library of torch 2.9.1 with CUDA's wheels: the verdict of each package, symbols included, compared with
    programs that only look up dependencies."""
    venv = pathlib.Path(subprocess.run([ROOT / "scripts" / "check-packages", "--environment", "cuda"], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout.strip())
    # lddtree fails on files that only have a library's name, such as linker scripts.
    libraries = [path for path in sorted(venv.rglob("*.so*")) if not path.is_symlink() and path.is_file()
                 and path.open("rb").read(4) == b"\x7fELF"]
    commands = {"tcfix": [TCFIX, "doctor", "--all", "-q", venv], "libtree": [tool("libtree"), *libraries],
                "lddtree": [installed_tool("python"), "-c", LDDTREE, *libraries]}
    # libtree and doctor exit with an error if something was not found.
    seconds = dict(zip(commands, medians([f"{quoted(command)} >/dev/null 2>&1 || true" for command in commands.values()],
                                         runs=3)))
    note = "  [" + ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items()) + "]"
    promise(f"doctor --all on {len(libraries)} libraries, in seconds", seconds["tcfix"], "at most 2",
            seconds["tcfix"] <= 2, note)
    for name, least in (("lddtree", 20), ("libtree", 1)):
        ratio = seconds[name] / seconds["tcfix"]
        promise(f"{name}'s time relative to tcfix's", ratio, f"at least {least}", ratio >= least)
    peaks = {name: measure.peak_memory(command) for name, command in commands.items()}
    if peaks["tcfix"] is not None:
        promise("its resident memory in MB", peaks["tcfix"], "at most 300", peaks["tcfix"] <= 300,
                f"  [libtree {peaks['libtree']:.0f}, lddtree {peaks['lddtree']:.0f}]")


BENCHES = {name[len("bench_"):]: function for name, function in list(globals().items()) if name.startswith("bench_")}
