"""Compares the simulated ld.so with the real one: what loads, which file is used, why it fails."""
import ctypes
import glob
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from harness import find_tool, wheels
from ld_so_trees import ABORTED, Tree, Workshop

PROBE = os.environ["TCFIX_PROBE"]
TREES = 250


def simulate(*arguments):
    result = subprocess.run([PROBE, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def fits(answer, load):
    """Whether ld.so's message and the simulation's first problem are about the same thing."""
    problem = load["problems"][0]
    if answer == ABORTED:
        return problem["code"] == "missing-symbols"
    if match := re.match(r"(\S+): cannot open shared object file", answer):
        # ld.so ignores a file for another architecture.
        return problem["code"] in ("missing-dependency", "wrong-architecture") and problem["dependency"] == match[1]
    if match := re.search(r"undefined symbol: (\w+)", answer):
        return any(match[1] in each["symbols"] for each in load["problems"])
    if match := re.search(r"version `(\w+)' not found", answer):
        return problem["code"] == "missing-version" and match[1] in problem["symbols"]
    if "wrong ELF class" in answer:
        return problem["code"] == "wrong-architecture"
    if re.search(r"invalid ELF header|file too short|cannot read file data|data encoding", answer):
        return problem["code"] == "unreadable"
    return False


@unittest.skipUnless(find_tool("gcc") and find_tool("ld") and find_tool("as"), "no toolchain")
class RandomTrees(unittest.TestCase):
    def test_they_load_as_simulated(self):
        outcomes = {"loads": 0, "fails": 0}
        with tempfile.TemporaryDirectory(prefix="tcfix-test-") as home:
            workshop = Workshop(home)
            for seed in range(TREES):
                with self.subTest(seed=seed), tempfile.TemporaryDirectory(prefix="tcfix-tree-") as folder:
                    self.compare(Tree(workshop, os.path.realpath(folder), seed), outcomes)
        # Trees that all load, or all fail, would prove little.
        self.assertGreater(min(outcomes.values()), TREES / 4, outcomes)

    def compare(self, tree, outcomes):
        answers, loaded = tree.ask_loader()
        variables = [part for pair in tree.environment.items() for part in ("--env", "=".join(pair))]
        loads = simulate("--executable", tree.program, *variables, *tree.roots)
        for root, answer, load in zip(tree.roots, answers, loads):
            outcomes[load["verdict"]] += 1
            self.assertEqual(load["verdict"], "loads" if answer == "ok" else "fails", (root, answer, load))
            if answer != "ok":
                self.assertTrue(fits(answer, load), (root, answer, load["problems"]))
        if loaded is None:
            return
        self.assertEqual([os.path.realpath(path) for path in loads[-1]["loaded"]
                          if path.startswith(str(tree.folder)) and path != str(tree.program)], loaded)


def dlopen(path):
    """dlopen's message in a separate process; None if that process crashes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1), os.dup2(nothing, 2)
        try:
            ctypes.CDLL(path)
            answer = "ok"
        except OSError as error:
            answer = str(error)
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read().decode()
    os.waitpid(child, 0)
    return answer or None


@unittest.skipUnless(sys.platform == "linux" and os.uname().machine == "x86_64", "not this system")
class ThisSystem(unittest.TestCase):
    """Every library of this machine."""

    def test_it_loads_exactly_when_dlopen_loads_it(self):
        patterns = ["/usr/lib/x86_64-linux-gnu/**/*.so*", "/usr/lib64/**/*.so*", "/usr/lib/python3*/**/*.so",
                    "/usr/lib/llvm*/lib/*.so*"]
        files = sorted({path for pattern in patterns for path in glob.glob(pattern, recursive=True)
                        if os.path.isfile(path)})
        loads = simulate("--alone", "--executable", os.path.realpath(sys.executable), *files)
        compared = 0
        for path, load in zip(files, loads):
            answer = dlopen(path)
            # Constructors may crash, and the remaining thread-local storage is not simulated.
            if answer is None or "static TLS block" in answer:
                continue
            compared += 1
            with self.subTest(path=path):
                self.assertEqual(load["verdict"], "loads" if answer == "ok" else "fails", (answer, load["problems"]))
        self.assertGreater(compared, 100)


@unittest.skipUnless(find_tool("gcc") and find_tool("ld"), "no toolchain")
class References(unittest.TestCase):
    def test_only_symbols_with_a_relocation_are_looked_up(self):
        with tempfile.TemporaryDirectory(prefix="tcfix-test-") as folder:
            for name, code in (("named", '__asm__(".reloc ., R_X86_64_NONE, absent"); int x(void) { return 1; }'),
                               ("called", "int absent(void); int x(void) { return absent(); }")):
                with self.subTest(name):
                    path = os.path.join(folder, f"{name}.so")
                    subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, "-x", "c", "-"], input=code, text=True,
                                   check=True)
                    self.assertIn("absent", subprocess.run(["nm", "-D", "-u", path], capture_output=True, text=True).stdout)
                    (load,) = simulate("--alone", "--executable", os.path.realpath(sys.executable), path)
                    self.assertEqual(load["verdict"], "loads" if dlopen(path) == "ok" else "fails", load)


class Wheels(unittest.TestCase):
    """Real wheels, installed side by side as pip does."""

    def test_they_load_as_simulated(self):
        folder = wheels("linux")
        pairs = itertools.product(folder.glob("torchcodec-*linux*x86_64"), folder.glob("av-*linux*x86_64"))
        with tempfile.TemporaryDirectory(prefix="tcfix-test-") as home:
            for number, pair in enumerate(pairs):
                site = pathlib.Path(os.path.realpath(home)) / str(number)
                site.mkdir()
                for entry in (entry for package in pair for entry in package.iterdir()):
                    (site / entry.name).symlink_to(entry)
                # Without extension modules, which may be for another Python.
                files = sorted(map(str, [*site.glob("torchcodec/*.so"), *site.glob("*.libs/*.so*")]))
                loads = simulate("--alone", "--executable", os.path.realpath(sys.executable), *files)
                for path, load in zip(files, loads):
                    answer = dlopen(path)
                    with self.subTest(path=path):
                        self.assertEqual(load["verdict"], "loads" if answer == "ok" else "fails", (answer, load))
                        if answer != "ok":
                            self.assertTrue(fits(answer, load), (answer, load["problems"]))
                self.assertIn("loads", [load["verdict"] for load in loads])


if __name__ == "__main__":
    unittest.main()
