"""Wheels for a real virtual environment in which the real torchcodec is imported: torchcodec as published, PyAV
repacked, and a stand-in for torch."""
import base64
import hashlib
import shutil
import sys
import unittest
import zipfile

import harness
import linux_trees
from linux_trees import SOURCES, StandIns, assembly

TORCHCODEC = "torchcodec-0.9.1-cp3{0}-cp3{0}-manylinux_2_28_x86_64.whl"
# torchcodec registers its operators while it is loaded. These functions create what it then disassembles.
MAKERS = ("parseSchema", "make_function_schema")
RETURN_FIRST = "mov %rdi, %rax\nret"
FILL_FIRST = "mov %rdi, %rdx\nmov $120, %ecx\nxor %eax, %eax\nrep stosb\nmov %rdx, %rax\nret"


class CallableStandIns(StandIns):
    """Stand-ins that can be called: they return empty objects and do nothing."""

    def build(self, path, versions):
        path.parent.mkdir(parents=True, exist_ok=True)
        names = set().union(*versions.values())
        makers = {name for name in names if any(maker in name for maker in MAKERS)}
        sources = {"calls.s": assembly(names - makers, RETURN_FIRST),
                   "makers.s": assembly(makers, FILL_FIRST)}
        for name, text in sources.items():
            (self.folder / name).write_text(text)
        harness.run("gcc", "-shared", "-nostdlib", *(self.folder / name for name in sources), "-o", path,
                    f"-Wl,-soname,{path.name}", check=0)


def pack(folder, name, files):
    """A wheel for any Python: {path in it: bytes}, with its own RECORD."""
    distribution = "-".join(name.split("-")[:2]) + ".dist-info"
    files = {**files, f"{distribution}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\n"
                                               b"Root-Is-Purelib: true\nTag: py3-none-any\n"}
    record = f"{distribution}/RECORD"
    lines = []
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
            archive.writestr(path, data)
        archive.writestr(record, "".join(lines) + f"{record},,\n")
    return folder / name


def torchcodec_wheel():
    """As published for this Python: its extension module fits no other."""
    name = TORCHCODEC.format(sys.version_info.minor)
    pinned = (harness.ROOT / "testdata" / "wheels.txt").read_text()
    if name not in pinned:
        raise unittest.SkipTest(f"testdata/wheels.txt has no {name}")
    return harness.archives(name) / name


def av_wheel(folder, version):
    """PyAV with its FFmpeg. It is never imported, so it may be for another Python."""
    source = linux_trees.wheel("av", version)
    return pack(folder, f"av-{version}-py3-none-any.whl",
                {str(path.relative_to(source)): path.read_bytes() for path in source.rglob("*")
                 if path.is_file() and path.name not in ("RECORD", "WHEEL")})


def torch_wheel(folder):
    stand_ins = CallableStandIns("0.9.1", folder / "torch-libraries", "x86_64")
    files = {f"torch/lib/{path.name}": path.read_bytes() for path in (stand_ins.folder / "torch").iterdir()}
    files["torch/__init__.py"] = (SOURCES / "torch_stand_in.py").read_bytes()
    files["torch-2.9.1.dist-info/METADATA"] = b"Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1\n"
    return pack(folder, "torch-2.9.1-py3-none-any.whl", files)


def make_environment(environment, scratch):
    """A virtual environment of this Python with all three installed."""
    linux_trees.require_tools()
    harness.run(sys.executable, "-m", "venv", "--without-pip", environment, check=0)
    site, = environment.glob("lib/python*/site-packages")
    for wheel in (torch_wheel(scratch), torchcodec_wheel(), av_wheel(scratch, "15.1.0")):
        shutil.unpack_archive(wheel, site, "zip")
