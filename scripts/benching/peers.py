"""Makes the same edit of the same libraries with each tool, and measures its cost and the result. The tools and the
checks are those of scripts/compare."""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import tempfile

from benching import measure
from benching.promises import ROOT

TITLES = {"macos": "Two search paths for the 15 libraries of torchcodec 0.9.1 for macOS",
          "linux": "One search path for the 15 libraries of torchcodec 0.9.1 for Linux"}


def load_compare():
    loader = importlib.machinery.SourceFileLoader("compare", str(ROOT / "scripts" / "compare"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def line(commands):
    return " && ".join(measure.quoted(command) for command in commands)


def measured(compare, platform, tools):
    """[(tool, series, MB)]; each run starts from fresh copies that are already on the disk."""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        place = compare.Workplace(platform, pathlib.Path(folder))
        prepare = f"cp {measure.quoted(place.originals)} {place.folder}/ && sync {place.folder}/*"
        lines = [line(tool.commands(place.libraries)) for tool in tools]
        series = measure.series(lines, prepare)
        return [(tool, one, measure.peak_memory(text, prepare)) for tool, one, text in zip(tools, series, lines)]


def compare_tools(platform):
    """One dictionary for each tool."""
    compare = load_compare()
    os.environ["PATH"] = f"{compare.tools()}{os.pathsep}{os.environ['PATH']}"
    tools = {"macos": compare.macos_tools, "linux": compare.linux_tools}[platform]()
    working, rows = [], []
    for tool in tools:
        scratch = pathlib.Path(tempfile.mkdtemp(dir=ROOT / "build"))
        place = compare.Workplace(platform, scratch)
        _, changed, added, second, link = place.measure(tool)
        row = {"tool": tool.name, "command": tool.command, "changed": changed, "added": added, "second": second,
               "link": link}
        if platform == "macos" and link:
            row["signatures"] = "{} of {}".format(min(place.signatures), len(place.libraries))
        shutil.rmtree(scratch)
        rows.append(row)
        if link:  # otherwise it failed
            working.append((tool, row))
    for (_, row), (_, series, memory) in zip(working, measured(compare, platform, [tool for tool, _ in working])):
        row.update(series.json(), memory=memory)
        print(f"        {row['tool']}: {series.median * 1000:.0f} ms, {series.cpu_median * 1000:.0f} ms of CPU, "
              f"{memory or 0:.0f} MB", flush=True)
    return rows
