"""The released Windows program under Wine: what is specific to Windows. TCFIX_WINDOWS is its path.

scripts/check-release runs it; scripts/test has no such program. Paths of more than 260 characters cannot be tried:
Wine 8 finds no name for the handle of such a file (GetFinalPathNameByHandleW).
"""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "real")]

import harness
import tiny_macho
import tiny_pe

PROGRAM = os.environ.get("TCFIX_WINDOWS", "")
GCC = "x86_64-w64-mingw32-gcc"
ENVIRONMENT = {**os.environ, "WINEDEBUG": "-all"}
# What Windows 10 has: its own DLLs and the C runtime.
SYSTEM_DLLS = {"advapi32.dll", "bcrypt.dll", "kernel32.dll", "ntdll.dll", "ole32.dll", "psapi.dll", "shell32.dll",
               "ws2_32.dll"}
# Opens its first argument like the loader opens a DLL: others can read it, but cannot replace it.
HOLDER = r"""
#include <windows.h>
#include <stdio.h>
int main(int count, char** words) {
  HANDLE file = CreateFileA(words[1], GENERIC_READ, FILE_SHARE_READ, 0, OPEN_EXISTING, 0, 0);
  puts(file == INVALID_HANDLE_VALUE ? "failed" : "open");
  fflush(stdout);
  getchar();
  return 0;
}
"""


def wine(*words):
    return subprocess.run(["wine", PROGRAM, *map(str, words)], capture_output=True, text=True, errors="replace",
                          env=ENVIRONMENT)


@unittest.skipUnless(PROGRAM, "TCFIX_WINDOWS is not set")
class WindowsTest(harness.FilesTest):
    def make(self, *parts):
        path = self.folder.joinpath(*parts, "libtiny.dylib")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tiny_macho.dylib())
        return path

    def edit_and_undo(self, path):
        before = path.read_bytes()
        journal = self.folder / "journal.json"
        for words in (("edit", "--journal", journal, "--add-rpath", "/opt/homebrew/lib", path),
                      ("undo", "--journal", journal)):
            result = wine(*words)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(path.read_bytes() == before, words[0] == "undo")
        self.assertEqual([each.name for each in path.parent.iterdir() if each != journal], [path.name])


class Paths(WindowsTest):
    def test_any_letters(self):
        path = self.make("Jürgen Ω 漢字 🐍")
        self.edit_and_undo(path)
        result = wine("inspect", "--json", path)
        self.assertIn("Jürgen Ω 漢字 🐍", json.dumps(json.loads(result.stdout), ensure_ascii=False))


class Replacing(WindowsTest):
    def test_file_in_use(self):
        if not shutil.which(GCC):
            self.skipTest(f"{GCC} is not installed")
        (self.folder / "holder.c").write_text(HOLDER)
        holder = self.folder / "holder.exe"
        subprocess.run([GCC, self.folder / "holder.c", "-o", holder], check=True)
        path = self.make("site")
        before = path.read_bytes()
        words = ("edit", "--add-rpath", "/opt/homebrew/lib", path)
        with subprocess.Popen(["wine", holder, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=ENVIRONMENT) as process:
            self.assertEqual(process.stdout.readline().strip(), "open")
            result = wine(*words)
            self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
            self.assertIn("close Python first", result.stderr)
            self.assertEqual(path.read_bytes(), before)
            self.assertEqual([each.name for each in path.parent.iterdir()], [path.name])
            # Replacing is retried for a while, and succeeds when the other program closes the file.
            with subprocess.Popen(["wine", PROGRAM, *map(str, words)], env=ENVIRONMENT) as second:
                time.sleep(0.5)
                process.stdin.close()
                self.assertEqual(second.wait(), 0)
        self.assertNotEqual(path.read_bytes(), before)

    def test_two_at_once(self):
        path = self.make("site")
        entries = [f"/opt/{number}/lib" for number in range(4)]
        processes = [subprocess.Popen(["wine", PROGRAM, "edit", "--add-rpath", entry, str(path)], env=ENVIRONMENT,
                                      stdout=subprocess.DEVNULL) for entry in entries]
        self.assertEqual([each.wait() for each in processes], [0] * len(entries))
        text = wine("inspect", "--json", path).stdout
        for entry in entries:
            self.assertIn(entry, text)


class Program(WindowsTest):
    def test_only_dlls_of_the_system(self):
        import pefile
        program = pefile.PE(PROGRAM)
        names = {each.dll.decode().lower() for each in program.DIRECTORY_ENTRY_IMPORT}
        self.assertEqual({each for each in names if not each.startswith("api-ms-win-crt-")} - SYSTEM_DLLS, set())

    def test_manifest(self):
        import pefile
        program = pefile.PE(PROGRAM)
        manifests = [kind for kind in program.DIRECTORY_ENTRY_RESOURCE.entries if kind.id == 24]
        data = manifests[0].directory.entries[0].directory.entries[0].data.struct
        text = program.get_data(data.OffsetToData, data.Size).decode()
        for setting in (">UTF-8</activeCodePage>", ">true</longPathAware>", 'level="asInvoker"'):
            self.assertIn(setting, text)

    def test_colours_on_request(self):
        library = self.folder / "tiny.dll"
        library.write_bytes(tiny_pe.dll())
        self.assertIn("\x1b[", wine("inspect", "--color", "always", library).stdout)
        self.assertNotIn("\x1b[", wine("inspect", library).stdout)
        self.assertNotIn("\r", wine("inspect", library).stdout)


if __name__ == "__main__":
    unittest.main()
