"""docs/benchmark.md and its pictures, from what one run measured; and the comparison of two runs."""
import os
import pathlib
import platform

from benching import peers, plots
from benching.promises import ROOT

PICTURES = ROOT / "docs" / "pictures"
INTRODUCTION = """# Benchmark

Made by `scripts/bench` in one run on one machine; do not edit. Times are medians of 10 runs, of 60 for the shortest
commands, and of 7 or 3 for the longest; quartiles show how far they spread. The commands of a table take turns, each on fresh copies that are already on the disk. A
ratio compares what was measured minutes apart at most; times of another machine, or of another run, compare with
nothing here. [compare.md](compare.md) describes the tools and how the files were checked.

"""


def milliseconds(seconds):
    return f"{seconds * 1000:,.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def megabytes(value):
    return "" if value is None else f"{value:,.0f} MB"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n\n"


def processor():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine():
    """At the beginning of a run; `load` is added at its end."""
    return {"processor": processor(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
            "nice": os.nice(0) if hasattr(os, "nice") else 0,
            "load": [os.getloadavg()[0]] if hasattr(os, "getloadavg") else []}


def machine_text(found):
    text = f"Machine: {found['processor']}, {found['cores']} cores, {found['system']}. "
    if found.get("nice"):
        text += f"Everything ran with niceness {found['nice']}. "
    if len(found["load"]) > 1:
        text += (f"Load average between {min(found['load']):.1f} and {max(found['load']):.1f} during the run"
                 + (": **the machine was busy with other work**, so that times are long and spread; counts and ratios "
                    "are what to look at.\n\n" if max(found["load"]) > found["cores"] + 1 else ".\n\n"))
    return text


def promises_text(results):
    rows = [[one["text"], f"{one['value']:.2f}", one["limit"], "yes" if one["kept"] else "**no**",
             one["note"].strip("[]")] for one in results]
    return "## Promises\n" + table(["what", "measured", "promised", "kept", "in detail"], rows)


def counts_text(counts):
    rows = [[f"`{name}`" if "python" in name else f"`tcfix {name}`" if "," not in name else
             "`tcfix apply`, nothing to do", f"{one['instructions'] or 0:,}", f"{one['calls'] or 0:,}"]
            for name, one in counts.items()]
    return ("## Counts\nInstructions of the program as valgrind counts them, and system calls of all its threads. The "
            "environment has torch 2.9.1, torchcodec 0.9.1 and PyAV 15.1 for macOS; 52 libraries are read.\n\n"
            + table(["command", "instructions", "system calls"], rows))


def peers_text(found):
    text = "## The same edit by other tools\n"
    for name, rows in found.items():
        own = next(row for row in rows if row["tool"] == "tcfix")
        cells = []
        for row in rows:
            if "median" not in row:
                cells.append([row["tool"], row["changed"]] + [""] * 10)
                continue
            low, high = row["quartiles"]
            cells.append([row["tool"], milliseconds(row["median"]), f"{milliseconds(low)} – {milliseconds(high)}",
                          f"{row['median'] / own['median']:.1f}x", milliseconds(row["cpu"]),
                          f"{row['cpu'] / own['cpu']:.1f}x", megabytes(row["memory"]), row["changed"], row["added"], row["second"], row["link"],
                          row.get("signatures", "")])
        text += f"### {peers.TITLES[name]}\n" + table(
            ["tool", "time", "quartiles", "by ours", "processor time", "by ours", "memory", "bytes changed",
             "bytes added", "second run", "hard link", "valid signatures"], cells)
    return text


def growth_text(title, found, key, unit, picture, remark):
    rows = [[name, f"{one[key]:,}", milliseconds(one["median"]),
             "{} – {}".format(*map(milliseconds, one["quartiles"])), milliseconds(one["cpu"]), megabytes(one["memory"]),
             one["runs"]] for name, line in found.items() for one in line]
    lines = {name: [(one[key], one["median"]) for one in line] for name, line in found.items() if line}
    (PICTURES / picture).write_text(plots.chart(title, unit, "seconds", lines))
    return (f"### {title}\n{remark}\n\n![{title}](pictures/{picture})\n\n"
            + table(["", unit, "time", "quartiles", "processor time", "memory", "runs"], rows))


def growth_parts(found):
    parts = {
        "size": ("Time by the size of a library", "size", "bytes",
                 "One search path for an ELF library. patchelf writes into the file and waits for no disk."),
        "libraries": ("Time by the number of libraries", "count", "libraries",
                      "Two search paths for Mach-O libraries of 246 kB in one call."),
        "environments": ("Time by the number of environments", "count", "environments",
                         "`tcfix apply ENVIRONMENT…`: 15 libraries each, on a file system in memory. Processor time "
                         "above the time shows that several cores work.")}
    return "".join(growth_text(title, found[name], key, unit, f"bench-{name}.svg", remark)
                   for name, (title, key, unit, remark) in parts.items() if name in found)


def write(found, path=ROOT / "docs" / "benchmark.md"):
    """Sections about what was not measured are left out."""
    text = INTRODUCTION + machine_text(found["machine"]) + promises_text(found["promises"])
    if "counts" in found:
        text += counts_text(found["counts"])
    if "peers" in found:
        text += peers_text(found["peers"])
    if growth := growth_parts(found):
        text += "## How the cost grows\n" + growth
    pathlib.Path(path).write_text(text.rstrip() + "\n")


def comparison(before, after):
    """A table of what can be compared between two runs: counts first; ratios of promises."""
    rows = []
    for name, one in after.get("counts", {}).items():
        old = before.get("counts", {}).get(name)
        for key in ("instructions", "calls"):
            if old and old[key] and one[key]:
                rows.append([f"{name}: {key}", f"{old[key]:,}", f"{one[key]:,}", f"{one[key] / old[key] - 1:+.1%}"])
    known = {one["text"]: one for one in before.get("promises", [])}
    for one in after.get("promises", []):
        if one["text"] in known and known[one["text"]]["value"]:
            old = known[one["text"]]["value"]
            rows.append([one["text"], f"{old:.2f}", f"{one['value']:.2f}", f"{one['value'] / old - 1:+.0%}"])
    return table(["", "before", "now", "difference"], rows)
