"""Homebrew's formula, conda's recipe, pre-commit's hooks and CMake's presets, checked by their own tools."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import harness
from harness import pip_tool, run
from tiny_world import TinyWorld

PACKAGING = harness.ROOT / "packaging"
HERE = pathlib.Path(__file__).resolve().parent


def cmake_options():
    """The TCFIX_ options of the build, and the components that it installs."""
    sources = [harness.ROOT / "CMakeLists.txt", *(harness.ROOT / "cmake").glob("*.cmake")]
    text = "\n".join(path.read_text() for path in sources)
    return set(re.findall(r"option\((TCFIX_\w+)", text)), set(re.findall(r"COMPONENT (\w+)", text))


class CMakeWordsTest(harness.FilesTest):
    def check_words(self, words):
        options, components = cmake_options()
        self.assertLessEqual(set(re.findall(r"-D(TCFIX_\w+)=", words)), options)
        self.assertLessEqual(set(re.findall(r"--component\W+(\w+)", words)), components)


class Homebrew(CMakeWordsTest):
    def formula(self, path=PACKAGING / "homebrew" / "tcfix.rb"):
        ruby = harness.find_tool("ruby")
        if not ruby:
            self.skipTest("ruby is not installed")
        run(ruby, "-wc", path, check=0)
        program = os.path.dirname(harness.TCFIX)
        return json.loads(run(ruby, HERE / "formula_stand_in.rb", path, program, check=0).stdout)

    def test_formula(self):
        formula = self.formula()
        declared = formula["declared"]
        self.assertEqual(set(declared), {"desc", "homepage", "url", "sha256", "license", "head", "depends_on"})
        self.assertLess(len(f"tcfix: {declared['desc']}"), 80)  # a rule of brew audit
        for name in ("llvm", "cxxopts", "fmt", "spdlog", "libdeflate", "cmake", "ninja"):
            self.assertIn(name, declared["depends_on"])
        self.check_words(" ".join(word for command in formula["commands"] for word in command))

    def test_update(self):
        copy = self.folder / "packaging"
        shutil.copytree(PACKAGING, copy)
        archive = self.folder / "source.tar.gz"
        archive.write_bytes(b"x")
        for _ in range(2):
            run(copy / "update", "some-one", "1.22.3", archive, check=0)
        text = (copy / "homebrew" / "tcfix.rb").read_text() + (copy / "conda" / "recipe.yaml").read_text()
        self.assertEqual(text.count(harness.sha256(archive)), 2)
        self.assertIn('/some-one/tcfix/archive/refs/tags/v1.22.3.tar.gz"', text)
        self.assertIn('version: "1.22.3"', text)
        self.assertNotIn("https://github.com/OWNER", text)
        for words in (("one/two", "1.2", archive), ("o", "1.2; x", archive), ("o", "1.2", "no such file"), ()):
            self.assertNotEqual(run(copy / "update", *words).returncode, 0, words)


class Conda(CMakeWordsTest):
    recipe = PACKAGING / "conda" / "recipe.yaml"

    def render(self, text, platform):
        try:
            import rattler_build
        except ImportError:
            self.skipTest("py-rattler-build is not installed")
        path = self.folder / "recipe.yaml"
        path.write_text(text)
        config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform=platform))
        variants = rattler_build.VariantConfig({"c_stdlib": ["sysroot"]})  # conda-forge sets it
        return rattler_build.Stage0Recipe.from_file(path).render(variants, config)

    def test_renders_for_each_platform(self):
        text = self.recipe.read_text()
        self.check_words(text)
        for platform in ("linux-64", "linux-aarch64", "osx-64", "osx-arm64"):
            [variant] = self.render(text, platform)
            host = variant.recipe.to_dict()["requirements"]["host"]
            self.assertEqual("openssl" in host, platform.startswith("linux"), platform)
            self.assertIn("llvmdev >=16", host)

    def test_mistakes_are_detected(self):
        text = self.recipe.read_text()
        for old, new in (("requirements:", "requirement:"), ("${{ version }}", "${{ versin }}"), ("  number: 0", "  numbr: 0"),
                         ("Apache-2.0", "Apache-2.0 or so")):
            self.assertIn(old, text)
            with self.assertRaises(Exception, msg=new):
                self.render(text.replace(old, new, 1), "linux-64")


class Versions(unittest.TestCase):
    def test_all_have_the_projects_version(self):
        version = re.search(r"project\(tcfix VERSION ([0-9.]+)", (harness.ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"/v{version}.tar.gz", (PACKAGING / "homebrew" / "tcfix.rb").read_text())
        self.assertIn(f'version: "{version}"', (PACKAGING / "conda" / "recipe.yaml").read_text())


class PreCommit(harness.FilesTest):
    manifest = harness.ROOT / ".pre-commit-hooks.yaml"

    def git(self, folder, *words):
        return run("git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", *words,
                   check=0).stdout.strip()

    def commit(self, folder):
        self.git(folder, "init", "--quiet")
        self.git(folder, "add", "--all")
        self.git(folder, "commit", "--quiet", "--message", "x")

    def test_manifest(self):
        run(pip_tool("pre-commit"), "validate-manifest", self.manifest, check=0)

    def test_hooks_check_and_repair(self):
        program = pip_tool("pre-commit")
        hooks, user = self.folder / "hooks", self.folder / "user"
        hooks.mkdir()
        shutil.copy(self.manifest, hooks)
        self.commit(hooks)
        TinyWorld(user, environment=".venv")
        (user / ".gitignore").write_text(".venv\n")
        (user / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {hooks}\n    rev: {self.git(hooks, 'rev-parse', 'HEAD')}\n"
            "    hooks: [{id: tcfix-check}, {id: tcfix-apply}]\n")
        self.commit(user)
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("VIRTUAL_ENV", "CONDA_PREFIX") and not key.startswith("GIT_")}
        environment.update(PRE_COMMIT_HOME=str(self.folder / "home"),
                           PATH=os.path.dirname(harness.TCFIX) + os.pathsep + os.environ["PATH"])

        def hook(*words):
            return subprocess.run([program, "run", *words], cwd=user, env=environment, capture_output=True,
                                  text=True)

        self.assertIn("would change", hook("tcfix-check").stdout)
        self.assertEqual(hook("tcfix-check").returncode, 1)
        repaired = hook("tcfix-apply", "--hook-stage", "manual")
        self.assertEqual(repaired.returncode, 0, repaired.stdout)
        self.assertEqual(hook("tcfix-check").returncode, 0)


class Presets(unittest.TestCase):
    def test_cmake_accepts_them(self):
        listed = run("cmake", "--list-presets=all", harness.ROOT)
        self.assertEqual(listed.returncode, 0, listed.stderr)

    def test_native_ones_are_for_their_system(self):
        presets = {preset["name"]: preset for preset in
                   json.loads((harness.ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        for name, system in (("macos-native", "Darwin"), ("windows-native", "Windows")):
            self.assertEqual((presets[name]["inherits"], presets[name]["condition"]["rhs"]), ("release", system))
            for variable in presets[name]["cacheVariables"]:
                self.assertIn(variable, cmake_options()[0] | {"CMAKE_PREFIX_PATH"})


if __name__ == "__main__":
    sys.exit(unittest.main())
