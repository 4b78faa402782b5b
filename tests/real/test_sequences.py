"""Random sequences of edits on every library of the wheels for the three platforms, and undoing them."""
import random
import sys
import unittest

import harness
from harness import FilesTest, run, sha256, tcfix, tcfix_json

LARGEST = 8 << 20  # torch's own are read by other tests
LENGTH = 6
PATHS = ["/a", "$ORIGIN/../b", "@loader_path/../c", "/opt/" + "d" * 200]
MAGIC = {b"\x7fELF": "elf", b"\xcf\xfa\xed\xfe": "macho", b"\xca\xfe\xba\xbe": "macho", b"MZ\x90\x00": "pe"}


def kind_of(path):
    with path.open("rb") as file:
        return MAGIC.get(file.read(4))


def libraries(wheel):
    return sorted(path for path in wheel.rglob("*") if path.suffix in (".so", ".dylib", ".dll", ".pyd")
                  and not path.is_symlink() and path.stat().st_size < LARGEST and kind_of(path))


def random_edit(choose, kind):
    """An edit, the search paths that must be there afterwards, and those that must not."""
    one, other = choose.sample(PATHS, 2)
    edits = [(["--add-rpath", one], {one}, set()), (["--prepend-rpath", one], {one}, set()),
             (["--remove-rpath", one], set(), {one}), (["--replace-rpath", f"{one}={other}"], set(), {one}),
             (["--add-rpath", one, "--remove-rpath", other], {one}, {other})]
    if kind == "elf":
        edits += [(["--rpath-kind", choose.choice(["rpath", "runpath"])], set(), set()),
                  (["--add-dependency", "libadded.so.1"], set(), set()),
                  (["--remove-dependency", "libadded.so.1"], set(), set())]
    if kind == "pe":
        edits += [(["--delay", "*"], set(), set()), (["--undelay", "*"], set(), set())]
    else:
        edits += [(["--set-id", choose.choice(["libshort.so", "lib" + "x" * 100 + ".so"])], set(), set())]
    return choose.choice(edits)


class Sequences(FilesTest):
    def check_edit(self, edit, wanted, unwanted, copies, journal):
        before = [sha256(copy) for copy in copies]
        # A file may lack the space for an edit; the others are edited all the same.
        report = tcfix_json("edit", "--journal", journal, *edit, *copies, check=None)
        done = []
        for copy, old, file in zip(copies, before, report["files"], strict=True):
            with self.subTest(edit=edit, file=copy.name):
                is_done = file["status"] != "failed"
                self.assertEqual(sha256(copy), file["sha256_after"] if is_done else old)
                if is_done:
                    done.append(copy)
        if not done:
            return
        for found in tcfix_json("inspect", *done)["files"]:
            with self.subTest(edit=edit, file=found["path"]):
                for part in found.get("slices", [found]):
                    self.assertLessEqual(wanted, set(part["rpaths"]))
                    self.assertFalse(unwanted & set(part["rpaths"]))
        again = tcfix_json("edit", *edit, *done)
        self.assertEqual({file["status"] for file in again["files"]}, {"unchanged"})

    def test_every_wheel(self):
        number = 0
        for wheel in harness.pinned("linux", "macos", "windows"):
            pairs = self.copy(libraries(wheel))
            if not pairs:
                continue
            with self.subTest(wheel.name):
                kind = kind_of(pairs[0][0])
                copies = [copy for _, copy in pairs if kind_of(copy) == kind]
                choose, journal = random.Random(wheel.name), self.folder / f"{wheel.name}.json"
                for _ in range(LENGTH):
                    self.check_edit(*random_edit(choose, kind), copies, journal)
                if kind == "macho":
                    self.assertEqual(run(harness.TCFIX, "verify", *copies).returncode, 0)
                if journal.exists():
                    tcfix("undo", "--journal", journal)
                for original, copy in pairs:
                    self.assertEqual(copy.read_bytes(), original.read_bytes(), copy.name)
                    self.assertEqual(copy.stat().st_mode, original.stat().st_mode)
                number += len(copies)
            for _, copy in pairs:
                copy.unlink()
                copy.parent.rmdir()
        print(f"{number} libraries", file=sys.stderr)
        self.assertGreater(number, 100)


if __name__ == "__main__":
    unittest.main()
