"""Small environments for tests of `tcfix doctor`: torchcodec and torch made of tiny libraries for the
loader of macOS or Linux, below a directory (--sysroot)."""
import base64
import hashlib
import pathlib
import struct
import subprocess

import tiny_macho
from harness import tcfix

ENV = "home/me/.venv"
COMPONENTS = {7: {"avutil": 59, "avcodec": 61, "avformat": 61, "avdevice": 61, "avfilter": 10,
                  "swscale": 8, "swresample": 5},
              5: {"avutil": 57, "avcodec": 59, "avformat": 59, "avdevice": 59, "avfilter": 8,
                  "swscale": 6, "swresample": 4}}


class Tree:
    """torchcodec 0.9.1 with torch 2.9.1, in a virtual environment without defects."""

    def __init__(self, folder, **options):
        self.root = pathlib.Path(folder)
        self.env = self.root / ENV
        self.site = self.env / "lib/python3.12/site-packages"
        self.site.mkdir(parents=True)
        (self.env / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")
        self.dist_info("torchcodec", "0.9.1", "cp312-cp312-x")
        self.dist_info("torch", "2.9.1", "cp312-none-x")
        self.torch()
        self.core(**options)
        self.record()

    def write(self, path, content, mode=0o644):
        """A file at a path of the target."""
        file = self.root / str(path).lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        file.chmod(mode)
        return file

    def dist_info(self, name, version, tag):
        info = self.site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
        return info

    def change_version(self, name, version):
        (old,) = self.site.glob(f"{name}-*.dist-info")
        new = old.rename(self.site / f"{name}-{version}.dist-info")
        (new / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")

    def record(self, *rows):
        """Writes torchcodec's RECORD: its current libraries, and more rows."""
        (info,) = self.site.glob("torchcodec-*.dist-info")
        lines = []
        for file in sorted(each for each in (self.site / "torchcodec").rglob("*") if each.is_file()):
            digest = hashlib.sha256(file.read_bytes()).digest()
            text = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            name = file.relative_to(self.site).as_posix()
            lines.append(f"{name},sha256={text},{file.stat().st_size}\n")
        (info / "RECORD").write_text("".join([*lines, *rows, f"{info.name}/RECORD,,\n"]))

    @property
    def arguments(self):
        return ["--sysroot", self.root, self.env]


class MacTree(Tree):
    def torch(self):
        self.library(self.site / "torch/lib/libtorch_cpu.dylib")

    def core(self, **options):
        self.library(self.site / "torchcodec/libtorchcodec_core7.dylib", **options)

    def library(self, path, sign=True, sdk=None, **options):
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        options.setdefault("identity", f"@rpath/{path.name}")
        image = tiny_macho.dylib(**options)
        if sdk:
            image = image.replace(struct.pack("<II", 11 << 16, 14 << 16 | 5 << 8),
                                  struct.pack("<II", 11 << 16, sdk << 16))
        path.write_bytes(image)
        if sign:
            tcfix("sign", path)
        return path

    def ffmpeg(self, folder, major=7, **options):
        """FFmpeg's libraries in a directory of the target."""
        for name, number in COMPONENTS[major].items():
            file = f"lib{name}.{number}.dylib"
            self.library(self.root / folder.lstrip("/") / file, identity=f"{folder}/{file}", **options)

    def pyav(self):
        self.dist_info("av", "15.1.0", "cp312-cp312-x")
        for name, number in COMPONENTS[7].items():
            self.library(self.site / f"av/.dylibs/lib{name}.{number}.1.100.dylib")

    def python(self, cpu="arm64"):
        return self.library(self.env / "bin/python3.12", cpu=cpu)


WANTS_FFMPEG = tuple(f"@rpath/lib{name}.{number}.dylib" for name, number in COMPONENTS[7].items())


class LinuxTree(Tree):
    def torch(self):
        self.library(self.site / "torch/lib/libtorch_cpu.so", "int torch_here;")

    def core(self, **options):
        self.library(self.site / "torchcodec/libtorchcodec_core7.so", **options)

    def library(self, path, source="int here;", needs=(), versions=None, flags=(), language="c"):
        """Compiles a library; `needs` are stand-ins, {file name: source}, that only the linker uses;
        `versions` is the version of all its symbols."""
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.root.parent / f"{self.root.name}-scratch"
        scratch.mkdir(exist_ok=True)
        command = ["gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--allow-shlib-undefined",
                   "-Wl,-z,lazy", f"-Wl,-soname,{path.name}", "-o", path, "-x", language, "-"]
        if versions:
            script = scratch / f"{path.name}.map"
            script.write_text(f"{versions} {{ *; }};\n")
            command.insert(1, f"-Wl,--version-script={script}")
        for name, (content, version) in dict(needs).items():
            stand_in = scratch / name
            self.library(stand_in, content, versions=version)
            command += ["-Wl,--no-as-needed", "-x", "none", stand_in]
        subprocess.run([*map(str, command), *flags], input=source, text=True, check=True)
        return path
