"""Search paths for software that is installed later, and `--search` for other directories."""
import shutil
import unittest

import tiny_macho
from harness import tcfix, tcfix_json
from package_checks import content, record_problems, stamps
from test_apply import ApplyTest, rpaths
from tiny_world import BREW, FFMPEG, LIBRARIES, TORCH, record_row, write_files


class Standing(ApplyTest):
    def setUp(self):
        super().setUp()
        self.brew = self.world.root / "opt/homebrew"
        shutil.rmtree(self.brew / "lib")

    def entries(self):
        found = {tuple(rpaths(path)) for path in self.world.libraries()}
        self.assertEqual(len(found), 1, found)
        return list(found.pop())

    def brew_install(self):
        write_files(self.brew / "lib", {
            name: tiny_macho.dylib(identity=f"{BREW}/{name}") for name in FFMPEG})

    def doctor(self, *options, check=0):
        return tcfix_json("doctor", "--sysroot", self.world.root, *options, self.world.env,
                          check=check)

    def test_an_ffmpeg_installed_later_needs_no_second_run(self):
        before = content(self.world.site)
        report = self.apply(check=4)
        self.assertEqual(self.entries(), [TORCH, BREW])
        added = report["targets"][0]["files"][0]["edits"][1]
        self.assertEqual((added["value"], added["reason"]), (BREW, "for an FFmpeg installed later"))
        self.assertEqual(record_problems(self.world.site), [])
        found = self.doctor(check=1)
        self.assertEqual([each["code"] for each in found["findings"]], ["ffmpeg-missing"])
        self.brew_install()
        self.assertEqual(self.doctor()["verdict"], "ok")
        once = stamps(self.world.site)
        (target,) = self.apply()["targets"]
        self.assertEqual((target["summary"]["changed"], target["ffmpeg"]["path"]), (0, BREW))
        self.assertEqual(stamps(self.world.site), once)
        self.undo()
        self.assertEqual(content(self.world.site), before)

    def test_none_removes_it(self):
        self.apply(check=4)
        self.apply("--ffmpeg", "none", self.world.env, check=4)
        self.assertEqual(self.entries(), [TORCH])

    def test_not_written_if_literal_entries_find_ffmpeg(self):
        write_files(self.world.root / "mine", {
            name: tiny_macho.dylib(identity=f"/mine/{name}") for name in FFMPEG})
        self.apply("--rpath", "/mine", self.world.env)
        self.assertEqual(self.entries(), ["/mine", TORCH])
        self.apply("--rpath", "/other", self.world.env, check=4)
        self.assertEqual(self.entries(), ["/other", TORCH, BREW])

    def test_conda_on_macos_has_its_own_place(self):
        (self.world.env / "pyvenv.cfg").unlink()
        (self.world.env / "conda-meta").mkdir()
        self.apply(check=4)
        self.assertEqual(self.entries(), [TORCH, "@loader_path/../../.."])
        write_files(self.world.env / "lib", {
            name: tiny_macho.dylib(identity=f"@rpath/{name}") for name in FFMPEG})
        self.assertEqual(self.doctor()["verdict"], "ok")

    def test_an_unknown_disk_is_reported_in_one_line(self):
        result = tcfix("apply", self.world.env)
        (warning,) = [line for line in result.stderr.splitlines() if line]
        self.assertIn(f"FFmpeg is assumed to be in {BREW}", warning)
        self.assertEqual(self.entries(), [TORCH, BREW])


class Search(ApplyTest):
    """An extension of another package, linked with a private library and without a search path to it."""

    def setUp(self):
        super().setUp()
        self.private = self.world.root / "work/private"
        self.site = self.world.site

    def install(self, *names):
        library = tiny_macho.dylib(identity="_ext.abi3.so", padding=2000,
                                   dependencies=[*names, "/usr/lib/libSystem.B.dylib"])
        write_files(self.site, {
            "mine/_ext.abi3.so": library,
            "mine-1.0.dist-info/METADATA": b"Name: mine\nVersion: 1.0\n",
            "mine-1.0.dist-info/RECORD": record_row("mine/_ext.abi3.so", library).encode()})
        for folder in (self.private, self.site / "mine/hidden/lib"):
            folder.mkdir(parents=True, exist_ok=True)

    def doctor(self, *options, check=0):
        return tcfix_json("doctor", "--package", "mine", "--sysroot", self.world.root, *options,
                          self.world.env, check=check)

    def cause(self):
        return next(each for each in self.doctor(check=1)["findings"]
                    if each["code"] == "missing-dependency")

    def put(self, folder):
        write_files(folder, {"libpriv.dylib": tiny_macho.dylib(identity="@rpath/libpriv.dylib")})

    def test_a_directory_given_by_the_user(self):
        for name in ("@rpath/libpriv.dylib", "/build/machine/libpriv.dylib", "libpriv.dylib"):
            with self.subTest(name):
                self.install(name)
                before = content(self.site)
                self.put(self.private)
                finding = self.cause()
                self.assertTrue(finding["action"].endswith("--search DIR"), finding["action"])
                self.assertIn("pass its directory", finding["message"])
                options = ("--package", "mine", "--search", "/work/private", self.world.env)
                found = self.doctor("--search", "/work/private", check=1)
                self.assertIn("--search /work/private", found["action"])
                self.apply(*options)
                self.assertEqual(rpaths(self.site / "mine/_ext.abi3.so"), ["/work/private"])
                self.assertEqual(self.doctor()["verdict"], "ok")
                self.assertEqual(self.apply(*options)["targets"][0]["summary"]["changed"], 0)
                self.undo()
                self.assertEqual(content(self.site), before)

    def test_a_directory_inside_the_environment_is_relative(self):
        self.install("@rpath/libpriv.dylib")
        self.put(self.site / "mine/hidden/lib")
        finding = self.cause()
        place = f"/{(self.site / 'mine/hidden/lib').relative_to(self.world.root)}"
        self.assertIn(f"there is one in {place}", finding["message"])
        self.assertTrue(finding["action"].endswith(f"--search {place}"), finding["action"])
        self.apply("--package", "mine", "--search", place, self.world.env)
        self.assertEqual(rpaths(self.site / "mine/_ext.abi3.so"), ["@loader_path/hidden/lib"])
        self.assertEqual(self.doctor()["verdict"], "ok")

    def test_an_ffmpeg_there_is_used(self):
        shutil.rmtree(self.world.root / "opt/homebrew/lib")
        write_files(self.world.root / "mine", {
            name: tiny_macho.dylib(identity=f"/mine/{name}") for name in FFMPEG})
        (target,) = self.apply("--search", "/mine", self.world.env)["targets"]
        self.assertEqual(target["ffmpeg"], {"major": 7, "path": "/mine", "source": "search"})
        self.assertEqual(rpaths(self.world.package / LIBRARIES[0]), [TORCH, "/mine"])

    def test_no_such_directory(self):
        for command in ("apply", "doctor", "list"):
            (error,) = tcfix_json(command, "--sysroot", self.world.root, "--search", "/gone",
                                  self.world.env, check=2)["errors"]
            self.assertIn("/gone", error["message"])


if __name__ == "__main__":
    unittest.main()
