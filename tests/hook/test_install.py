"""tcfix hook install, status and remove: what they write, print and leave."""
import json
import os
import subprocess
import sys
import unittest

import harness
from harness import FilesTest, not_on_windows, tcfix, tcfix_json


class Sites(FilesTest):
    def setUp(self):
        super().setUp()
        self.venv = self.make("venv")
        self.site = self.venv / "lib" / "python3.12" / "site-packages"

    def make(self, name):
        venv = self.folder / name
        (venv / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text("version = 3.12.1\n")
        return venv

    def names(self):
        return sorted(str(path.relative_to(self.site)) for path in self.site.rglob("*"))

    def stamps(self):
        return [(name, os.stat(self.site / name).st_ino, os.stat(self.site / name).st_mtime_ns)
                for name in [".", *self.names()]]

    def settings(self):
        return json.loads((self.site / "tcfix_hook" / "settings.json").read_text())


class Install(Sites):
    def test_a_second_time_writes_nothing(self):
        tcfix("hook", "install", self.venv)
        before = self.stamps()
        tcfix("hook", "install", self.venv)
        self.assertEqual(self.stamps(), before)

    def test_where_python_would_not_read_it(self):
        plain, target = self.folder / "plain", self.folder / "target"
        plain.mkdir()
        (target / "some-1.0.dist-info").mkdir(parents=True)  # pip install --target
        for folder, why in ((plain, "not an environment"), (target, "has no site-packages")):
            before = list(folder.iterdir())
            result = tcfix("hook", "install", folder, check=2)
            self.assertIn(why, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertEqual(list(folder.iterdir()), before)

    def test_in_a_path_with_a_percent_sign(self):
        venv = self.make("My%20Project")
        tcfix("hook", "install", venv)
        tcfix("hook", "status", venv)
        tcfix("hook", "remove", venv)

    def test_a_failed_install_leaves_nothing(self):
        (self.site / "tcfix_hook.start").mkdir()
        tcfix("hook", "install", self.venv, check=3)
        self.assertEqual(self.names(), ["tcfix_hook.start"])

    def test_a_failed_install_keeps_the_old_one(self):
        tcfix("hook", "install", "--rpath", "/old", self.venv)
        other = self.site / "tcfix_hook-0.0.dist-info"
        other.mkdir()
        (other / "RECORD").write_text("tcfix_hook/more.py,,\n")
        (self.site / "tcfix_hook.start").unlink()
        (self.site / "tcfix_hook.start").mkdir()
        before = self.stamps()
        tcfix("hook", "install", "--rpath", "/new", self.venv, check=3)
        self.assertEqual(self.settings()["arguments"], ["--rpath", "/old"])
        self.assertEqual([each[0] for each in self.stamps()], [each[0] for each in before])

    def test_leftovers_of_a_killed_run_are_removed(self):
        for verb in ("install", "install", "remove"):
            for folder in (self.site, self.site / "tcfix_hook"):
                if folder.exists():
                    (folder / ".tcfix-0123abcd.tmp").write_bytes(b"half")
            tcfix("hook", verb, self.venv)
            self.assertEqual(list(self.site.rglob("*.tmp")), [])
        self.assertEqual(self.names(), [])

    @not_on_windows("the recorded path has a drive")
    def test_a_relative_ffmpeg_is_relative_to_the_current_directory(self):
        subprocess.run([harness.TCFIX, "hook", "install", "--ffmpeg", "lib", self.venv], check=True,
                       cwd=self.folder, stdout=subprocess.DEVNULL)
        self.assertEqual(self.settings()["arguments"], ["--ffmpeg", str(self.folder / "lib")])
        tcfix("hook", "install", "--ffmpeg", "none", "--rpath", "lib", self.venv)
        self.assertEqual(self.settings()["arguments"], ["--ffmpeg", "none", "--rpath", "lib"])
        tcfix("hook", "install", "--ffmpeg", "", self.venv, check=2)

    @not_on_windows("links of the host are not links of Windows")
    def test_by_a_link_records_the_link(self):
        """As Homebrew and uv create them: the target may be removed by the next upgrade."""
        (self.folder / "bin").mkdir()
        link = self.folder / "bin" / "tcfix"
        link.symlink_to(harness.TCFIX)
        for command, where in ((link, "/"), ("bin/../bin/tcfix", self.folder), ("./tcfix", link.parent)):
            subprocess.run([command, "hook", "install", self.venv], check=True, cwd=where,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(self.settings()["tcfix"], str(link))

    @not_on_windows("links of the host are not links of Windows")
    def test_for_the_environment_that_holds_a_link_to_it(self):
        """uv with --link-mode symlink."""
        (self.venv / "bin").mkdir()
        (self.venv / "bin" / "tcfix").symlink_to(harness.TCFIX)
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
        subprocess.run([self.venv / "bin" / "tcfix", "hook", "install"], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, env=clean)
        self.assertIn("tcfix_hook.pth", self.names())

    def test_runs_for_the_import_names_of_a_distribution(self):
        for name, files in (("opencv_python", ("cv2/__init__.py", "opencv_python.libs/libav.so")),
                            ("some_thing", ("some_thing/__init__.py", "some_more/__init__.py")),
                            ("PyYAML", ("yaml/__init__.py", "_yaml.abi3.so", "../../../bin/yaml", "a'b.py"))):
            folder = self.site / f"{name}-1.0.dist-info"
            folder.mkdir()
            (folder / "RECORD").write_text("".join(f"{file},,\n" for file in (*files, f"{folder.name}/RECORD")))
        for name, modules in (("opencv-python", ["cv2"]), ("some-thing", ["some_thing"]), ("cv2", ["cv2"]),
                              ("pyyaml", ["_yaml", "yaml"]), ("not-there", ["not_there"])):
            tcfix("hook", "install", "--package", name, self.venv)
            tcfix("hook", "status", self.venv)
            namespace = {}
            exec((self.site / "tcfix_hook" / "finder.py").read_text(), namespace)
            self.assertEqual(list(namespace["PACKAGES"]), modules)
            self.assertEqual(self.settings()["arguments"], ["--package", name])


class Incomplete(Sites):
    def test_either_half_is_stale(self):
        tcfix("hook", "install", self.venv)
        whole = {name: (self.site / name).read_bytes() for name in self.names()
                 if (self.site / name).is_file()}
        for name, content in whole.items():
            with self.subTest(name):
                tcfix("hook", "remove", self.venv)
                self.assertEqual(self.names(), [])
                (self.site / name).parent.mkdir(exist_ok=True)
                (self.site / name).write_bytes(content)
                report = tcfix_json("hook", "status", self.venv, check=1)
                self.assertEqual((report["state"], report["files"]), ("stale", [str(self.site / name)]))

    def test_of_another_version(self):
        """Newer versions may have files that this one does not have."""
        tcfix("hook", "install", self.venv)
        present = self.names()
        ours, = self.site.glob("tcfix_hook-*.dist-info")
        for verb, left in (("install", present), ("remove", [])):
            tcfix("hook", "install", self.venv)
            theirs = ours.rename(self.site / "tcfix_hook-99.0.dist-info")
            (self.site / "tcfix_hook" / "more.py").touch()
            (self.folder / "tcfix_hook").touch()
            record = (theirs / "RECORD").read_text().replace(ours.name, theirs.name)
            (theirs / "RECORD").write_text(record + "tcfix_hook/more.py,,\ntcfix_hook/../../../../../"
                                           "tcfix_hook,,\n../../../../tcfix_hook,,\n")
            self.assertEqual(tcfix_json("hook", "status", self.venv, check=1)["state"], "stale")
            tcfix("hook", verb, self.venv)
            self.assertEqual(self.names(), left)
            self.assertTrue((self.folder / "tcfix_hook").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
