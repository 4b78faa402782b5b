"""Linux environments made of the real torchcodec and PyAV, with stand-ins for torch, CUDA and Python:
small libraries that export what torchcodec's need, and a program that loads them with the real ld.so.
"""
import collections
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import FilesTest, find_tool, link_tree, run, tcfix, tcfix_json, wheels

SOURCES = pathlib.Path(__file__).resolve().parent / "sources"
SITE = "lib/python3.12/site-packages"
ROLES = ("core", "custom_ops", "pybind_ops")  # in the order in which torchcodec loads them
# Versions that the system's libraries define, and FFmpeg's.
FOREIGN = re.compile(r"(GLIBC|GLIBCXX|CXXABI|GCC|LIBAV\w+|LIBSW\w+|LIBPOSTPROC)_")


def wheel(name, version, arch="x86_64"):
    pattern = f"{name}-{version}-cp312-*_{arch}"
    (folder,) = wheels(f"{pattern}.whl").glob(pattern)
    return folder


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path, check=0).stdout)


def search_paths(path):
    """(RPATH or RUNPATH or None, the entries), as read by readelf."""
    found = re.search(r"\((RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-dW", path, check=0).stdout)
    return (found[1], found[2].split(":")) if found else (None, [])


def symbols(kind, files, prefix=""):
    lines = run(prefix + "nm", "-D", f"--{kind}-only", *files, check=0).stdout.splitlines()
    for line in lines:
        parts = line.split()
        if len(parts) >= 2 and parts[-2] in "UTtWVDBRiu":
            yield parts[-1]


@functools.lru_cache(None)
def system_symbols(prefix):
    """The unversioned symbols of the C and C++ libraries."""
    files = [run(prefix + "gcc", f"-print-file-name={name}", check=0).stdout.strip()
             for name in ("libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1")]
    return {name.partition("@")[0] for name in symbols("defined", files, prefix)}


def assembly(names, body):
    lines = [".text", "stub:", body]
    for name in sorted(names):
        lines += [f".globl {name}", f".type {name}, @function", f".set {name}, stub"]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


class StandIns:
    """Stand-ins for what one version of torchcodec, or these libraries, need."""

    def __init__(self, version, folder, arch, own=()):
        self.folder, self.arch = folder, arch
        self.prefix = "" if arch == "x86_64" else f"{arch}-linux-gnu-"
        folder.mkdir()
        if not own:
            package = wheel("torchcodec", version, arch)
            own = [*package.glob("torchcodec/*.so"), *package.glob("torchcodec.libs/*")]
        offered = {name.partition("@")[0] for name in symbols("defined", own, self.prefix)} | system_symbols(self.prefix)
        wanted = self.needed_symbols(own, offered)
        self.python_names = {name for name in wanted[""] if re.match("_?Py", name)}
        wanted[""] -= self.python_names
        for name in {name for path in own for name in needed(path)}:
            if re.match("lib(c10|torch)[._]", name) and not name.startswith("libtorchcodec"):
                self.build(folder / "torch" / name, {"": wanted[""]} if name == "libtorch_cpu.so" else {})
            elif re.match("lib(nvrtc|cudart)", name):
                self.build(folder / "nvidia" / name, {name: wanted[name]})

    def needed_symbols(self, libraries, offered=()):
        """{version: names}, without those of the system and FFmpeg; "" for unversioned ones."""
        wanted = collections.defaultdict(set)
        for name in symbols("undefined", libraries, self.prefix):
            name, _, version = name.partition("@")
            if name not in offered and not FOREIGN.match(version):
                wanted[version].add(name)
        return wanted

    def build(self, path, versions):
        """A library that exports these names with these versions."""
        path.parent.mkdir(parents=True, exist_ok=True)
        source, script = self.folder / "stub.s", self.folder / "stub.map"
        names = set().union(*versions.values())
        jump = "jmp wasCalled@PLT" if self.arch == "x86_64" else "b wasCalled"
        source.write_text(assembly(names, jump if names else ""))
        script.write_text("".join(f"{version} {{ {'; '.join(names)}; }};\n"
                                  for version, names in versions.items() if version and names))
        run(self.prefix + "gcc", "-shared", "-nostdlib", source, "-o", path, f"-Wl,-soname,{path.name}",
            *([f"-Wl,--version-script={script}"] if script.read_text() else []), check=0)

    def python(self, target, *options):
        """The program, with the symbols of libpython."""
        source = self.folder / "python.s"
        source.write_text(assembly(self.python_names, "ret"))
        target.parent.mkdir(parents=True, exist_ok=True)
        run(self.prefix + "gcc", SOURCES / "loader.c", source, "-rdynamic", "-o", target, *options, check=0)

    def libpython(self, target):
        source = self.folder / "python.s"
        source.write_text(assembly(self.python_names, "ret"))
        target.parent.mkdir(parents=True, exist_ok=True)
        run(self.prefix + "gcc", "-shared", "-nostdlib", source, "-o", target, f"-Wl,-soname,{target.name}", check=0)


def write_torch_version(site, version):
    """The files that mark torch as installed; replaces an earlier version."""
    for old in site.glob("torch-*.dist-info"):
        shutil.rmtree(old)
    info = site / f"torch-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")


class Tree:
    """A virtual environment with torchcodec and a stand-in for torch."""

    runner = ()  # the emulator, if the programs are for another machine

    def __init__(self, root, version, stand_ins, python_options=()):
        self.root, self.stand_ins = root, stand_ins
        self.site = root / SITE
        link_tree(wheel("torchcodec", version, stand_ins.arch), self.site)
        self.package = self.site / "torchcodec"
        self.info = self.site / f"torchcodec-{version}.dist-info"
        link_tree(stand_ins.folder / "torch", self.site / "torch" / "lib")
        self.say_torch("2.9.1")
        self.python = root / "bin" / "python3.12"
        stand_ins.python(self.python, *python_options)
        (root / "pyvenv.cfg").write_text(f"home = {root}/none/bin\nversion = 3.12.1\n")
        self.majors = sorted((int(re.search(r"core(\d+)", path.name)[1])
                              for path in self.package.glob("libtorchcodec_core*.so")), reverse=True)

    def say_torch(self, version):
        """The version of the stand-in for torch."""
        write_torch_version(self.site, version)

    def install(self, name, version):
        link_tree(wheel(name, version, self.stand_ins.arch), self.site)

    def uninstall(self, name):
        for path in [*self.site.glob(f"{name}"), *self.site.glob(f"{name}.libs"),
                     *self.site.glob(f"{name}-*.dist-info")]:
            shutil.rmtree(path)

    def add_cuda(self, folder="cu13"):
        link_tree(self.stand_ins.folder / "nvidia", self.site / "nvidia" / folder / "lib")

    def library(self, role, major=7):
        return self.package / f"libtorchcodec_{role}{major}.so"

    def group(self, major):
        return [path for path in (self.library(role, major) for role in ROLES) if path.exists()]

    def torch(self):
        return sorted((self.site / "torch" / "lib").iterdir())

    def ld_so(self, libraries, preload=()):
        """The real loader's message for each library, in one process."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
        result = subprocess.run([*self.runner, self.python, *preload, *libraries], env=variables, text=True,
                                capture_output=True, check=True)
        return result.stdout.splitlines()[len(preload):]

    def real(self, major, preloaded):
        lines = self.ld_so(self.group(major), self.torch() if preloaded else ())
        assert len(lines) == len(self.group(major)), lines
        return all(line == "loaded" for line in lines)

    def content(self):
        """Every file of the site with its bytes, time and link target, to compare."""
        return {str(path.relative_to(self.site)):
                (path.read_bytes(), path.stat().st_mtime_ns) for path in self.site.rglob("*")
                if path.is_file()}


def private_ffmpeg(folder, version, *options):
    """PyAV's FFmpeg under the usual names, in a directory that no loader searches; `options` of tcfix edit
    apply to every FFmpeg library in it."""
    shutil.copytree(wheel("av", version) / "av.libs", folder)
    usual = {}
    for path in folder.iterdir():
        if found := re.match(r"(lib(?:av|sw|postproc)\w+)-\w+\.so\.(\d+)\.", path.name):
            usual[path.name] = f"{found[1]}.so.{found[2]}"
    renames = [part for old, new in usual.items() for part in ("--rename-dependency", f"{old}={new}")]
    for old, new in usual.items():
        (folder / old).rename(folder / new)
        tcfix("edit", "--set-id", new, *renames, *options, folder / new)
    return folder


def put_foreign_system(folder):
    """The C and C++ libraries of an aarch64 machine, where its loader searches below `folder`."""
    if not (folder / "lib").exists():
        libc = run("aarch64-linux-gnu-gcc", "-print-file-name=libc.so.6", check=0).stdout.strip()
        shutil.copytree(os.path.dirname(libc), folder / "lib", symlinks=True,
                        ignore=shutil.ignore_patterns("*.a"))
    return folder / "lib"


def put_zlib(folder, stand_ins, packages):
    """A libz.so.1 with the symbols that the grafted libraries of these packages need."""
    users = [path for package in packages for path in package.glob("*.libs/*") if "libz.so.1" in needed(path)]
    stand_ins.build(folder / "libz.so.1", {
        name: {one for one in symbols if re.match("inflate|deflate|z[EL]|zlib|.*compress|crc32|adler32", one)}
        for name, symbols in stand_ins.needed_symbols(users).items() if not name or name.startswith("ZLIB")})


class Workshop:
    """Builds stand-ins once for all tests of a process."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.folder = pathlib.Path(self.scratch.name)

    @functools.lru_cache(None)
    def stand_ins(self, version, arch="x86_64"):
        return StandIns(version, self.folder / f"{version}-{arch}", arch)

    def close(self):
        self.scratch.cleanup()


def require_tools():
    """Skips if the stand-ins cannot be built, or the loader is not the real one."""
    absent = [tool for tool in ("gcc", "nm", "readelf") if not find_tool(tool)]
    if absent or sys.platform != "linux" or os.uname().machine != "x86_64":
        raise unittest.SkipTest("not Linux on x86_64, or not installed: " + ", ".join(absent))


def open_workshop():
    """For setUpModule of the tests that derive from TreeTest."""
    require_tools()
    TreeTest.workshop = Workshop()
    unittest.addModuleCleanup(TreeTest.workshop.close)
    for name in ("TCFIX_FFMPEG", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"):
        os.environ.pop(name, None)


class TreeTest(FilesTest):
    workshop = None
    count = 0

    def stand_ins(self, *arguments):
        return self.workshop.stand_ins(*arguments)

    def tree(self, version="0.9.1", *, av=None, cuda=True, python=()):
        self.count += 1
        tree = Tree(self.folder / f"env{self.count}", version, self.stand_ins(version), python)
        if av:
            tree.install("av", av)
        if cuda and version == "0.17.0":
            tree.add_cuda()
        return tree

    def conda_tree(self):
        """A conda environment with its own FFmpeg 7, which its Python's DT_RPATH finds."""
        tree = self.tree(python=("-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/../lib"))
        (tree.root / "pyvenv.cfg").unlink()
        (tree.root / "conda-meta").mkdir()
        for path in private_ffmpeg(self.folder / "ffmpeg", "15.1.0").iterdir():
            path.rename(tree.root / "lib" / path.name)
        return tree

    def majors_that_load(self, tree):
        """The real loader's verdicts, which must equal the simulated ones for every major."""
        verdicts = {"loads": {major for major in tree.majors if tree.real(major, preloaded=True)},
                    "loads_bare": {major for major in tree.majors if tree.real(major, preloaded=False)}}
        groups = tcfix_json("doctor", tree.root, check=0 if verdicts["loads"] else 1)["groups"]
        self.assertEqual([group["ffmpeg"] for group in groups], tree.majors)
        for name, majors in verdicts.items():
            self.assertEqual({group["ffmpeg"] for group in groups if group[name]}, majors, name)
        return verdicts
