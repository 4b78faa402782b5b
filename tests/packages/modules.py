"""The distributions of an environment that contain native libraries, and their extension modules. Read from
RECORD and the files' own bytes, without tcfix."""
import csv
import dataclasses
import email
import mmap
import pathlib
import re

ELF = b"\x7fELF"


@dataclasses.dataclass(frozen=True)
class Module:
    name: str  # dotted, as in `import NAME`
    path: pathlib.Path


@dataclasses.dataclass
class Distribution:
    name: str
    version: str
    info: pathlib.Path  # its .dist-info
    libraries: list  # of paths: ELF files that can be loaded
    modules: list  # of Module
    names: list  # top-level names for `import`


def normalized(name):
    """A project's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def site_packages(environment):
    (site,) = pathlib.Path(environment).glob("lib/python3*/site-packages")
    return site


def is_library(path):
    """An ELF file with the name of a shared library."""
    if not re.search(r"\.so(\.[0-9]+)*$", path.name) or path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == ELF


def has_string(path, text):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(text + b"\0") >= 0


def as_module(site, path, suffixes):
    """The module in this file, if Python can import it."""
    suffix = next((one for one in suffixes if path.name.endswith(one)), None)
    if not suffix:
        return None
    parts = [*path.parent.relative_to(site).parts, path.name[:-len(suffix)]]
    if not all(part.isidentifier() for part in parts) or not has_string(path, b"PyInit_" + parts[-1].encode()):
        return None
    return Module(".".join(parts), path)


def import_names(rows, modules):
    """Top-level packages and modules."""
    names = {row.split("/")[0] for row in rows if row.count("/") == 1 and row.endswith("/__init__.py")}
    names |= {row[:-len(".py")] for row in rows if "/" not in row and row.endswith(".py")}
    names |= {module.name for module in modules if "." not in module.name}
    return sorted(name for name in names if name.isidentifier())


def read_distribution(site, info, suffixes):
    metadata = email.message_from_string((info / "METADATA").read_text(errors="replace"))
    with open(info / "RECORD", newline="") as file:
        rows = [row[0] for row in csv.reader(file) if row and not row[0].startswith("..")]
    libraries = [path for path in (site / row for row in rows) if is_library(path)]
    modules = [module for path in libraries if (module := as_module(site, path, suffixes))]
    return Distribution(metadata["Name"], metadata["Version"], info, libraries, modules, import_names(rows, modules))


def distributions(environment):
    """All with a native library, by normalized name."""
    site = site_packages(environment)
    version = site.parent.name[len("python"):].replace(".", "")
    suffixes = [f".cpython-{version}-x86_64-linux-gnu.so", ".abi3.so", ".so"]
    read = [read_distribution(site, info, suffixes) for info in sorted(site.glob("*.dist-info"))]
    return {normalized(one.name): one for one in read if one.libraries}
