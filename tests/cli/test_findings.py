"""Every finding of `tcfix doctor`, each demonstrated by a small environment with this one defect."""
import os
import re
import struct
import subprocess
import unittest

import harness
import test_all
import test_run
import tiny_macho
from doctor_trees import WANTS_FFMPEG, LinuxTree, MacTree
from bounds import unbounded
from harness import ROOT, FilesTest, find_tool, run, tcfix, tcfix_json
from test_traceback import CASES as TEXTS

APPLY = r"tcfix apply --sysroot \S+ \S+/home/me/\.venv"
REINSTALL = "pip install --force-reinstall --no-deps torchcodec==0.9.1 && " + APPLY
CORE = "torchcodec/libtorchcodec_core7"
CASES = {}


class Case:
    """What doctor must report for a tree: the finding and the exit code."""

    def __init__(self, tree, severity="error", message="", action="", path="", exit=1, options=(),
                 also=()):
        self.tree, self.severity, self.message, self.action = tree, severity, message, action
        self.path, self.exit, self.options, self.also = path, exit, list(options), set(also)


def shows(code, **expected):
    """The function builds a tree with this finding; several functions may have the same."""
    def add(build):
        CASES.setdefault(code, []).append((build.__name__, Case(build, **expected)))
        return build
    return add


# With the Windows program under Wine: files have no such attributes and modes there, commands are for its shell, and
# a sysroot without a drive does not begin a real path.
NOT_ON_WINDOWS = ("downloaded_by_a_browser", "search_path_world_writable", "placeholder",
                  "placeholder_that_lacks_what_its_record_lists", "placeholder_for_an_old_torch_of_a_vendor",
                  "torch_without_its_own", "eager_library_fails", "no_such_library")


# FFmpeg

@shows("ffmpeg-missing", message="no FFmpeg found that the libraries can use .FFmpeg 7",
       action="brew install ffmpeg@7 && " + APPLY, path=CORE)
def no_ffmpeg(folder):
    return MacTree(folder, dependencies=WANTS_FFMPEG)


@shows("ffmpeg-not-found", message="but the libraries have no search path to it", action=APPLY, path=CORE)
def ffmpeg_off_the_search_path(folder):
    tree = MacTree(folder, dependencies=WANTS_FFMPEG)
    tree.ffmpeg("/opt/homebrew/opt/ffmpeg/lib")
    return tree


@shows("ffmpeg-unsupported-major", message="supports FFmpeg 7; installed: 5",
       action="brew install ffmpeg@7 && " + APPLY, path=CORE)
def ffmpeg_of_another_major(folder):
    tree = MacTree(folder, dependencies=WANTS_FFMPEG)
    tree.ffmpeg("/opt/homebrew/opt/ffmpeg/lib", major=5)
    return tree


@shows("ffmpeg-static", message="no FFmpeg here has shared libraries",
       action="brew install ffmpeg@7 && " + APPLY, path=CORE)
def ffmpeg_without_libraries(folder):
    tree = MacTree(folder, dependencies=WANTS_FFMPEG)
    tree.write("/opt/homebrew/bin/ffmpeg", tiny_macho.dylib(), mode=0o755)
    tree.write("/opt/homebrew/opt/ffmpeg/lib/libavcodec.a", "!<arch>\n")
    return tree


@shows("two-ffmpegs", severity="info", message="loads two FFmpegs: /opt/homebrew/lib and PyAV 15.1.0",
       action=APPLY + " --ffmpeg av", path="av/.dylibs", exit=0)
def ffmpeg_of_homebrew_and_of_pyav(folder):
    tree = MacTree(folder, dependencies=WANTS_FFMPEG, rpaths=["/opt/homebrew/lib"])
    tree.ffmpeg("/opt/homebrew/lib")
    tree.pyav()
    return tree


# torch

@shows("torch-missing", message="torch is not installed in this environment", action='pip install "torch==2.9.."')
def no_torch(folder):
    tree = MacTree(folder)
    (tree.site / "torch-2.9.1.dist-info" / "METADATA").unlink()
    run("rm", "-r", tree.site / "torch", tree.site / "torch-2.9.1.dist-info", check=0)
    return tree


@shows("torch-version-mismatch", severity="warning", exit=0, path="site-packages",
       message="torchcodec 0.9.1 is built for torch 2.9; this is torch 2.8.0",
       action='pip install "torchcodec==0.7.." && ' + APPLY)
def older_torch(folder):
    tree = MacTree(folder)
    tree.change_version("torch", "2.8.0")
    return tree


MISMATCH = {"severity": "warning", "exit": 0, "path": "site-packages",
            "message": "torchcodec 0.9.1.* is built for torch 2.9; this is torch 2.8.0"}


@shows("torch-version-mismatch", **MISMATCH,
       action=r'uv pip install --python \S+/.venv "torchcodec==0.7.." && ' + APPLY)
def older_torch_in_an_environment_of_uv(folder):
    tree = older_torch(folder)
    (tree.env / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9.2\nversion_info = 3.12.4\n")
    return tree


@shows("torch-version-mismatch", **MISMATCH)  # the user's own build is never replaced
def older_torch_for_an_own_build(folder):
    tree = older_torch(folder)
    (info,) = tree.site.glob("torchcodec-*.dist-info")
    (info / "direct_url.json").write_text('{"url": "file:///home/me/torchcodec", "dir_info": {}}')
    return tree


@shows("torch-version-mismatch", **MISMATCH)
def older_torch_for_a_local_version(folder):
    tree = older_torch(folder)
    tree.change_version("torchcodec", "0.9.1+mine")
    tree.record()
    return tree


@shows("torch-version-mismatch", **{**MISMATCH, "message": "0.9.1 is built for torch 2.9; this is torch 2.3.0"})
def no_release_for_a_torch_of_conda(folder):
    tree = older_torch(folder)
    tree.change_version("torch", "2.3.0")
    (info,) = tree.site.glob("torch-*.dist-info")
    (info / "INSTALLER").write_text("conda\n")
    return tree


@shows("vendor-torch", severity="warning", message=r"torch 2.9.1\+rocm6.4 is ROCm", exit=0,
       action='pip install --force-reinstall --no-deps "torchcodec==0.9.." --index-url '
       "https://download.pytorch.org/whl/rocm6.4 && " + APPLY, path="torch/lib")
def torch_for_rocm(folder):
    tree = MacTree(folder)
    tree.change_version("torch", "2.9.1+rocm6.4")
    return tree


@shows("vendor-torch", severity="warning", message=r"torch 2.9.0a0\+nv25.8 is NVIDIA", exit=0,
       action=APPLY + " --replace-from BUILD_DIR", path="torch/lib")
def torch_of_nvidia(folder):
    tree = MacTree(folder)
    tree.change_version("torch", "2.9.0a0+nv25.8")
    return tree


@shows("torch-broken", message="torch itself does not load: libtorch_python.dylib needs "
       "@rpath/libomp.dylib", action="pip install --force-reinstall --no-deps torch==2.9.1",
       path="torch/lib/libtorch_python.dylib", also=["missing-dependency"])
def torch_without_its_own(folder):
    tree = MacTree(folder, dependencies=["@rpath/libtorch_python.dylib"])
    tree.library(tree.site / "torch/lib/libtorch_python.dylib", rpaths=["@loader_path"],
                 dependencies=["@rpath/libomp.dylib"])
    return tree


@shows("two-torches", severity="warning", exit=0, path="torch/lib",
       message="more than one torch is installed: 2.9.1 and 2.8.0, in one directory",
       action="pip install --force-reinstall --no-deps torch==2.9.1")
def two_torches_in_one_place(folder):
    tree = MacTree(folder)
    tree.dist_info("torch", "2.8.0", "cp312-none-x")
    return tree


@shows("two-torches", severity="warning", exit=0, path="torch/lib",
       message="2.9.1 and 2.8.0 in /usr/lib/python3/dist-packages; Python uses the first",
       action='python -c "import torch; print\\(torch.__version__, torch.__file__\\)"')
def torch_of_the_system(folder):
    tree = LinuxTree(folder)
    (tree.env / "pyvenv.cfg").write_text(
        "home = /usr/bin\nversion = 3.12.4\ninclude-system-site-packages = true\n")
    system = tree.root / "usr/lib/python3/dist-packages"
    (system / "torch-2.8.0.dist-info").mkdir(parents=True)
    (system / "torch").mkdir()
    return tree


@shows("plugin-mismatch", severity="warning", exit=0, path="torchcodec_xpu-0.16.0.dist-info",
       message="torchcodec_xpu 0.16.0 is a plugin for another torchcodec than 0.9.1",
       action='pip install --force-reinstall --no-deps "torchcodec_xpu==0.9.."')
def plugin_of_another_release(folder):
    tree = MacTree(folder)
    info = tree.dist_info("torchcodec_xpu", "0.16.0", "cp312-cp312-x")
    (info / "entry_points.txt").write_text("[torchcodec.backends]\ndevice = torchcodec_xpu:load\n")
    return tree


# Dependencies and symbols

@shows("heic-unavailable", severity="info", exit=0, path="libtorchcodec_heic.dylib",
       message="HEIC images cannot be read: libtorchcodec_heic.dylib needs @rpath/libheif.1.dylib",
       action="brew install libheif && " + APPLY)
def no_libheif(folder):
    tree = MacTree(folder)
    tree.library(tree.site / "torchcodec/libtorchcodec_heic.dylib", rpaths=["@loader_path"],
                 dependencies=["@rpath/libheif.1.dylib"])
    tree.record()
    return tree


@shows("missing-dependency", message="libtorchcodec_image.dylib needs @rpath/libother.dylib",
       action=APPLY + " --search DIR", path="libtorchcodec_image")
def eager_library_fails(folder):
    tree = MacTree(folder)
    tree.library(tree.site / "torchcodec/libtorchcodec_image.dylib", rpaths=["@loader_path"],
                 dependencies=["@rpath/libother.dylib"])
    tree.record()
    return tree


@shows("missing-dependency", message="libtorchcodec_core7.dylib needs @rpath/libother.dylib.* searched "
       "/home/me", action=APPLY + " --search DIR", path=CORE)
def no_such_library(folder):
    return MacTree(folder, dependencies=["@rpath/libother.dylib"], rpaths=["@loader_path"])


def for_cuda(folder, torch, cuda, library="libnvrtc.so.13", release="0.17.0"):
    """A torchcodec that is built for CUDA, and a torch whose version.py contains this CUDA version, or None."""
    tree = LinuxTree(folder, needs={library: ("int nvrtc;", None)})
    tree.change_version("torchcodec", release)
    tree.change_version("torch", torch)
    tree.record()
    tree.library(tree.site / "torch/lib/libc10_cuda.so" if cuda else tree.site / "torch/lib/libc10.so")
    (tree.site / "torch/version.py").write_text(
        f"from typing import Optional\n__version__ = '{torch}'\ncuda: Optional[str] = {cuda!r}\n")
    return tree


@shows("cuda-missing", message="needs libnppicc.so.12", path=CORE,
       action="pip install nvidia-npp-cu12 && " + APPLY)
def cuda_library_missing(folder):
    return for_cuda(folder, "2.9.1", "12.8", "libnppicc.so.12", "0.9.1")


def channel(name, version):
    return (f'pip install --force-reinstall --no-deps "torchcodec=={version}.." --index-url '
            f"https://download.pytorch.org/whl/{name} && {APPLY}")


@shows("cuda-variant-mismatch", path=CORE, action=channel("cpu", "0.17"),
       message=r"built for CUDA 13, but torch 2.12.0\+cpu is built without CUDA")
def cuda_without_cuda_torch(folder):
    return for_cuda(folder, "2.12.0+cpu", None)


@shows("cuda-variant-mismatch", path=CORE, action=channel("cu128", "0.17"),
       message="built for CUDA 13, but torch 2.12.0 for CUDA 12")
def another_cuda_than_torchs(folder):
    return for_cuda(folder, "2.12.0", "12.8")


@shows("cuda-variant-mismatch", path=CORE, action=channel("xpu", "0.17"), also=["vendor-torch"],
       message=r"built for CUDA, but torch 2.12.0\+xpu is built without CUDA")
def cuda_with_a_torch_for_intel(folder):
    return for_cuda(folder, "2.12.0+xpu", None, "libc10_cuda.so")


@shows("cuda-variant-mismatch", path=CORE, action='pip install "torchcodec==0.13.." && ' + APPLY,
       also=["vendor-torch"], message="built for CUDA 13, but torch 2.12.0a0.nv26.1 for CUDA 12")
def cuda_with_a_torch_of_a_vendor(folder):
    return for_cuda(folder, "2.12.0a0+nv26.1", "12.9")


@shows("cuda-variant-mismatch", path=CORE, message="without CUDA; build it against this torch")
def own_build_for_cuda(folder):
    return for_cuda(folder, "2.12.0+cpu", None, release="0.17.0+mine")


@shows("libpython-missing", message="needs libpython3.12.so.1.0", action=APPLY, path=CORE)
def no_libpython(folder):
    return LinuxTree(folder, needs={"libpython3.12.so.1.0": ("int Py_here;", None)})


@shows("missing-symbols", message=r"needs 1 symbol that libtorch_cpu.so does not have: torch_from_blob "
       r"\(in torch since 2.11\). It was built for a torch other than 2.9.1",
       path=CORE,
       action='pip install --force-reinstall --no-deps "torchcodec==0.9.." && ' + APPLY)
def symbol_of_another_torch(folder):
    return LinuxTree(folder, source="void torch_from_blob(void); void (*f)(void) = torch_from_blob;")


@shows("missing-symbols", message="needs 1 symbol that libown.so does not have", action=REINSTALL,
       path=CORE)
def versioned_symbol(folder):
    tree = LinuxTree(folder, source="extern int old, gone; int *f[] = {&old, &gone};",
                     needs={"libown.so": ("int old, gone;", "OWN_1")}, flags=["-Wl,-rpath,$ORIGIN"])
    tree.library(tree.site / "torchcodec/libown.so", "int old;", versions="OWN_1")
    return tree


OLD_STRING = "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"
NEW_STRING = OLD_STRING[:-2] + "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"


@shows("cxx11-abi", message=r"different kinds of std::string \(_GLIBCXX_USE_CXX11_ABI\)", path=CORE,
       action='pip install "torch>=2.11" "torchcodec==0.17.." && ' + APPLY, also=["missing-symbols"])
def torch_with_old_strings(folder):
    tree = LinuxTree(folder, source=f"void {NEW_STRING}(void); void (*f)(void) = {NEW_STRING};")
    tree.library(tree.site / "torch/lib/libc10.so", f"void {OLD_STRING}(void) {{}}")
    return tree


def wanting(folder, library, version, has):
    """A library that requires a symbol version that the system library lacks."""
    tree = LinuxTree(folder, source="extern int thing; int *f = &thing;",
                     needs={library: ("int thing;", version)})
    tree.library(tree.root / "usr/lib64" / library, "int thing;", versions=has)
    return tree


@shows("libstdcxx-too-old", message="needs version GLIBCXX_3.4.32 of /usr/lib64/libstdc", path=CORE,
       action='conda install -c conda-forge "libstdcxx-ng>=13"')
def old_libstdcxx(folder):
    return wanting(folder, "libstdc++.so.6", "GLIBCXX_3.4.32", "GLIBCXX_3.4.20")


@shows("glibc-too-old", message="needs version GLIBC_2.38 of /usr/lib64/libm.so.6", path=CORE)
def old_glibc(folder):
    return wanting(folder, "libm.so.6", "GLIBC_2.38", "GLIBC_2.17")


@shows("library-too-old", message="needs version OWN_2 of", action=REINSTALL, path=CORE)
def old_library(folder):
    return wanting(folder, "libown.so.1", "OWN_2", "OWN_1")


@shows("duplicate-search-path", message="LC_RPATH @loader_path twice, which dyld rejects",
       action=APPLY, path=CORE)
def search_path_twice(folder):
    return MacTree(folder, rpaths=["@loader_path"] * 2, sdk=26)


@shows("duplicate-search-path", severity="warning", message="LC_RPATH @loader_path twice, which macOS",
       action=APPLY, path=CORE, exit=0)
def search_path_twice_of_an_old_sdk(folder):
    return MacTree(folder, rpaths=["@loader_path"] * 2)


@shows("duplicate-search-path", severity="warning", message="libgrafted.dylib has LC_RPATH /a twice",
       action=r"tcfix edit --add-rpath /a \S+/\.dylibs/libgrafted\.dylib", exit=0,
       path=".dylibs/libgrafted.dylib")
def search_path_twice_in_a_grafted_library(folder):
    tree = MacTree(folder)
    tree.library(tree.site / "torchcodec/.dylibs/libgrafted.dylib", rpaths=["/a", "/a"])
    tree.record()
    return tree


TWICE = ("@rpath/libtorch_cpu.dylib",) * 2


@shows("duplicate-dependency", message="dependency @rpath/libtorch_cpu.dylib twice, which dyld rejects",
       action=APPLY, path=CORE)
def dependency_twice(folder):
    return MacTree(folder, dependencies=TWICE, rpaths=["@loader_path/../torch/lib"], sdk=26)


@shows("duplicate-dependency", severity="warning", message="twice, which macOS refuses", path=CORE,
       action=APPLY, exit=0)
def dependency_twice_of_an_old_sdk(folder):
    return MacTree(folder, dependencies=TWICE, rpaths=["@loader_path/../torch/lib"])


@shows("duplicate-dependency", severity="warning", message="libgrafted.dylib has dependency /a twice",
       action=r"tcfix edit --rename-dependency '/a=/a' \S+/\.dylibs/libgrafted\.dylib", exit=0,
       path=".dylibs/libgrafted.dylib")
def dependency_twice_in_a_grafted_library(folder):
    tree = MacTree(folder)
    tree.library(tree.site / "torchcodec/.dylibs/libgrafted.dylib", dependencies=["/a", "/a"])
    tree.record()
    return tree


# Files

@shows("unreadable", severity="warning", message="libtorchcodec_core6.dylib: ", action=REINSTALL, exit=0,
       path="libtorchcodec_core6.dylib")
def text_for_a_library(folder):
    tree = MacTree(folder)
    (tree.site / "torchcodec/libtorchcodec_core6.dylib").write_text("not here\n")
    tree.record()
    return tree


@shows("package-damaged", severity="warning", message="libtorchcodec_core8.dylib", action=REINSTALL,
       exit=0)
def library_is_gone(folder):
    tree = MacTree(folder)
    tree.record("torchcodec/libtorchcodec_core8.dylib,,\n")
    return tree


@shows("record-mismatch", severity="info", message="1 library differs from RECORD", exit=0,
       path="RECORD")
def library_was_exchanged_and_loads(folder):
    tree = MacTree(folder)
    tree.core(padding=800)
    return tree


@shows("record-mismatch", severity="warning", message="1 library differs from RECORD",
       action=REINSTALL, path="RECORD", also=["missing-dependency"])
def library_was_exchanged_and_fails(folder):
    tree = MacTree(folder)
    tree.core(dependencies=["@rpath/libgone.dylib"])
    return tree


@shows("shadowed", severity="warning", message="more than one torchcodec", exit=0,
       action=r'python -c "import torchcodec; print\(torchcodec.__file__\)"')
def two_torchcodecs(folder):
    tree = MacTree(folder)
    (tree.env / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n"
                                         "include-system-site-packages = true\n")
    (tree.root / "usr/lib/python3.12/site-packages/torchcodec").mkdir(parents=True)
    return tree


# macOS

@shows("signature-invalid", message="does not match its content", action=r"tcfix sign \S+core7.dylib",
       path=CORE)
def changed_after_signing(folder):
    tree = MacTree(folder)
    library = tree.site / f"{CORE}.dylib"
    data = bytearray(library.read_bytes())
    data[0x3000] ^= 1
    library.write_bytes(data)
    tree.record()
    return tree


@shows("signature-invalid", message="does not match its content", action=REINSTALL, path=CORE)
def requirements_that_no_signature_can_repeat(folder):
    tree = MacTree(folder)

    def spoil(blob):
        requirements = blob.index(struct.pack(">III", 0xFADE0C01, 12, 0))
        blob[requirements + 11] = 1  # one requirement, which is missing
    change_signature(tree.site / f"{CORE}.dylib", spoil)
    tree.record()
    return tree


@shows("signature-missing", message="is not signed", action=r"tcfix sign \S+core7.dylib", path=CORE,)
def not_signed(folder):
    return MacTree(folder, sign=False)


def change_signature(library, change):
    """Applies `change` to the super blob: a bytearray of everything after its magic."""
    data = bytearray(library.read_bytes())
    start = data.index(struct.pack(">I", 0xFADE0CC0))
    blob = data[start:]
    change(blob)
    library.write_bytes(data[:start] + blob)


@shows("hardened-python", message="only libraries signed by its own team", path="bin/python3.12",
       action="codesign --force --sign - /home/me/.venv/bin/python3.12")
def python_with_hardened_runtime(folder):
    tree = MacTree(folder)

    def harden(blob):
        directory = blob.index(struct.pack(">I", 0xFADE0C02))
        struct.pack_into(">I", blob, directory + 12, 0x10002)
    change_signature(tree.python(), harden)
    return tree


@shows("signature-foreign", severity="info", message="signed with a certificate", path=CORE, exit=0,
       action=APPLY + " --replace-signature")
def signed_by_an_identity(folder):
    tree = MacTree(folder)

    def enlarge(blob):
        wrapper = blob.index(struct.pack(">II", 0xFADE0B01, 8))
        struct.pack_into(">I", blob, 4, len(blob))
        struct.pack_into(">I", blob, wrapper + 4, len(blob) - wrapper)
    change_signature(tree.site / f"{CORE}.dylib", enlarge)
    tree.record()
    return tree


@shows("quarantined", severity="warning", message="quarantine attribute of downloaded files", action=r"xattr -d com.apple.quarantine \S+core7.dylib",
       path=CORE, exit=0)
def downloaded_by_a_browser(folder):
    tree = MacTree(folder)
    try:
        os.setxattr(tree.site / f"{CORE}.dylib", "user.com.apple.quarantine", b"0081;")
    except OSError:
        raise unittest.SkipTest("this disk keeps no extended attributes")
    return tree


@shows("macos-too-old", severity="warning", message="for macOS 11.0 or later, and may use features that macOS 10.15 lacks", path=CORE, exit=0,
       options=["--macos-version", "10.15"], action="softwareupdate --install --all")
def older_macos(folder):
    return MacTree(folder)


@shows("macos-too-old", severity="warning", message="features that macOS 10.14.6 lacks", path=CORE, exit=0,
       action="softwareupdate --install --all")
def older_macos_by_its_own_word(folder):
    tree = MacTree(folder)
    tree.write("/System/Library/CoreServices/SystemVersion.plist",
               "<dict><key>ProductVersion</key>\n<string>10.14.6</string></dict>")
    return tree


# Python

@shows("wrong-architecture", message="Python is x86_64, but libtorchcodec_core7.dylib is arm64; a "
       "Python for Intel runs under Rosetta", action=REINSTALL, path=CORE)
def python_under_rosetta(folder):
    tree = MacTree(folder)
    tree.python(cpu="x86_64")
    return tree


@shows("wrong-architecture", message="is a universal file without that slice: arm64", path=CORE,
       options=["--arch", "x86_64"], action=REINSTALL)
def universal_without_a_slice(folder):
    tree = MacTree(folder)
    library = tree.site / f"{CORE}.dylib"
    library.write_bytes(tiny_macho.universal([library.read_bytes()]))
    tree.record()
    return tree


@shows("wrong-architecture", message="found only for architectures other than arm64", path=CORE,
       action="brew install ffmpeg@7 && " + APPLY)
def ffmpeg_for_intel(folder):
    tree = MacTree(folder, dependencies=WANTS_FFMPEG, rpaths=["/usr/local/lib"])
    tree.ffmpeg("/usr/local/lib", cpu="x86_64")
    return tree


@shows("placeholder-release", message="torchcodec 0.0.0.dev0 is an empty placeholder",
       action='pip install "torchcodec==0.9.." && ' + APPLY, path="torchcodec-0.0.0.dev0.dist-info")
def placeholder(folder):
    tree = MacTree(folder)
    (tree.site / f"{CORE}.dylib").unlink()
    (tree.site / "torchcodec/__init__.py").write_text("")
    tree.change_version("torchcodec", "0.0.0.dev0")
    tree.record()
    return tree


@shows("placeholder-release", message="torchcodec 0.0.0.dev0 is an empty placeholder",
       action='pip install "torchcodec==0.9.." && ' + APPLY, path="torchcodec-0.0.0.dev0.dist-info")
def placeholder_that_lacks_what_its_record_lists(folder):
    tree = MacTree(folder)
    tree.change_version("torchcodec", "0.0.0.dev0")
    tree.record()
    (tree.site / f"{CORE}.dylib").unlink()
    return tree


@shows("placeholder-release", path="torchcodec-0.0.0.dev0.dist-info", options=["--arch", "x86_64"],
       message="there are wheels since 0.0, none of them built for torch 2.3.0")
def placeholder_for_an_old_torch_of_a_vendor(folder):
    tree = placeholder(folder)
    tree.change_version("torch", "2.3.0a0+nv24.1")
    return tree


@shows("python-abi", message="torchcodec is built for cp311; this is Python 3.12", action=REINSTALL,)
def wheel_for_another_python(folder):
    tree = MacTree(folder)
    (tree.site / "torchcodec-0.9.1.dist-info/WHEEL").write_text(
        "Wheel-Version: 1.0\nTag: cp311-cp311-macosx_11_0_arm64\n")
    return tree


@shows("python-version-mismatch", message="Python is 3.13, but torchcodec is installed for 3.12",
       action='pip install "torchcodec==0.9.." && ' + APPLY)
def environment_of_another_python(folder):
    tree = MacTree(folder)
    (tree.env / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.13.1\n")
    return tree


# Search paths

def search_path(code, entry, severity, message):
    def build(folder):
        tree = MacTree(folder, rpaths=[entry])
        if code == "search-path-world-writable":
            (tree.root / entry.lstrip("/")).mkdir(parents=True)
            (tree.root / entry.lstrip("/")).chmod(0o777)
        return tree
    build.__name__ = code.replace("-", "_")
    shows(code, severity=severity, message=message, exit=0, path=CORE,
          action=rf"tcfix edit --remove-rpath '{entry}' \S+core7.dylib")(build)


search_path("search-path-empty", "", "warning", "means the current directory")
search_path("search-path-relative", "lib", "warning", "lib is relative to the current directory")
search_path("search-path-build-machine", "/Users/runner/work/lib", "info", "machine that built it")
search_path("search-path-dead", "/opt/none/lib", "info", "/opt/none/lib does not exist")
search_path("search-path-world-writable", "/opt/open", "warning", "is writable by everyone")


def codes_in_sources():
    table = (ROOT / "lib" / "doctor" / "findings.def").read_text()
    return set(re.findall(r'^FINDING\(\w+,\s*"([a-z0-9-]+)"', table, re.MULTILINE))


class Findings(FilesTest):
    def examine(self, code, name, case):
        folder = self.folder / f"{code}-{name}"
        folder.mkdir()
        tree = case.tree(folder)
        arguments = [*case.options, *tree.arguments]
        said = tcfix_json("doctor", *arguments, check=case.exit)
        self.assertEqual(said["verdict"], "broken" if case.exit else "ok")
        found = [each for each in said["findings"] if each["code"] == code]
        self.assertEqual(len(found), 1, said["findings"])
        finding = found[0]
        self.assertEqual(set(finding),
                         {"code", "severity", "message", "path", "evidence", "action"})
        self.assertEqual(finding["severity"], case.severity)
        self.assertRegex(finding["message"], case.message)
        if case.action:
            self.assertRegex(finding["action"], f"^{case.action}$")
        else:
            self.assertIsNone(finding["action"])
        self.assertIn(case.path, finding["path"] or "")
        # The tree has no other defect, so nothing else may be reported.
        self.assertEqual({each["code"] for each in said["findings"]} - {code}, case.also)
        text = run(harness.TCFIX, "doctor", "-v", "--color", "never", *arguments).stdout
        for line in text.splitlines():
            # Paths and commands are not wrapped.
            if not re.match(r" +(\$|file:|\w+:) |next: ", line) and str(self.folder) not in line:
                self.assertLessEqual(len(line), 80, line)
        self.check_paths(tree, arguments, text)

    def check_paths(self, tree, arguments, text):
        """Messages contain the target's paths. This machine's paths appear only in commands, which are typed
        here, and as the target that was given."""
        page = self.folder / "page.html"
        dot = run(harness.TCFIX, "doctor", "--dot", "--html", page, *arguments).stdout
        html = re.sub(r'<div class="command">.*?</div>|<p class="about">.*?</p>', "", page.read_text(), flags=re.S)
        lines = [line for line in text.splitlines()[1:] if not re.match(r" +\$ |next: ", line)]
        for shown in (*lines, html, dot):
            self.assertNotIn(str(tree.root), shown)

    def test_commands_are_bounded(self):
        """Here and in the tests of tracebacks; tests/advice/test_bounds.py checks the sources."""
        for cases in CASES.values():
            for name, case in cases:
                self.assertEqual(unbounded(case.action.replace("\\", "")), [], name)

    def test_a_probe_gives_the_same_exit_code(self):
        for code, cases in CASES.items():
            for name, case in cases:
                folder = self.folder / f"{code}-{name}"
                folder.mkdir()
                tree = case.tree(folder)
                with self.subTest(f"{code}: {name}"):
                    result = run(harness.TCFIX, "doctor", "-q", *case.options, *tree.arguments)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (case.exit, "", ""))

    def test_each(self):
        self.assertTrue(find_tool("gcc"), "these tests need gcc")
        for code, cases in CASES.items():
            for name, case in cases:
                if harness.IS_WINDOWS and name in NOT_ON_WINDOWS:
                    continue
                with self.subTest(f"{code}: {name}"):
                    self.examine(code, name, case)

    def test_every_code_is_shown_and_explained(self):
        codes = codes_in_sources()
        told = {code for case in TEXTS.values() for code in case.codes}
        self.assertEqual(set(CASES) | told | test_run.SHOWN | test_all.SHOWN, codes)
        page = (ROOT / "docs" / "findings.md").read_text()
        sections = re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]
        explained = [section for section in sections if section.startswith("`")]
        self.assertCountEqual([section.split("`")[1] for section in explained], codes)
        for section in explained:
            code = section.split("`")[1]
            with self.subTest(code):
                self.assertEqual(section.splitlines()[0], f"`{code}`" + (" (T)" if code in told else ""))
                self.assertRegex(section, rf"\n    (error|warning|info)\[{code}\]: ")
                self.assertIn("\n*How it is detected:* ", section)
                self.assertIn("\n*What to do:* ", section)

    def test_a_tree_without_defects_has_no_findings(self):
        for kind in (MacTree, LinuxTree):
            with self.subTest(kind.__name__):
                tree = kind(self.folder / kind.__name__)
                said = tcfix_json("doctor", *tree.arguments)
                self.assertEqual((said["verdict"], said["findings"]), ("ok", []))


if __name__ == "__main__":
    unittest.main()
