"""Which symbols a library requires and its providers lack, according to pefile, llvm-nm and nm."""
import functools
import re

import pefile

from harness import find_tool, run
from linux_trees import symbols

MANY = 1 << 20  # pefile's default limit is 8,192 exports; torch_cpu.dll has 60,252


@functools.cache
def dll_exports(path):
    image = pefile.PE(str(path), fast_load=True, max_symbol_exports=MANY)
    image.parse_data_directories(directories=[pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_EXPORT"]])
    found = {one.name.decode() for one in image.DIRECTORY_ENTRY_EXPORT.symbols if one.name}
    image.close()
    return found


def missing_in_dlls(importer, folder):
    """{name of the provider: symbols} for the providers in `folder`."""
    image = pefile.PE(str(importer), fast_load=True)
    image.parse_data_directories(directories=[pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]])
    missing = {}
    for entry in image.DIRECTORY_ENTRY_IMPORT:
        provider = folder / entry.dll.decode()
        if provider.exists():
            wanted = {one.name.decode() for one in entry.imports if one.name}
            missing[provider.name] = wanted - dll_exports(provider)
    image.close()
    return {name: lacking for name, lacking in missing.items() if lacking}


@functools.cache
def dylib_exports(path):
    tool = find_tool("llvm-objdump-19", "llvm-objdump")
    lines = run(tool, "--macho", "--exports-trie", path, check=0).stdout.splitlines()
    return {parts[1] for parts in map(str.split, lines) if len(parts) >= 2 and parts[0].startswith("0x")}


def wanted_by_dylib(importer):
    """{symbol: name of the library that must have it}, without weak ones."""
    tool = find_tool("llvm-nm-19", "llvm-nm")
    lines = run(tool, "-m", "--undefined-only", importer, check=0).stdout.splitlines()
    found = (re.search(r"\(undefined\) external (\S+) \(from (\S+)\)", line) for line in lines)
    return {one[1]: one[2] + ".dylib" for one in found if one}


def missing_in_dylibs(importer, folder):
    missing = {}
    for symbol, name in wanted_by_dylib(importer).items():
        if (folder / name).exists() and symbol not in dylib_exports(folder / name):
            missing.setdefault(name, set()).add(symbol)
    return missing


@functools.cache
def so_exports(path, prefix):
    return {name.partition("@")[0] for name in symbols("defined", [path], prefix)}


def missing_in_sos(importer, visible, prefix):
    """The unversioned symbols that none of the `visible` libraries has."""
    offered = set().union(*(so_exports(path, prefix) for path in visible))
    return {name for name in symbols("undefined", [importer], prefix)
            if "@" not in name and name not in offered and not re.match("_?Py", name)}
