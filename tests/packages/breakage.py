"""Ways to break a module of an installed distribution, one at a time, on a copy of an environment whose files are
hard links: every change replaces the file and never writes into it."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess

import elf_view


@dataclasses.dataclass
class Case:
    kind: str
    what: str  # what was done, for the report
    target: pathlib.Path  # the file that is replaced
    make: object  # called with the original and the path of its replacement; None: the file is removed
    symbol: str = ""  # that was renamed; if the provider itself uses it, the new name is reported


def changed_name(name):
    """Another name of the same length."""
    middle = len(name) // 2
    return name[:middle] + ("q" if name[middle] != "q" else "z") + name[middle + 1:]


def place_of_string(path, text):
    """The offset of a string of .dynstr in the file; None if another string ends with it, or a symbol's name is the
    end of it: linkers store such names once."""
    start, size = elf_view.string_table(path)
    with open(path, "rb") as file:
        file.seek(start)
        table = file.read(size)
    place = table.find(b"\0" + text.encode() + b"\0")
    if place < 0 or table.count(text.encode() + b"\0") != 1:
        return None
    is_shared = any(text.endswith(name) for name in elf_view.names(path) if name != text)
    return None if is_shared else start + place + 1


def renaming(path, name):
    """Replaces a string with one of the same length. Offsets and hash tables do not change, so a lookup finds neither
    the old name nor the new one."""
    place = place_of_string(path, name)
    if place is None:
        return None

    def make(original, out):
        shutil.copy2(original, out)
        with open(out, "r+b") as file:
            file.seek(place)
            file.write(changed_name(name).encode())
    return make


def make_foreign(original, out):
    """A library of another architecture."""
    subprocess.run(["aarch64-linux-gnu-gcc", "-shared", "-nostdlib", "-o", out, "-x", "c", "/dev/null",
                    f"-Wl,-soname,{out.name}"], check=True)


def make_truncated(original, out):
    with open(original, "rb") as file:
        out.write_bytes(file.read(40))


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
        if make := renaming(module.path, name):
            return Case("library", f"{name} renamed in NEEDED", module.path, make)
    return None


def missing_symbol(module, own):
    wanted = elf_view.symbols(module.path, is_defined=False)
    for name, path in own.items():
        for symbol in sorted(wanted & elf_view.symbols(path, is_defined=True)):
            if make := renaming(path, symbol):
                return Case("symbol", f"{symbol} renamed in {name}", path, make, symbol)
    for symbol in sorted(wanted):
        if symbol.startswith("Py"):
            if make := renaming(module.path, symbol):
                return Case("symbol", f"{symbol} renamed in {module.path.name}", module.path, make, symbol)
    return None


def other_architecture(module, own):
    name, path = next(iter(own.items()), (module.path.name, module.path))
    return Case("architecture", f"{name} for aarch64", path, make_foreign)


def stripped_rpath(module, own, patchelf):
    if not own or not elf_view.dynamic(module.path)["rpath"]:
        return None

    def make(original, out):
        shutil.copy2(original, out)
        subprocess.run([patchelf, "--remove-rpath", out], check=True)
    return Case("rpath", f"search path of {module.path.name} removed", module.path, make)


def truncated(module, own):
    name, path = next(iter(own.items()), (module.path.name, module.path))
    return Case("truncated", f"{name} cut to 40 bytes", path, make_truncated)


def cases(module, mapped, site, patchelf):
    own = providers(module, mapped, site)
    made = [missing_library(module, own), missing_symbol(module, own), other_architecture(module, own),
            stripped_rpath(module, own, patchelf), truncated(module, own)]
    return [case for case in made if case]


@contextlib.contextmanager
def broken(case):
    """The file is replaced or removed while the context is open."""
    aside = case.target.with_name(case.target.name + ".aside")
    os.rename(case.target, aside)
    try:
        if case.make:
            case.make(aside, case.target)
        yield
    finally:
        case.target.unlink(missing_ok=True)
        os.rename(aside, case.target)
