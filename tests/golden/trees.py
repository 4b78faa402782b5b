"""Environments of a few kilobytes for the transcripts: torchcodec 0.9.1 with its 15 libraries and torch 2.9.1,
for macOS, Linux and Windows, with an FFmpeg that the libraries do not find or without one."""
import functools
import pathlib
import sys
import zipfile

import harness

sys.path.insert(0, str(harness.ROOT / "tests" / "cli"))
import tiny_elf  # noqa: E402
import tiny_macho  # noqa: E402
import tiny_pe  # noqa: E402
from tiny_world import record_row, write_files  # noqa: E402

MAJORS = (4, 5, 6, 7, 8)
ROLES = ("core", "custom_ops", "pybind_ops")
COMPONENTS = {4: (56, 58, 58, 58, 7, 5, 3), 5: (57, 59, 59, 59, 8, 6, 4), 6: (58, 60, 60, 60, 9, 7, 4),
              7: (59, 61, 61, 61, 10, 8, 5), 8: (60, 62, 62, 62, 11, 9, 6)}
NAMES = ("avutil", "avcodec", "avformat", "avdevice", "avfilter", "swscale", "swresample")


def ffmpeg_names(major, form):
    """The file names of one FFmpeg major, such as form "lib{}.so.{}"."""
    return [form.format(name, number) for name, number in zip(NAMES, COMPONENTS[major])]


class Platform:
    """How a platform names and builds the libraries."""

    def torchcodec(self):
        return {f"torchcodec/{self.file(role, major)}": self.library(role, major)
                for role in ROLES for major in MAJORS}


class MacOS(Platform):
    home, site, config = "Users/me", "lib/python3.12/site-packages", "home = /usr/bin\n"
    ffmpeg_folder, ffmpeg_form = "opt/homebrew/lib", "lib{}.{}.dylib"
    tag = "cp312-cp312-macosx_11_0_arm64"

    def file(self, role, major):
        return f"libtorchcodec_{role}{major}.{'so' if role == 'pybind_ops' else 'dylib'}"

    def library(self, role, major):
        core = [] if role == "core" else [self.file("core", major)]
        names = [*core, "libc10.dylib", *ffmpeg_names(major, self.ffmpeg_form)]
        return self.dylib(f"@rpath/{self.file(role, major)}", tuple(f"@rpath/{name}" for name in names))

    @staticmethod
    @functools.cache
    def dylib(identity, dependencies=()):
        """Signed, like every library for this processor."""
        path = pathlib.Path(harness.tempfile.mkdtemp(prefix="tcfix-test-")) / identity.rpartition("/")[2]
        path.write_bytes(tiny_macho.dylib(identity=identity, padding=2000,
                                          dependencies=[*dependencies, "/usr/lib/libSystem.B.dylib"]))
        harness.tcfix("sign", path)
        data = path.read_bytes()
        harness.shutil.rmtree(path.parent)
        return data

    def torch(self):
        return {"torch/lib/libc10.dylib": self.dylib("@rpath/libc10.dylib")}

    def ffmpeg(self, name):
        return self.dylib(f"/{self.ffmpeg_folder}/{name}")


class Linux(Platform):
    """Its FFmpeg is the one inside PyAV: the loader finds the system's without a search path."""

    home, site, config = "home/me", "lib/python3.12/site-packages", "home = /usr/bin\nversion = 3.12.4\n"
    ffmpeg_folder, ffmpeg_form = "usr/lib/x86_64-linux-gnu", "lib{}.so.{}"
    tag = "cp312-cp312-manylinux_2_28_x86_64"

    def file(self, role, major):
        return f"libtorchcodec_{role}{major}.so"

    def library(self, role, major):
        core = [] if role == "core" else [self.file("core", major)]
        return tiny_elf.library(self.file(role, major),
                                [*core, "libc10.so", *ffmpeg_names(major, self.ffmpeg_form), "libc.so.6"])

    def torch(self):
        return {"torch/lib/libc10.so": tiny_elf.library("libc10.so")}

    def ffmpeg(self, name):
        return tiny_elf.library(name)


class Windows(Platform):
    home, site, config = "C/Users/me", "Lib/site-packages", "home = C:\\Python312\nversion = 3.12.4\n"
    ffmpeg_folder, ffmpeg_form = "C/ffmpeg/bin", "{}-{}.dll"
    tag = "cp312-cp312-win_amd64"

    def file(self, role, major):
        return f"libtorchcodec_{role}{major}.{'pyd' if role == 'pybind_ops' else 'dll'}"

    def library(self, role, major):
        names = ["c10.dll", *ffmpeg_names(major, self.ffmpeg_form)]
        if role != "core":
            names.insert(0, self.file("core", major))
        imports = {name: [name.partition("-")[0].partition(".")[0]] for name in names}
        return tiny_pe.dll(self.file(role, major), {**imports, "KERNEL32.dll": ["Sleep"]},
                           [self.file(role, major).partition(".")[0]])

    def torch(self):
        return {"torch/lib/c10.dll": tiny_pe.dll("c10.dll", exports=["c10"])}

    def ffmpeg(self, name):
        return tiny_pe.dll(name, exports=[name.partition("-")[0]])


PLATFORMS = {"macos": MacOS, "linux": Linux, "windows": Windows}


def distribution(name, version, tag, files):
    """The contents of a package's wheel."""
    info = f"{name}-{version}.dist-info"
    files = {**files, f"{name}/__init__.py": b"",
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()}
    rows = "".join(record_row(path, data) for path, data in files.items())
    return {**files, f"{info}/RECORD": f"{rows}{info}/RECORD,,\n".encode()}


def pyav():
    """PyAV 15.1 with an FFmpeg 7 whose libraries find each other, under the names that auditwheel gives them."""
    names = {name: f"{name.partition('.')[0]}-0123abcd.so.{name.rpartition('.')[2]}.1.100"
             for name in ffmpeg_names(7, Linux.ffmpeg_form)}
    files = {f"av.libs/{new}": tiny_elf.library(new, runpath="$ORIGIN") for new in names.values()}
    return distribution("av", "15.1.0", Linux.tag, files)


def make(root, name, ffmpeg):
    """Creates the environment `.venv` in the user's home and returns it; `ffmpeg` is a major, "av" or None."""
    platform = PLATFORMS[name]()
    home = pathlib.Path(root) / platform.home
    site = home / ".venv" / platform.site
    torchcodec = distribution("torchcodec", "0.9.1", platform.tag, platform.torchcodec())
    write_files(site, torchcodec)
    write_files(site, distribution("torch", "2.9.1", platform.tag, platform.torch()))
    (home / ".venv" / "pyvenv.cfg").write_text(platform.config)
    if ffmpeg == "av":
        write_files(site, pyav())
    elif ffmpeg:
        write_files(pathlib.Path(root) / platform.ffmpeg_folder,
                    {file: platform.ffmpeg(file) for file in ffmpeg_names(int(ffmpeg), platform.ffmpeg_form)})
    with zipfile.ZipFile(home / f"torchcodec-0.9.1-{platform.tag}.whl", "w") as archive:
        for path, data in torchcodec.items():
            archive.writestr(zipfile.ZipInfo(path), data)
    return home
