"""Converted DLLs under Wine: whether the real loader accepts what `tcfix edit --delay` writes.

Everything is built here, with mingw-w64 and with clang and lld; the dependencies are in folders that are on no
search path. Skipped with a message if a tool is missing.
"""
import pathlib
import shutil
import tempfile
import unittest

from harness import find_tool, run, tcfix
from wine import WINE_TOOLS, start_wine, wine, windows_path

SOURCES = pathlib.Path(__file__).resolve().parent / "sources"
GCC, DLLTOOL = "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-dlltool"
TOOLS = (*WINE_TOOLS, GCC, DLLTOOL, "clang-19", "lld-link-19")
HOME = None  # the folder with everything that is built once

EVERYTHING = {"useFunction": 5, "useFloats": 15, "useVarargs": 15, "useStack": 654321, "useSibling": 5,
              "useOrdinal": 707, "useForwarder": 5, "useStart": 21, "useThread": 9}


def build(*command):
    run(*command, check=0)


def build_all(home):
    build(GCC, "-O1", "-municode", SOURCES / "loader.c", "-o", home / "loader.exe")
    libs = home / "libs"
    libs.mkdir()
    build(GCC, "-shared", SOURCES / "sibling.c", "-o", libs / "sibling.dll",
        f"-Wl,--out-implib,{home / 'sibling.lib'}")
    build(GCC, "-shared", "-O1", SOURCES / "provider.c", SOURCES / "provider.def", home / "sibling.lib",
        "-o", libs / "provider.dll")
    build(DLLTOOL, "-d", SOURCES / "provider.def", "-l", home / "provider.lib", "-D", "provider.dll")
    for name, flags in {"consumer": [], "data": ["-DWITH_DATA"], "callback": ["-DWITH_CALLBACK", "-DWITH_DATA"],
                        "quiet": ["-DNO_CALL_AT_START"]}.items():
        build(GCC, "-shared", "-static", "-O1", *flags, SOURCES / "consumer.c", home / "provider.lib", "-o",
            home / f"{name}.dll", f"-Wl,--out-implib,{home / (name + '.lib')}")
    build("clang-19", "--target=x86_64-pc-windows-msvc", "-O1", "-ffreestanding", "-c", SOURCES / "bare.c",
        "-o", home / "bare.obj")
    for name, entry in {"bare": "/entry:DllMain", "entryless": "/noentry"}.items():
        build("lld-link-19", "/dll", entry, "/nodefaultlib", "/noimplib", f"/out:{home / (name + '.dll')}",
            home / "bare.obj", home / "provider.lib")
    build(GCC, SOURCES / "program.c", home / "consumer.lib", "-o", home / "program.exe")


class WineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=HOME))
        self.addCleanup(shutil.rmtree, self.folder)

    def copy(self, name, folder=None):
        folder = folder or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(shutil.copy(HOME / name, folder / name))

    def edit(self, dll, *options, expect=0):
        result = tcfix("edit", *options, dll, check=expect)
        return result.stdout + result.stderr

    def load(self, dll, *more, environment=None):
        return wine(HOME / "loader.exe", windows_path(dll), *more, environment=environment)

    def delayed(self, name, *options, rpath="$ORIGIN\\..\\libs"):
        dll = self.copy(name)
        self.edit(dll, "--delay", "provider.dll", "--add-rpath", rpath, *options)
        return dll

    def expect_all(self, dll, functions):
        calls = [part for name in functions for part in ("-f", name)]
        self.assertEqual(self.load(dll, *calls),
                         ["loaded"] + [f"{name} = {value}" for name, value in functions.items()])


class Eager(WineTest):
    def test_nothing_loads_before(self):
        for name in ("consumer.dll", "data.dll", "callback.dll", "bare.dll", "entryless.dll"):
            self.assertEqual(self.load(self.copy(name)), ["error 126"], name)

    def test_every_kind_of_import(self):
        self.expect_all(self.delayed("consumer.dll"), EVERYTHING)

    def test_data(self):
        self.expect_all(self.delayed("data.dll"), {**EVERYTHING, "useData": 42})

    def test_tls_callback_calls_an_import(self):
        self.expect_all(self.delayed("callback.dll"), {**EVERYTHING, "useData": 42, "useCallback": 66})

    def test_lld_built_with_native_tls(self):
        self.expect_all(self.delayed("bare.dll"),
                        {"useFunction": 5, "useData": 42, "useStart": 62, "useThread": 9})

    def test_no_entry_point(self):
        self.expect_all(self.delayed("entryless.dll"),
                        {"useFunction": 5, "useData": 42, "useStart": 0})

    def test_many_threads(self):
        for name in ("data.dll", "bare.dll"):
            self.assertEqual(self.load(self.delayed(name), "-t", "useThread", "-t", "useData"),
                             ["loaded", "useThread = 9", "useData = 42"])

    def test_load_unload_and_load_again(self):
        dll = self.delayed("callback.dll")
        self.assertEqual(self.load(dll, "-u", windows_path(dll), "-f", "useCallback", "-u"),
                         ["loaded", "unloaded", "loaded", "useCallback = 66", "unloaded"])

    def test_program_that_needs_it_from_the_start(self):
        self.delayed("consumer.dll")
        self.assertEqual(wine(self.copy("program.exe")), ["5 21"])

    def test_classic_search(self):
        self.assertEqual(self.load("-c", windows_path(self.delayed("data.dll")), "-f", "useData")[1:],
                         ["loaded", "useData = 42"])

    def test_undelay_restores_the_original_file(self):
        dll = self.delayed("callback.dll")
        self.edit(dll, "--undelay", "PROVIDER.dll", "--remove-rpath", "$ORIGIN\\..\\libs")
        self.assertEqual(dll.read_bytes(), (HOME / "callback.dll").read_bytes())

    def test_undelayed_with_the_list_kept_is_an_ordinary_import(self):
        dll = self.delayed("data.dll")
        self.edit(dll, "--undelay", "provider.dll")
        self.assertEqual(self.load(dll), ["error 126"])
        for name in ("provider.dll", "sibling.dll"):
            shutil.copy(HOME / "libs" / name, self.folder)
        self.expect_all(dll, {"useData": 42})


class Failure(WineTest):
    def test_missing_dll(self):
        for name in ("data.dll", "callback.dll", "bare.dll", "entryless.dll"):
            dll = self.delayed(name, rpath="$ORIGIN\\nowhere")
            lines = self.load(dll, "-m", "provider.dll")
            self.assertEqual(lines[0], f"debug: tcfix: {windows_path(dll)} needs provider.dll")
            self.assertIn(f"  {windows_path(self.folder)}\\nowhere\\provider.dll: not found", lines)
            self.assertEqual(lines[-2:], ["error 1114", "provider.dll absent"])

    def test_its_own_dependency_is_missing(self):
        (self.folder / "half").mkdir()
        shutil.copy(HOME / "libs" / "provider.dll", self.folder / "half")
        lines = self.load(self.delayed("data.dll", rpath="$ORIGIN\\half"))
        self.assertIn(f"  {windows_path(self.folder)}\\half\\provider.dll: found, but a DLL that it "
                      "depends on is missing", lines)
        self.assertEqual(lines[-1], "error 1114")

    def test_a_later_entry_is_used_if_an_earlier_one_fails(self):
        (self.folder / "half").mkdir()
        shutil.copy(HOME / "libs" / "provider.dll", self.folder / "half")
        dll = self.delayed("data.dll", "--prepend-rpath", "$ORIGIN\\half")
        self.expect_all(dll, {"useData": 42})

    def test_symbol_is_missing(self):
        (self.folder / "other").mkdir()
        shutil.copy(HOME / "libs" / "sibling.dll", self.folder / "other" / "provider.dll")
        lines = self.load(self.delayed("bare.dll", rpath="$ORIGIN\\other"), "-m", "provider.dll")
        self.assertTrue(any(line.startswith("  does not export ") for line in lines), lines)
        self.assertEqual(lines[-2:], ["error 1114", "provider.dll absent"])

    def test_variable_is_not_set(self):
        lines = self.load(self.delayed("data.dll", rpath="%TCFIX_TEST%\\bin"))
        self.assertIn("  %TCFIX_TEST%\\bin: not an absolute path", lines)


class Paths(WineTest):
    def expect_found(self, rpath, environment=None):
        dll = self.delayed("data.dll", rpath=rpath)
        self.assertEqual(self.load(dll, "-f", "useData", environment=environment),
                         ["loaded", "useData = 42"], rpath)

    def test_spellings_of_a_folder(self):
        absolute = windows_path(HOME / "libs")
        for rpath in ("$ORIGIN/../libs", "@loader_path/../libs", "$ORIGIN\\.\\x\\..\\..\\libs\\", absolute,
                      absolute.replace("\\", "/"), "\\\\?\\" + absolute):
            self.expect_found(rpath)

    def test_variables(self):
        self.expect_found("%TCFIX_TEST%", {"TCFIX_TEST": windows_path(HOME / "libs")})
        self.expect_found("%TCFIX_TEST%\\..\\libs", {"TCFIX_TEST": windows_path(self.folder)})
        self.expect_found("$ORIGIN\\%TCFIX_TEST%", {"TCFIX_TEST": "..\\libs"})

    def test_names_beyond_ascii(self):
        shutil.copytree(HOME / "libs", self.folder / "Ünï ☃")
        self.expect_found("$ORIGIN\\Ünï ☃")

    def test_long_path(self):
        deep = self.folder / ("a" * 100) / ("b" * 100) / ("c" * 100)
        shutil.copytree(HOME / "libs", deep)
        self.expect_found("$ORIGIN\\" + str(deep.relative_to(self.folder)).replace("/", "\\"))

    def test_own_folder_is_searched_last(self):
        for name in ("provider.dll", "sibling.dll"):
            shutil.copy(HOME / "libs" / name, self.folder)
        self.expect_found("$ORIGIN\\nowhere")

    def test_renamed(self):
        (self.folder / "renamed").mkdir()
        shutil.copy(HOME / "libs" / "provider.dll", self.folder / "renamed" / "provider-0123456789abcdef.dll")
        shutil.copy(HOME / "libs" / "sibling.dll", self.folder / "renamed")
        dll = self.delayed("data.dll", "--rename-dependency", "provider.dll=provider-0123456789abcdef.dll",
                           rpath="$ORIGIN\\renamed")
        self.expect_all(dll, {**EVERYTHING, "useData": 42})

    def test_renamed_without_delay(self):
        for new in ("p.dll", "provider-0123456789abcdef.dll", "p" * 200 + ".dll"):
            dll = self.copy("data.dll")
            self.edit(dll, "--rename-dependency", f"provider.dll={new}")
            shutil.copy(HOME / "libs" / "provider.dll", self.folder / new)
            shutil.copy(HOME / "libs" / "sibling.dll", self.folder)
            self.expect_all(dll, {**EVERYTHING, "useData": 42})

    def test_list_is_edited(self):
        dll = self.delayed("data.dll", rpath="$ORIGIN\\nowhere")
        size = dll.stat().st_size
        self.edit(dll, "--replace-rpath", "$ORIGIN\\nowhere=$ORIGIN\\..\\libs")
        self.assertEqual(dll.stat().st_size, size)
        self.expect_all(dll, {"useData": 42})
        self.edit(dll, *(part for i in range(60) for part in ("--prepend-rpath", f"C:\\nowhere\\number{i}")))
        self.assertGreater(dll.stat().st_size, size)
        self.expect_all(dll, {"useData": 42})


class Lazy(WineTest):
    def test_bound_at_the_first_call(self):
        dll = self.delayed("quiet.dll", "--lazy")
        self.assertEqual(self.load(dll, "-m", "provider.dll", "-f", "useFloats", "-m", "provider.dll"),
                         ["loaded", "provider.dll absent", "useFloats = 15", "provider.dll present"])

    def test_every_kind_of_function(self):
        self.expect_all(self.delayed("consumer.dll", "--lazy"), EVERYTHING)

    def test_many_threads(self):
        dll = self.delayed("quiet.dll", "--lazy")
        names = [name for name in EVERYTHING if name not in ("useStart",)]
        self.assertEqual(self.load(dll, *(part for name in names for part in ("-t", name))),
                         ["loaded"] + [f"{name} = {EVERYTHING[name]}" for name in names])

    def test_a_missing_dll_raises_the_delay_load_exception(self):
        dll = self.delayed("quiet.dll", "--lazy", rpath="$ORIGIN\\nowhere")
        lines = self.load(dll, "-f", "useFunction")
        self.assertEqual((lines[0], lines[-1]), ("loaded", "exception c06d007e"))
        self.assertIn(f"debug: tcfix: {windows_path(dll)} needs provider.dll", lines)

    def test_data_is_refused(self):
        dll = self.copy("data.dll")
        self.assertIn("counter of provider.dll", self.edit(dll, "--delay", "provider.dll", "--lazy", expect=3))
        self.assertEqual(dll.read_bytes(), (HOME / "data.dll").read_bytes())

    def test_eager_and_lazy_can_be_exchanged(self):
        dll = self.delayed("quiet.dll", "--lazy")
        lazy = dll.read_bytes()
        self.edit(dll, "--delay", "provider.dll")
        self.assertEqual(self.load(dll, "-m", "provider.dll"), ["loaded", "provider.dll present"])
        self.edit(dll, "--delay", "provider.dll", "--lazy")
        self.assertEqual(dll.read_bytes(), lazy)


def setUpModule():
    absent = [tool for tool in TOOLS if not find_tool(tool)]
    if absent:
        raise unittest.SkipTest("not installed: " + ", ".join(absent))
    global HOME
    folder = tempfile.mkdtemp(prefix="tcfix-test-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    HOME = pathlib.Path(folder).resolve() / "home"
    HOME.mkdir()
    unittest.addModuleCleanup(start_wine(pathlib.Path(folder) / "prefix"))
    build_all(HOME)


if __name__ == "__main__":
    unittest.main()
