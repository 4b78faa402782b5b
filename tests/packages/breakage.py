"""Ways to break a module of an installed distribution, one at a time, on a copy of an environment whose files are
hard links: every change replaces the file and never writes into it."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

import elf_view


@dataclasses.dataclass
class Case:
    kind: str
    what: str  # what was done, for the report
    target: pathlib.Path  # the file that is replaced
    content: object  # its new bytes, or None: it is removed


def replaced_string(path, old, new):
    """The library's bytes with one string of .dynstr replaced by one of the same length, so that hash tables
    and offsets stay as they are; None where the string is the tail of another one."""
    start, size = elf_view.string_table(path)
    content = bytearray(path.read_bytes())
    table = bytes(content[start:start + size])
    if table.count(old.encode() + b"\0") != 1:
        return None
    place = table.find(b"\0" + old.encode() + b"\0")
    if place < 0:
        return None
    content[start + place + 1:start + place + 1 + len(old)] = new.encode()
    return bytes(content)


def changed_name(name):
    """Another name of the same length."""
    middle = len(name) // 2
    return name[:middle] + ("q" if name[middle] != "q" else "z") + name[middle + 1:]


def foreign_library(soname):
    """A library of another architecture."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.so"
        subprocess.run(["aarch64-linux-gnu-gcc", "-shared", "-nostdlib", "-o", out, "-x", "c", "/dev/null",
                        f"-Wl,-soname,{soname}"], check=True)
        return out.read_bytes()


def without_rpath(patchelf, path):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.so"
        shutil.copy2(path, out)
        subprocess.run([patchelf, "--remove-rpath", out], check=True)
        return out.read_bytes()


def providers(module, mapped, site):
    """Libraries inside the environment that the module needs directly: name in NEEDED -> file."""
    inside = {os.path.basename(path): pathlib.Path(path) for path in mapped if path.startswith(f"{site}/")}
    return {name: inside[name] for name in elf_view.dynamic(module.path)["needed"] if name in inside}


def missing_library(module, own):
    if own:
        name, path = next(iter(own.items()))
        return Case("library", f"{name} removed", path, None)
    needed = elf_view.dynamic(module.path)["needed"]
    for name in needed:
        if content := replaced_string(module.path, name, changed_name(name)):
            return Case("library", f"{name} renamed in NEEDED", module.path, content)
    return None


def missing_symbol(module, own):
    wanted = elf_view.symbols(module.path, is_defined=False)
    for name, path in own.items():
        for symbol in sorted(wanted & elf_view.symbols(path, is_defined=True)):
            if content := replaced_string(path, symbol, changed_name(symbol)):
                return Case("symbol", f"{symbol} renamed in {name}", path, content)
    for symbol in sorted(wanted):
        if symbol.startswith("Py"):
            if content := replaced_string(module.path, symbol, changed_name(symbol)):
                return Case("symbol", f"{symbol} renamed in {module.path.name}", module.path, content)
    return None


def other_architecture(module, own):
    name, path = next(iter(own.items()), (module.path.name, module.path))
    return Case("architecture", f"{name} for aarch64", path, foreign_library(name))


def stripped_rpath(module, own, patchelf):
    if not own or not elf_view.dynamic(module.path)["rpath"]:
        return None
    return Case("rpath", f"search path of {module.path.name} removed", module.path, without_rpath(patchelf, module.path))


def truncated(module, own):
    name, path = next(iter(own.items()), (module.path.name, module.path))
    return Case("truncated", f"{name} cut to 40 bytes", path, path.read_bytes()[:40])


def cases(module, mapped, site, patchelf):
    own = providers(module, mapped, site)
    made = [missing_library(module, own), missing_symbol(module, own), other_architecture(module, own),
            stripped_rpath(module, own, patchelf), truncated(module, own)]
    return [case for case in made if case]


@contextlib.contextmanager
def broken(case):
    """The file is replaced, or gone, for a while."""
    aside = case.target.with_name(case.target.name + ".aside")
    os.rename(case.target, aside)
    try:
        if case.content is not None:
            case.target.write_bytes(case.content)
            shutil.copymode(aside, case.target)
        yield
    finally:
        case.target.unlink(missing_ok=True)
        os.rename(aside, case.target)
