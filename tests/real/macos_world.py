"""macOS machines, as far as a loader is concerned, made of real wheels below a directory (--sysroot).

FFmpeg's libraries are those of PyAV's wheels under the names that Homebrew, MacPorts and conda give
them; torch and torchcodec are the wheels themselves.
"""
import functools
import os
import pathlib
import re
import shutil

from harness import link_wheel, run, tcfix, tcfix_json, wheels

PYAV = {7: "av-15.1.0", 8: "av-16.0.1"}
COMPONENT = re.compile(r"(libav\w+|libsw\w+)\.(\d+)\.\d+\.\d+\.dylib")
VENV = "Users/me/project/.venv"
TORCH = "@loader_path/../torch/lib"


@functools.cache
def wheel(name):
    return next(wheels("macos").glob(f"{name}-*macosx*"))


def link_tree(source, target):
    """Hard links, as uv creates them, or copies if the disk does not support them."""
    def link(one, other):
        try:
            os.link(one, other)
        except OSError:
            shutil.copy2(one, other)
    shutil.copytree(source, target, copy_function=link, symlinks=True, dirs_exist_ok=True)


class FfmpegStock:
    """FFmpeg's libraries for any directory; each set is made once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def make(self, major, place):
        """Libraries whose identities and dependencies on each other are in `place`, a target path."""
        made = self.folder / f"{major}{place.replace('/', '_')}"
        if made.exists():
            return made
        shutil.copytree(wheel(PYAV[major]) / "av" / ".dylibs", made)
        names = {path.name: "{}.{}.dylib".format(*found.groups()) for path in made.iterdir()
                 if (found := COMPONENT.fullmatch(path.name))}
        for old, new in names.items():
            edits = ["--set-id", f"{place}/{new}"]
            for entry in tcfix_json("inspect", made / old)["files"][0]["dependencies"]:
                name = entry["name"].rpartition("/")[2]
                if name in names:
                    edits += ["--rename-dependency", f"{entry['name']}={place}/{names[name]}"]
            tcfix("edit", *edits, made / old)
            (made / old).rename(made / new)
        return made


class World:
    """A sysroot with one environment in it."""

    def __init__(self, folder, stock, environment=VENV):
        self.root = pathlib.Path(folder)
        self.stock = stock
        self.env = self.root / environment
        self.site = self.env / "lib" / "python3.12" / "site-packages"
        self.make_environment()

    def make_environment(self):
        self.site.mkdir(parents=True)
        (self.env / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")

    def install(self, *names):
        for name in names:
            link_wheel(wheel(name), self.site)

    def uninstall(self, name):
        shutil.rmtree(self.site / name)
        shutil.rmtree(next(self.site.glob(f"{name}-*.dist-info")))

    def path(self, target):
        return self.root / target.lstrip("/")

    def put_ffmpeg(self, major, place):
        link_tree(self.stock.make(major, place), self.path(place))

    def brew(self, major, keg="ffmpeg", version="1.0", prefix="/opt/homebrew", linked=True):
        """A keg in the Cellar, its link in opt and, unless it is keg-only, those in lib."""
        cellar = f"{prefix}/Cellar/{keg}/{version}/lib"
        self.put_ffmpeg(major, cellar)
        opt, lib = self.path(f"{prefix}/opt/{keg}"), self.path(f"{prefix}/lib")
        opt.parent.mkdir(parents=True, exist_ok=True)
        opt.symlink_to(f"../Cellar/{keg}/{version}")
        lib.mkdir(exist_ok=True)
        if linked:
            for library in self.path(cellar).iterdir():
                (lib / library.name).symlink_to(f"../Cellar/{keg}/{version}/lib/{library.name}")

    def unbrew(self, prefix="/opt/homebrew"):
        shutil.rmtree(self.path(prefix))

    def libraries(self):
        return sorted((self.site / "torchcodec").glob("libtorchcodec*"))

    def apply(self, *options, check=0):
        return tcfix_json("apply", "--sysroot", self.root, self.env, *options, check=check)

    def undo(self, *options, check=0):
        return tcfix_json("undo", "--sysroot", self.root, self.env, *options, check=check)


def search_paths(library):
    """The LC_RPATH entries in order, as read by LLVM."""
    text = run("llvm-otool-19" if shutil.which("llvm-otool-19") else "llvm-otool", "-l", library,
               check=0).stdout
    return re.findall(r"cmd LC_RPATH\n +cmdsize \d+\n +path (.*) \(offset 12\)", text)
