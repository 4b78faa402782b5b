"""Compares the simulated Windows loader with Wine: small DLLs in every relevant folder."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from harness import find_tool, run, tcfix
from wine import WINE_TOOLS, start_wine, wine

PROBE = os.environ["TCFIX_PROBE"]
GCC = "x86_64-w64-mingw32-gcc"
NAMES = "abcdef"
FOLDERS = ["pkg", "added", "app", "onpath", "list"]
TREES = 40

# Like Python: the folder of the DLL, the program's folder, AddDllDirectory, System32.
LOADER = r"""
#include <stdio.h>
#include <windows.h>
int wmain(int count, wchar_t** arguments) {
  SetErrorMode(SEM_FAILCRITICALERRORS);
  if (count > 1) AddDllDirectory(arguments[1]);
  if (count > 2 && LoadLibraryExW(arguments[2], 0, 0x1100)) printf("ok\n");
  else printf("error %lu\n", GetLastError());
  return 0;
}
"""


def simulate(*arguments):
    result = subprocess.run([PROBE, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


class Trees(unittest.TestCase):
    """DLLs that import each other, in random folders; some converted by tcfix."""

    def setUp(self):
        for tool in (*WINE_TOOLS, GCC):
            if not find_tool(tool):
                self.skipTest(f"no {tool}")
        folder = tempfile.TemporaryDirectory(prefix="tcfix-test-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(os.path.realpath(folder.name))
        self.addCleanup(start_wine(self.home / "prefix"))
        self.stubs = self.home / "stubs"
        self.stubs.mkdir()
        (self.home / "loader.c").write_text(LOADER)
        run(GCC, "-municode", self.home / "loader.c", "-o", self.home / "loader.exe", check=0)
        wine(self.home / "loader.exe")  # creates the prefix
        self.disk = self.home / "disk"  # the sysroot, which is Wine's drive T: as well
        (self.disk / "T").mkdir(parents=True)
        (self.home / "prefix" / "dosdevices" / "t:").symlink_to(self.disk / "T")
        for name in NAMES:
            self.link(self.stubs / f"{name}.dll", name, [], self.stubs / f"{name}.lib")

    def link(self, path, name, needed, library=None):
        source = path.with_suffix(".c")
        calls = "".join(f"__declspec(dllimport) int use_{other}(void);\n" for other in needed)
        total = " + ".join([f"use_{other}()" for other in needed] + ["1"])
        source.write_text(f"{calls}__declspec(dllexport) int use_{name}(void) {{ return {total}; }}\n"
                          "int __stdcall DllMainCRTStartup(void* a, int b, void* c) { return 1; }\n")
        options = [f"-Wl,--out-implib,{library}"] if library else []
        run(GCC, "-shared", "-nostdlib", "-O1", source, "-o", path, *options,
            *[self.stubs / f"{other}.lib" for other in needed], check=0)
        source.unlink()

    def windows_path(self, path):
        return "T:\\" + str(path.relative_to(self.disk / "T")).replace("/", "\\")

    def make_tree(self, home, pick):
        for folder in FOLDERS:
            (home / folder).mkdir(parents=True)
        shutil.copy(self.home / "loader.exe", home / "app" / "loader.exe")
        made = []
        for name in NAMES:
            for folder in pick.sample(FOLDERS, pick.choices([0, 1, 2], [1, 8, 2])[0]):
                later = [other for other in NAMES if other > name]
                needed = pick.sample(later, min(len(later), pick.choice([0, 1, 1, 2])))
                path = home / folder / f"{name}.dll"
                self.link(path, name, needed)
                if needed and pick.random() < 0.5:
                    entries = pick.sample(["$ORIGIN\\..\\list", "$ORIGIN\\..\\nowhere", "%TCFIX_TEST%",
                                           self.windows_path(home / "pkg")], 2)
                    tcfix("edit", "--delay", f"{pick.choice(needed)}.dll",
                          *[part for entry in entries for part in ("--add-rpath", entry)], path)
                made.append(path)
        return pick.sample(made, min(2, len(made)))

    def test_they_load_as_simulated(self):
        outcomes = {"loads": 0, "fails": 0}
        for seed in range(TREES):
            with self.subTest(seed=seed):
                home = self.disk / "T" / str(seed)
                roots = self.make_tree(home, random.Random(seed))
                variables = {"WINEPATH": self.windows_path(home / "onpath"),
                             "TCFIX_TEST": self.windows_path(home / "list")}
                # Each in its own process: what a helper has loaded stays when its DLL is freed.
                answers = [wine(*map(self.windows_path, (home / "app" / "loader.exe", home / "added", root)),
                                environment=variables) for root in roots]
                loads = simulate("--windows", "--alone", "--sysroot", self.disk, "--executable", home / "app" / "loader.exe",
                                 "--dll-folder", home / "added",
                                 "--env", "PATH=" + variables["WINEPATH"],
                                 "--env", "TCFIX_TEST=" + variables["TCFIX_TEST"], *roots)
                for root, answer, load in zip(roots, answers, loads):
                    outcomes[load["verdict"]] += 1
                    self.assertEqual(load["verdict"], "loads" if answer == ["ok"] else "fails",
                                     (root, answer, load["problems"]))
        self.assertGreater(min(outcomes.values()), TREES / 4, outcomes)


if __name__ == "__main__":
    unittest.main()
