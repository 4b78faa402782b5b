"""A macOS machine of a few kilobytes: torch, torchcodec and Homebrew's FFmpeg 7, below a directory."""
import base64
import hashlib
import pathlib

import tiny_macho

TORCH = "@loader_path/../torch/lib"
BREW = "/opt/homebrew/lib"
VERSIONS = {"avcodec": 61, "avutil": 59, "avformat": 61, "avdevice": 61, "avfilter": 10,
            "swscale": 8, "swresample": 5}
FFMPEG = [f"lib{name}.{major}.dylib" for name, major in VERSIONS.items()]
LIBRARIES = ["libtorchcodec_core7.dylib", "libtorchcodec_custom_ops7.dylib",
             "libtorchcodec_pybind_ops7.so"]
INFO = "torchcodec-0.9.1.dist-info"


def library(name):
    core = [] if "core" in name else ["@rpath/libtorchcodec_core7.dylib"]
    return tiny_macho.dylib(identity=f"@rpath/{name}", padding=2000, dependencies=[
        *core, "@rpath/libc10.dylib", *(f"@rpath/{each}" for each in FFMPEG),
        "/usr/lib/libSystem.B.dylib"])


def record_row(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def package_files(names=LIBRARIES, info=INFO):
    """The contents of a wheel of this torchcodec, RECORD last."""
    version = info.split("-")[1].removesuffix(".dist")
    files = {f"torchcodec/{name}": library(name) for name in names}
    files["torchcodec/__init__.py"] = b""
    files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: torchcodec\n"
                                 f"Version: {version}\n").encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
    rows = "".join(record_row(path, data) for path, data in files.items())
    files[f"{info}/RECORD"] = (rows + f"{info}/RECORD,,\n").encode()
    return files


def write_files(folder, files):
    for path, data in files.items():
        target = pathlib.Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


class TinyWorld:
    def __init__(self, folder, environment="Users/me/.venv", names=LIBRARIES):
        self.root = pathlib.Path(folder)
        self.env = self.root / environment
        self.site = self.env / "lib" / "python3.12" / "site-packages"
        self.package = self.site / "torchcodec"
        self.info = self.site / INFO
        self.journal = self.info / "tcfix-journal.json"
        write_files(self.site, package_files(names))
        write_files(self.site, {
            "torch/lib/libc10.dylib": tiny_macho.dylib(identity="@rpath/libc10.dylib"),
            "torch-2.9.1.dist-info/METADATA": b"Name: torch\nVersion: 2.9.1\n",
            "torch-2.9.1.dist-info/RECORD": b"torch/lib/libc10.dylib,,\n"})
        (self.env / "pyvenv.cfg").write_text("home = /usr/bin\n")
        (self.root / "opt/homebrew/opt").mkdir(parents=True)
        write_files(self.root / "opt/homebrew/lib", {
            name: tiny_macho.dylib(identity=f"{BREW}/{name}") for name in FFMPEG})

    def libraries(self):
        return sorted(self.package.glob("libtorchcodec*"))
