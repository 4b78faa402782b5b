"""`tcfix doctor --traceback` on the files in testdata/tracebacks. Each consists of the relevant parts of real
reports; its name says what was wrong."""
import os
import random
import re
import subprocess
import sys
import unittest

import harness
from harness import ROOT, FilesTest, find_tool, run, tcfix, tcfix_json
from test_reports import explain_all, rows

TEXTS = ROOT / "testdata" / "tracebacks"
APPLY = "tcfix apply"
DOCTOR = "tcfix doctor"
THEN = " && " + APPLY
RUNTIME = r"winget install Microsoft.VCRedist.2015\+.x64"
FITTING = {torch: f'pip install "torchcodec=={release}.\\*"' + THEN
           for torch, release in {"2.8": "0.7", "2.9": "0.9", "2.10": "0.10"}.items()}
PYAV = {major: f'pip install "av<{pyav}"' + THEN for major, pyav in {7: 16, 8: 19}.items()}
BOTH = 'pip install "torch>=2.11" "torchcodec==0.17.\\*"' + THEN


class Case:
    """The codes of all findings, the first one's words, and the command that comes next."""

    def __init__(self, *codes, action, message=".", majors=()):
        self.codes, self.action, self.message = list(codes), action, message
        self.majors = list(majors)


OLD, NEW = (7, 6, 5, 4), (8, 7, 6, 5, 4)
CASES = {
    "linux-no-ffmpeg-0.7": Case("ffmpeg-missing", action=PYAV[7], majors=OLD,
                                message=r"found no FFmpeg \(7, 6, 5, 4\)$"),
    "linux-no-ffmpeg-0.13": Case("ffmpeg-missing", action=PYAV[8], majors=NEW),
    "linux-conda-no-ffmpeg": Case("ffmpeg-missing", majors=OLD,
                                  action='conda install -c conda-forge "ffmpeg<8"' + THEN),
    "linux-ffmpeg-too-new": Case("ffmpeg-unsupported-major", action=PYAV[7], majors=OLD,
                                 message="supports FFmpeg 7, 6, 5, 4; installed: 8"),
    "linux-ffmpeg-static": Case("ffmpeg-static", action=PYAV[7], majors=OLD),
    "linux-ffmpeg-elsewhere": Case("ffmpeg-not-found", action=APPLY, majors=OLD,
                                   message="FFmpeg 7 is installed"),
    "linux-torch-too-old": Case("torch-version-mismatch", "missing-symbols", action=FITTING["2.10"],
                                majors=NEW, message=r"no torchcodec from 0.11 to 0.15 .* torch 2.10.0\+cu130"),
    "linux-torch-symbol-0.5": Case("missing-symbols", action=FITTING["2.8"], majors=OLD,
                                   message="core6.so needs 1 symbol .*until 2.9"),
    "linux-libtiff": Case("missing-symbols", action='pip install "av<16"' + THEN + " --ffmpeg av", majors=OLD,
                          message="libtiff.so.6 needs 1 symbol that no library has: jpeg12_write_raw_data$"),
    "linux-rocm": Case("vendor-torch", "missing-symbols", majors=NEW,
                       action=r'pip install --force-reinstall --no-deps "torchcodec==0.9.\*" '
                              "--index-url https://download.pytorch.org/whl/rocm6.4" + THEN),
    "linux-cuda-libraries": Case("cuda-missing", action='pip install "nvidia-npp>=13,<14"' + THEN, majors=NEW,
                                 message="core8.so needs libnppicc.so.13, which was not found"),
    "linux-cuda-on-cpu-torch": Case("cuda-variant-mismatch", majors=OLD,
                                    action=r'pip install --force-reinstall --no-deps "torchcodec==0.7.\*"'
                                           " --index-url https://download.pytorch.org/whl/cpu" + THEN,
                                    message=r"for CUDA\b.*, but torch 2.8.0\+cpu is built without CUDA"),
    "linux-libpython": Case("libpython-missing", action=APPLY, majors=OLD),
    "linux-glibcxx": Case("libstdcxx-too-old", majors=(8, 7), message="version GLIBCXX_3.4.32 of "
                          "/usr/lib/x86_64-linux-gnu/libstdc",
                          action=r'conda install -c conda-forge "libstdcxx-ng>=13"'),
    "linux-glibc": Case("glibc-too-old", action=DOCTOR, message="GLIBC_2.38 of /lib64/libm.so.6"),
    "linux-library-version": Case("library-too-old", action=DOCTOR,
                                  message="version LIBAVUTIL_60 of /opt/ffmpeg/lib/libavutil.so.60"),
    "linux-symbol-version": Case("missing-symbols", action=DOCTOR,
                                 message="core7.so needs 1 symbol that libavutil.so.59 does not have"),
    "linux-32-bit": Case("wrong-architecture", action=DOCTOR, message="is for 32 bits"),
    "linux-executable-stack": Case("executable-stack", message="libold.so requires an executable",
                                   action="patchelf --clear-execstack '/opt/my env/libold.so'"),
    "linux-noexec": Case("not-mapped", action=r"findmnt --target \S+core7.so"),
    "linux-not-elf": Case("unreadable", action=DOCTOR, message="core7.so is not a library"),
    "linux-cut-off-file": Case("unreadable", action=DOCTOR),
    "linux-string-abi": Case("cxx11-abi", action=DOCTOR + r" \S+_C.cpython-311-x86_64-linux-gnu.so",
                             message="different kinds of std::string"),
    "linux-static-tls": Case("static-tls-full", message="libgomp.so.1 does not fit",
                             action="export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384"),
    "linux-not-told": Case("cause-not-told", action=DOCTOR, majors=NEW),
    "linux-not-told-custom-ops": Case("cause-not-told", action=DOCTOR, majors=NEW,
                                      message="custom_ops7.so failed.* core library was loaded"),
    "linux-not-told-mismatch": Case("torch-version-mismatch", "cause-not-told", majors=NEW,
                                    action=FITTING["2.8"],
                                    message="no torchcodec from 0.8 to 0.15 is built for torch 2.8.0"),
    "musl": Case("ffmpeg-missing", action=PYAV[7]),
    "musl-symbol": Case("missing-symbols", action="tcfix doctor",  # a torch that is not named stays
                        message="since 2.11"),
    "macos-no-rpath": Case("ffmpeg-missing", action="brew install ffmpeg@8" + THEN, majors=NEW),
    "macos-tried": Case("ffmpeg-missing", action="brew install ffmpeg@8" + THEN, majors=NEW),
    "macos-0.5": Case("ffmpeg-missing", action="brew install ffmpeg@7" + THEN, majors=OLD),
    "macos-intel-ffmpeg": Case("wrong-architecture", action="brew install ffmpeg@8" + THEN, majors=NEW,
                               message="libavutil.60.dylib is for x86_64, and arm64 is needed"),
    "macos-rosetta": Case("wrong-architecture", action=DOCTOR,
                          message="pybind_ops7.so is for arm64, and x86_64 is needed"),
    "macos-symbol": Case("torch-version-mismatch", "missing-symbols", action=FITTING["2.9"],
                         message="no torchcodec from 0.11 to 0.17 is built for torch 2.9"),
    "macos-signature": Case("signature-invalid", action=r"tcfix sign /\S+core7.dylib"),
    "macos-team": Case("hardened-python", action="codesign --force --sign - PYTHON"),
    "macos-quarantine": Case("quarantined", action=r"xattr -d com.apple.quarantine /\S+core7.dylib"),
    "macos-duplicate-rpath": Case("duplicate-search-path", action=APPLY,
                                  message="core7.dylib has LC_RPATH @loader_path twice"),
    "macos-too-old": Case("macos-too-old", action="softwareupdate --install --all",
                          message="core7.dylib requires macOS 14.0"),
    "windows-no-ffmpeg": Case("ffmpeg-missing", action=PYAV[7], majors=OLD,
                              message="Windows does not report"),
    "windows-no-ffmpeg-0.13": Case("ffmpeg-missing", action=PYAV[8], majors=NEW),
    "windows-not-told-0.9": Case("cause-not-told", action=DOCTOR, majors=NEW),
    "windows-procedure": Case("torch-version-mismatch", "missing-symbols", action=FITTING["2.8"],
                              majors=NEW, message="no torchcodec from .* is built for torch 2.8.0"),
    "windows-procedure-german": Case("missing-symbols", action=FITTING["2.10"], majors=NEW,
                                     message="^libtorchcodec_core8.dll needs a symbol"),
    "windows-converted": Case("ffmpeg-missing", action=PYAV[8], majors=NEW),
    "windows-wrong-architecture": Case("wrong-architecture", action=DOCTOR),
    "windows-torch": Case("torch-broken", action=RUNTIME, message="torch itself does not load: fbgemm"),
    "windows-torch-procedure": Case("torch-broken", action=DOCTOR + " --package torch"),
    "windows-paging-file": Case("not-mapped", action=DOCTOR),
    "windows-import": Case("missing-dependency", action=DOCTOR + " FILE",
                           message="my_ext, or a DLL that it needs, was not found"),
    "windows-start-failed": Case("initialization-failed", action=RUNTIME),
    "python-no-torchcodec": Case("package-missing", action=FITTING["2.8"]),
    "python-no-torch": Case("torch-missing", action="pip install torch"),
    "python-no-other": Case("package-missing", action=DOCTOR, message="find the package cv2"),
    "python-please-install": Case("package-missing", action="tcfix doctor",
                                  message="not installed, or is installed but does not load"),
    "python-no-spec": Case("package-damaged", action=FITTING["2.9"].replace(
        "install ", "install --force-reinstall --no-deps "), majors=NEW),
    "python-numpy": Case("numpy-abi", action='pip install "numpy<2"'),
    "python-numpy-api": Case("numpy-abi", action="pip install --upgrade numpy"),
    "python-version": Case("python-abi", action=DOCTOR + " FILE",
                           message="is built for Python 3.11; this is Python 3.12.4"),
    "python-tag": Case("python-abi", action="pip install --force-reinstall --no-deps my_ext",
                       message="_C.cpython-311-x86_64-linux-gnu.so is built for cp311; this is Python 3.12"),
    "linux-heic": Case("heic-unavailable", action="sudo apt install libheif1" + THEN),
    "linux-plugin": Case("plugin-broken", action="export TORCHCODEC_DEVICE_BACKEND_AUTOLOAD=0",
                         message="^the plugin xpu does not load"),
    "linux-crash": Case("torch-version-mismatch", "crashed", action=FITTING["2.9"],
                        message="torchcodec 0.7.0 is built for torch 2.8; this is torch 2.9.0"),
    "linux-crash-unexplained": Case("crashed", action=DOCTOR, message="std::bad_alloc"),
    "linux-operator": Case("torch-version-mismatch", action=FITTING["2.8"],
                           message="does not have torchcodec_ns::create_from_tensor"),
    "windows-dialog": Case("torch-version-mismatch", "missing-symbols", action=FITTING["2.10"],
                           message="torchcodec 0.15.0 is built for torch 2.11 or later"),
    "windows-dialog-german": Case("missing-symbols", action=FITTING["2.9"],
                                  message="^libtorchcodec_core7.dll needs 1 symbol"),
    "windows-dialog-other-language": Case("missing-symbols", action=FITTING["2.9"],
                                          message="^libtorchcodec_core7.dll needs 1 symbol"),
    "linux-tail": Case("cause-not-told", action=DOCTOR, majors=(5, 4),
                       message="only the attempts with FFmpeg 5, 4,.* your FFmpeg is not in this text"),
    "linux-tail-with-ffmpeg": Case("ffmpeg-not-found", action=APPLY, majors=(4,),
                                   message="FFmpeg 4 is installed"),
    "linux-own-build": Case("driver-missing", action=DOCTOR, majors=OLD, message="libnvcuvid.so.1"),
    "linux-torio": Case("libpython-missing", action=APPLY, majors=OLD),
    "linux-image-library": Case("cuda-variant-mismatch",
                                action=r'pip install --force-reinstall --no-deps "torchcodec==0.17.\*" '
                                       "--index-url https://download.pytorch.org/whl/cu128" + THEN,
                                message=r"built for CUDA 13, but torch 2.13.0\+cu128 for CUDA 12"),
    "linux-placeholder": Case("placeholder-release", action=FITTING["2.9"]),
    "pip-conflict": Case("requirements-conflict", action="pip install torchvision torch==2.9.1",
                         message="torchvision 0.23.0 requires torch==2.8.0, and torch 2.9.1 is installed"),
    "linux-other-package": Case("missing-dependency", action="sudo apt install libgl1",
                                message="^cv2 needs libGL.so.1, which was not found"),
    "macos-flat-namespace": Case("missing-symbols",
                                 action=DOCTOR + " /Users/me/src/my_ext.cpython-312-darwin.so"),
    "pip-no-wheel": Case("package-missing", action=BOTH, message="Python 3.14.* there are wheels since 0.9"),
    "pip-no-wheel-at-all": Case("package-missing", action=DOCTOR,
                                message="wheels for Linux x86_64 since 0.0, .*Windows x86_64 since 0.7"),
    "uv-no-wheel": Case("package-missing", action=BOTH, message="there are wheels since 0.9"),
    "python-required": Case("package-missing", action=FITTING["2.9"],
                            message="not installed, or is installed but does not load"),
    "python-frames-only": Case("cause-not-told", action=DOCTOR),
    "linux-fingerprint": Case("torch-version-mismatch", "cause-not-told", action=FITTING["2.8"],
                              majors=(8,), message="no torchcodec from 0.11 to 0.15 .* torch 2.8$"),
    "linux-vendor-untold": Case("vendor-torch", "cause-not-told",
                                action="tcfix apply --replace-from BUILD_DIR"),
    "linux-no-major": Case("cause-not-told", action=DOCTOR),
    "bare-error": Case("cause-not-told", action=DOCTOR),
}


def lines(change):
    return lambda text: "".join(change(number, line) for number, line in enumerate(text.splitlines()))


# How terminals, loggers and people change a text. The diagnosis must stay the same.
NOISE = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "one line": lambda text: "!!! Exception !!! " + " ".join(text.split()),
    "quoted": lines(lambda _, line: f"> {line}\n"),
    "indented": lines(lambda _, line: f"        {line}\n"),
    "pytest": lines(lambda _, line: f"E       {line}\n"),
    "container": lines(lambda _, line: f"web-1  | {line}\n"),
    "time stamps": lines(lambda number, line:
                         f"2026-03-01 10:00:{number % 60:02d},123 ERROR [worker-1] {line}\n"),
    "colours": lines(lambda _, line: "\x1b[31m" + line.replace("lib", "\x1b[1;35mlib\x1b[0m")
                     + "\x1b[0m\r\n"),
    "twice": lambda text: f"{text}\nDuring handling of the above exception, another occurred:\n{text}",
}
FINE = ["fine-versions", "fine-session"]
UNKNOWN = ["unknown-other-error", "unknown-file"]


class Transcripts(FilesTest):
    def test_each(self):
        for name, case in CASES.items():
            with self.subTest(name):
                said = tcfix_json("doctor", "--traceback", TEXTS / f"{name}.txt", check=1)
                self.assertEqual([each["code"] for each in said["findings"]], case.codes, said)
                self.assertEqual((said["verdict"], said["ok"]), ("broken", False))
                # Windows PowerShell 5.1 has no "&&".
                action = case.action.replace(THEN, "\n" + APPLY) if name.startswith("windows") else case.action
                self.assertRegex(said["action"], f"^{action}$")
                self.assertRegex(said["findings"][0]["message"], case.message)
                self.assertEqual(said["findings"][0]["severity"], "error")
                majors = [group["ffmpeg"] for group in said["groups"]]
                self.assertEqual(majors, case.majors or [None])
                for group in said["groups"]:
                    self.assertEqual((group["loads"], group["loads_bare"]), (False, None))
                    self.assertTrue(group["libraries"][0]["problems"][0]["message"])

    def test_every_text_has_a_case(self):
        known = {"healthy", *CASES, *FINE, *UNKNOWN} | {row["file"].removesuffix(".txt") for row in rows()}
        self.assertEqual({path.stem for path in TEXTS.glob("*.txt")}, known)

    def test_surrounding_text_does_not_matter(self):
        def essence(outcome):
            exit, said = outcome
            return (exit, [(each["code"], each["action"]) for each in said["findings"]],
                    [group["ffmpeg"] for group in said["groups"]], said.get("told"))
        for name in CASES:
            text = (TEXTS / f"{name}.txt").read_text()
            variants = {kind: change(text) for kind, change in NOISE.items()}
            variants["PowerShell"] = ("\ufeff" + text.replace("\n", "\r\n")).encode("utf-16-le")
            expected, *outcomes = map(essence, explain_all([text, *variants.values()]))
            self.assertEqual(expected[0], 1)
            for kind, outcome in zip(variants, outcomes):
                with self.subTest(f"{name}, {kind}"):
                    self.assertEqual(outcome, expected)

    def test_a_text_that_ends_early(self):
        whole = (TEXTS / "linux-torch-too-old.txt").read_bytes()
        for end in range(0, len(whole), 97):
            with self.subTest(end):
                result = self.feed(whole[:end])
                # "Err" is enough of "RuntimeError".
                self.assertEqual(result.returncode, 1 if b"Error" in whole[:end] else 0)

    def test_no_failure(self):
        for name in FINE:
            with self.subTest(name):
                said = tcfix_json("doctor", "--traceback", TEXTS / f"{name}.txt")
                self.assertEqual((said["verdict"], said["findings"], said["groups"], said["action"]),
                                 ("ok", [], [], None))

    def test_a_failure_that_is_not_understood(self):
        for name in UNKNOWN:
            with self.subTest(name):
                said = tcfix_json("doctor", "--traceback", TEXTS / f"{name}.txt", check=1)
                self.assertEqual((said["verdict"], said["ok"], said["findings"], said["groups"]),
                                 ("unknown", False, [], []))
                out = tcfix("doctor", "--color", "never", "--traceback", TEXTS / f"{name}.txt",
                            check=1).stdout
                self.assertRegex(out, r": tcfix does not\s+recognize\s+the\s+failure\s+in\s+this\s+text;\s+send\s+the")
                self.assertNotIn("torchcodec in", out)

    def test_nothing_is_fine(self):
        for text in ("", "\n", "all is well", "Clang version: Could not collect"):
            with self.subTest(text):
                said = tcfix_json("doctor", "--traceback", self.write(text))
                self.assertEqual((said["verdict"], said["ok"]), ("ok", True))

    def test_versions_are_reported(self):
        def told(text):
            return tcfix_json("doctor", "--traceback", self.write(text), check=0).get("told", {})
        for text, expected in [
                ("torch==2.9.1\ntorchcodec==0.9.1\n", {"torch": "2.9.1", "torchcodec": "0.9.1"}),
                ("| torch | 2.13.0 |\n| Python | 3.14.7 |", {"torch": "2.13.0", "python": "3.14.7"}),
                ("PyTorch version: 2.8.0+cu128", {"torch": "2.8.0+cu128"}),
                ("requires torch>=2.0, torchcodec~=0.3", {}),
                ("site-packages/torchcodec-0.7.0.dist-info/METADATA", {"torchcodec": "0.7.0"}),
                (r"C:\Python313\Lib\site-packages\x.dll", {"python": "3.13", "system": "Windows"}),
                ("/usr/lib/python3.11/x.so", {"python": "3.11", "system": "Linux"}),
                ("/opt/lib/libx.dylib _C.cpython-312-darwin.so", {"system": "macOS"})]:
            with self.subTest(text):
                self.assertEqual(told(text), expected)

    def test_text_output(self):
        for name in CASES:
            with self.subTest(name):
                out = tcfix("doctor", "--color", "never", "--traceback", TEXTS / f"{name}.txt",
                            check=1).stdout
                self.assertRegex(" ".join(out.split("\ncause: ")[0].split()),
                                 r": (\S+ |a library )?(did not load|could not be installed)")
                self.assertIn("\nnext: ", out)
                for line in out.splitlines():
                    if not re.match(r" +\$ |next: ", line) and str(TEXTS) not in line:
                        self.assertLessEqual(len(line), 100, line)

    # Malicious input

    def feed(self, data, *options):
        return subprocess.run([harness.TCFIX, "doctor", *options, "--traceback", "-"], input=data,
                              capture_output=True, timeout=60)

    def write(self, content):
        path = self.folder / "text"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def test_any_bytes(self):
        noise = random.Random(1)
        words = re.findall(rb'{"([^"]{6,})", \w+', (ROOT / "lib/traceback/phrases.cc").read_bytes())
        self.assertGreater(len(words), 20)
        marks = [b"FFmpeg version 8:", b"[end of libtorchcodec loading traceback]", b"tried: '", b"' (",
                 b"Referenced from: <", b"torch", b"\x1b[", b"\n", b"/", b": "]
        texts = [b"", b"\0", b"\xff\xfe", b"\xff\xfe\0", noise.randbytes(1 << 20)]
        texts += [word * (200000 // len(word)) for word in words + marks]
        texts += [b"".join(noise.choices(words + marks, k=3000)) for _ in range(20)]
        for text in texts:
            with self.subTest(text[:40]):
                result = self.feed(text, "--json")
                self.assertIn(result.returncode, (0, 1), result.stderr[-500:])
                self.assertEqual(result.stderr, b"")
                result.stdout.decode()

    def test_escapes_do_not_reach_the_terminal(self):
        result = self.feed(b"OSError: /a/\x1b]0;x\x07lib\x9b31m.so: undefined symbol: x\x1b[31m\n")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn(b"\x1b", result.stdout)
        self.assertNotIn(b"\x07", result.stdout)


@unittest.skipUnless(sys.platform == "linux" and find_tool("gcc"), "needs Linux and gcc")
class RealLoader(FilesTest):
    """The messages of this machine's own loader, through Python, instead of messages in a table."""

    def build(self, name, source="int here;", *flags):
        path = self.folder / name
        subprocess.run(["gcc", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}", "-x", "c", "-",
                        "-x", "none", *map(str, flags), "-o", path], input=source, text=True, check=True)
        return path

    def explain(self, library):
        loading = run(sys.executable, "-c", "import ctypes, os, sys; "
                      "ctypes.CDLL(sys.argv[1], os.RTLD_NOW)", library, check=1)
        (self.folder / "text").write_text(loading.stderr)
        said = tcfix_json("doctor", "--traceback", self.folder / "text", check=1)
        (finding,) = said["findings"]
        return finding

    def test_missing_dependency(self):
        needed = self.build("libavutil.so.60")
        library = self.build("libtorchcodec_core8.so", "int here;", "-Wl,--no-as-needed", needed)
        needed.unlink()
        finding = self.explain(library)
        self.assertEqual(finding["code"], "ffmpeg-missing")
        self.assertEqual(finding["evidence"]["dependency"], "libavutil.so.60")

    def test_undefined_symbol(self):
        library = self.build("libtorchcodec_core8.so",
                             "void torch_from_blob(void); void (*f)(void) = torch_from_blob;")
        finding = self.explain(library)
        self.assertEqual((finding["code"], finding["path"]), ("missing-symbols", str(library)))
        self.assertEqual(finding["evidence"]["symbols"], ["torch_from_blob"])

    def test_missing_version(self):
        script = self.folder / "map"
        script.write_text("OWN_2 { *; };")
        needed = self.build("libown.so", "int thing;", f"-Wl,--version-script={script}")
        library = self.build("libuser.so", "extern int thing; int *f = &thing;", needed,
                             "-Wl,-rpath,$ORIGIN")
        script.write_text("OWN_1 { *; };")
        self.build("libown.so", "int thing;", f"-Wl,--version-script={script}")
        finding = self.explain(library)
        self.assertEqual((finding["code"], finding["path"]), ("library-too-old", str(library)))
        self.assertEqual(finding["evidence"], {"library": str(needed), "versions": ["OWN_2"]})

    def test_no_library(self):
        library = self.folder / "libtorchcodec_core8.so"
        for content in (b"", b"text" * 100):
            with self.subTest(content[:4]):
                library.write_bytes(content)
                finding = self.explain(library)
                self.assertEqual((finding["code"], finding["path"]), ("unreadable", str(library)))

    def test_other_word_size(self):
        library = self.build("libtorchcodec_core8.so")
        data = bytearray(library.read_bytes())
        data[4] = 1  # ELFCLASS32
        library.write_bytes(data)
        finding = self.explain(library)
        self.assertEqual((finding["code"], finding["path"]), ("wrong-architecture", str(library)))


class CommandLine(FilesTest):
    TEXT = TEXTS / "linux-no-ffmpeg-0.7.txt"

    def test_standard_input(self):
        with open(self.TEXT) as file:
            result = subprocess.run([harness.TCFIX, "doctor", "--traceback", "-"], stdin=file,
                                    capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("torchcodec in standard input", result.stdout)

    @harness.not_on_windows("there are no such pipes")
    def test_pipes(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen([harness.TCFIX, "doctor", "-q", "--traceback", pipe]) as process:
            pipe.write_bytes(self.TEXT.read_bytes())
        self.assertEqual(process.returncode, 1)

    def test_files_that_cannot_be_read(self):
        for path, exit in [(self.folder / "none", 2), (self.folder, 3)]:
            said = tcfix_json("doctor", "--traceback", path, check=exit)
            self.assertEqual([each["path"] for each in said["errors"]], [str(path)])

    def test_options_that_need_libraries(self):
        text = str(TEXTS / "bare-error.txt")
        for words in (["."], ["--dot"], ["--html", self.folder / "x.html"], ["--require", "7"],
                      ["--package", "torchvision"], ["--sysroot", "/"], ["--arch", "arm64"]):
            with self.subTest(words):
                result = run(harness.TCFIX, "doctor", "--traceback", text, *words, check=2)
                self.assertIn("--traceback", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
