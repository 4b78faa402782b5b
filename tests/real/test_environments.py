"""Environments made by real tools, as seen by Python itself and by `tcfix list`."""
import _ctypes
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import zipfile

from harness import FilesTest, not_on_windows, run, tcfix, tcfix_json

LIBRARIES = ["libtorchcodec_core7.so", "libtorchcodec_core8.so", "libtorchcodec_pybind_ops7.so"]

# Facts from the environment's own Python.
ORACLE = """
import importlib.metadata, json, os, sys
files = importlib.metadata.files("torchcodec") or []
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "sites": [p for p in sys.path if p.endswith("-packages") and os.path.isdir(p)],
    "libraries": sorted(str(f.locate()) for f in files if f.name.startswith("libtorchcodec")),
}))
"""


def tiny_wheel(folder):
    """A wheel like torchcodec's, with a library of this machine under torchcodec's names."""
    library = pathlib.Path(_ctypes.__file__).read_bytes()
    info = "torchcodec-0.9.99.dist-info"
    files = {f"torchcodec/{name}": library for name in LIBRARIES}
    files["torchcodec/__init__.py"] = b""
    files[f"{info}/METADATA"] = b"Metadata-Version: 2.1\nName: torchcodec\nVersion: 0.9.99\n"
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = "".join(rows + [f"{info}/RECORD,,\n"]).encode()
    path = folder / "torchcodec-0.9.99-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


class Environments(FilesTest):
    def setUp(self):
        super().setUp()
        self.wheel = tiny_wheel(self.folder)
        self.env = self.folder / "env"
        # Do not use the developer's own user site.
        home = self.folder / "home"
        home.mkdir()
        patched = unittest.mock.patch.dict(os.environ, {
            "HOME": str(home),
            # Otherwise a background process still writes there when the test has ended.
            "VIRTUALENV_NO_PERIODIC_UPDATE": "1"})
        patched.start()
        self.addCleanup(patched.stop)
        for name in ("PYTHONPATH", "PYTHONNOUSERSITE", "VIRTUAL_ENV", "CONDA_PREFIX"):
            os.environ.pop(name, None)

    def uv(self, *arguments):
        run(sys.executable, "-m", "uv", "--offline", "--cache-dir", self.folder / "cache",
            *arguments, check=0)

    def install(self, *options):
        self.uv("pip", "install", "--python", self.env, *options, self.wheel)

    def oracle(self, python=None):
        result = run(python or self.env / "bin" / "python", "-c", ORACLE, check=0)
        return json.loads(result.stdout)

    def compare(self, target=None, python=None):
        said = self.oracle(python)
        listed = tcfix_json("list", target or self.env)
        self.assertIn(said["version"], [each["version"] for each in listed["python"]])
        real = [os.path.realpath(site) for site in said["sites"]]
        sites = [os.path.realpath(site["path"]) for site in listed["sites"]]
        self.assertEqual(list(dict.fromkeys(real)), sites)
        self.assertEqual([os.path.join(os.path.realpath(os.path.dirname(path)),
                                       os.path.basename(path)) for path in said["libraries"]],
                         [library["path"] for library in listed["libraries"]])
        return listed

    def test_venv(self):
        run(sys.executable, "-m", "venv", "--without-pip", self.env, check=0)
        self.install()
        listed = self.compare()
        self.assertEqual(listed["target"]["kind"], "virtual environment")
        self.assertEqual(listed["warnings"], [])
        self.assertIn({"name": "torchcodec", "version": "0.9.99",
                       "site": os.path.dirname(os.path.dirname(listed["libraries"][0]["path"]))},
                      listed["packages"])

    def test_venv_through_a_link(self):
        run(sys.executable, "-m", "venv", "--without-pip", self.env, check=0)
        self.install()
        link = self.folder / "link"
        link.symlink_to("env")
        self.compare(target=link)

    @not_on_windows("it has no installation of this Python")
    def test_venv_with_system_site_packages(self):
        run(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", self.env,
            check=0)
        self.install()
        version = "%d.%d" % sys.version_info[:2]
        user = pathlib.Path(os.environ["HOME"], f".local/lib/python{version}/site-packages")
        user.mkdir(parents=True)
        listed = self.compare()
        self.assertEqual([site["kind"] for site in listed["sites"]][:2], ["own", "user"])

    def test_virtualenv(self):
        run(sys.executable, "-m", "virtualenv", "--no-download", "--no-pip", self.env, check=0)
        self.install()
        self.compare()

    @not_on_windows("it has no installation of this Python")
    def test_virtualenv_with_system_site_packages(self):
        run(sys.executable, "-m", "virtualenv", "--no-download", "--no-pip",
            "--system-site-packages", self.env, check=0)
        self.install()
        self.compare()

    def test_uv(self):
        self.uv("venv", "--python", sys.executable, self.env)
        for mode in ("copy", "hardlink", "symlink"):
            with self.subTest(mode):
                self.install("--reinstall", f"--link-mode={mode}")
                listed = self.compare()
                self.assertEqual(len(listed["libraries"]), len(LIBRARIES))

    def test_a_linked_library_is_not_the_file_in_the_cache(self):
        self.uv("venv", "--python", sys.executable, self.env)
        self.install("--link-mode=symlink")
        library = next(self.env.glob("lib/*/site-packages/torchcodec/libtorchcodec_core7.so"))
        self.assertTrue(library.is_symlink())
        listed = tcfix_json("list", library)
        self.assertEqual(listed["target"]["kind"], "file")
        self.assertEqual([each["path"] for each in listed["libraries"]], [str(library)])

    def test_pip_target(self):
        self.uv("pip", "install", "--python", sys.executable, "--target", self.env, self.wheel)
        listed = tcfix_json("list", self.env)
        self.assertEqual(listed["target"]["kind"], "folder of packages")
        self.assertEqual([os.path.basename(each["path"]) for each in listed["libraries"]],
                         LIBRARIES)

    @not_on_windows("it has no installation of this Python")
    def test_the_installation_itself(self):
        version = "%d.%d" % sys.version_info[:2]
        user = pathlib.Path(os.environ["HOME"], f".local/lib/python{version}/site-packages")
        user.mkdir(parents=True)
        python = pathlib.Path(sys.base_prefix, "bin", f"python{version}")
        said = run(python, "-c", "import os, sys; print('\\n'.join(p for p in sys.path "
                   "if p.endswith('-packages') and os.path.isdir(p)))", check=0).stdout.split()
        sites = [site["path"] for site in tcfix_json("list", sys.base_prefix)["sites"]]
        self.assertEqual(list(map(os.path.realpath, said)), list(map(os.path.realpath, sites)))

    def test_the_default_target(self):
        run(sys.executable, "-m", "venv", "--without-pip", self.folder / ".venv", check=0)
        run(sys.executable, "-m", "venv", "--without-pip", self.env, check=0)
        program = os.path.abspath(os.environ.get("TCFIX", "tcfix"))

        def listed(**variables):
            result = subprocess.run([program, "list", "--json"], cwd=self.folder, text=True,
                                    capture_output=True, env={**os.environ, **variables})
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["target"]["path"]

        self.assertEqual(listed(), ".venv")
        self.assertEqual(listed(CONDA_PREFIX=str(self.env)), str(self.env))
        self.assertEqual(listed(CONDA_PREFIX="/nowhere", VIRTUAL_ENV=str(self.env)), str(self.env))

    def test_other_directories(self):
        self.assertIn("tcfix wheel", tcfix("list", self.wheel, check=2).stderr)
        tcfix("list", self.folder / "absent", check=2)
        text = self.folder / "text"
        text.write_text("text")
        tcfix("list", text, check=3)
        tcfix("list", self.folder, check=2)


if __name__ == "__main__":
    unittest.main()
