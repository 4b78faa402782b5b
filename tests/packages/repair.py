"""`tcfix apply --all` on a copy of an environment: no import gets worse, RECORD stays right, a second run writes
nothing, and undo restores the original bytes."""
import base64
import csv
import filecmp
import hashlib
import json
import os
import pathlib
import subprocess

from health import doctor_all
from imports import clean_environment, import_modules
from modules import distributions, site_packages
from sabotage import linked_copy

# Runs in its own process: prints the loader's message about a library, or nothing.
OPEN = """
import ctypes, os, sys
for first in sys.argv[2:]:
    ctypes.CDLL(first, os.RTLD_NOW | os.RTLD_GLOBAL)
try:
    ctypes.CDLL(sys.argv[1], os.RTLD_NOW)
except OSError as error:
    print(error)
"""
# Libraries that the package's code loads first, from the same directory, because others use their symbols.
FIRST = {"libonnxruntime_providers_cuda.so": "libonnxruntime_providers_shared.so",
         "libonnxruntime_providers_tensorrt.so": "libonnxruntime_providers_shared.so"}


def stamps(site):
    """The state that changes if a file is written."""
    return {str(path.relative_to(site)): (status.st_ino, status.st_mtime_ns, status.st_size)
            for path in site.rglob("*") for status in (path.lstat(),) if not path.is_dir()}


def differing(site, original):
    """Files of a hard-linked copy whose content is no longer the original's."""
    now, before = stamps(site), stamps(original)
    return sorted(path for path in {*now, *before} if now.get(path) != before.get(path)
                  and not (path in now and path in before and filecmp.cmp(site / path, original / path, shallow=False)))


def record_problems(site, found):
    """Rows of RECORD that do not fit their file."""
    problems = []
    for name, one in found.items():
        with open(one.info / "RECORD", newline="") as file:
            problems += [f"{name}: {path}" for path, digest, size in csv.reader(file)
                         if digest and not matches(site / path, digest, size)]
    return problems


def matches(path, digest, size):
    kind, _, text = digest.partition("=")
    if not path.is_file() or (size and path.stat().st_size != int(size)):
        return False
    with open(path, "rb") as file:
        real = hashlib.file_digest(file, kind).digest()
    return base64.urlsafe_b64encode(real).rstrip(b"=").decode() == text


def outcomes(environment, found):
    """The message of importing each module and of loading each other library, or nothing."""
    modules = {module.path: module.name for one in found.values() for module in one.modules}
    answers = import_modules(environment, [(name, path) for path, name in modules.items()])
    texts = {path: "" if answers[name]["outcome"] in ("loads", "python") else answers[name]["text"]
             for path, name in modules.items()}
    for path in (path for one in found.values() for path in one.libraries if path not in modules):
        first = [path.with_name(FIRST[path.name])] if path.name in FIRST else []
        result = subprocess.run([environment / "bin" / "python", "-I", "-B", "-c", OPEN, path, *first],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=clean_environment(),
                                cwd="/")
        texts[path] = result.stdout.strip() or (f"status {result.returncode}" if result.returncode else "")
    return texts


def run(tcfix, *arguments):
    result = subprocess.run([tcfix, *arguments], stdout=subprocess.PIPE, text=True)
    return result.returncode, json.loads(result.stdout)


def files_of(document, status):
    return [file for target in document["targets"] for file in target["files"] if file["status"] == status]


def touched(found, files):
    """The distributions that these files belong to."""
    paths = {os.path.realpath(file["path"]) for file in files}
    return {name: one for name, one in found.items() if any(os.path.realpath(path) in paths for path in one.libraries)}


def compare(before, after, problems):
    """Reports what got worse, and prints what got better."""
    problems += [f"{path} loaded before: {after[path]}" for path, old in before.items() if not old and after[path]]
    print(f"{sum(not text for text in before.values())} of {len(before)} libraries load before, "
          f"{sum(not text for text in after.values())} after")
    for path, old in before.items():
        if old != after[path]:
            print(f"  {path.name}: {old} -> {after[path] or 'loads'}")


def check_apply(tcfix, copy, problems):
    """Checks a first run with the real loader and RECORD; returns its exit code."""
    site = site_packages(copy)
    _, document = run(tcfix, "apply", "--all", "--json", "--dry-run", copy)
    found = touched(distributions(copy), files_of(document, "would_change"))
    bad_records, before = record_problems(site, found), outcomes(copy, found)
    verdicts = {name: one["verdict"] for name, one in doctor_all(tcfix, copy).items()}
    code, document = run(tcfix, "apply", "--all", "--json", copy)
    print(f"apply --all: exit {code}, {len(files_of(document, 'changed'))} libraries of {', '.join(found)} changed")
    compare(before, outcomes(copy, found), problems)
    problems += [f"doctor: {name} was ok before" for name, one in doctor_all(tcfix, copy).items()
                 if verdicts[name] == "ok" and one["verdict"] != "ok"]
    problems += [f"RECORD: {line}" for line in record_problems(site, found) if line not in bad_records]
    return code


def check(tcfix, environment, scratch):
    """Prints the results; returns the number of failed checks."""
    copy = linked_copy(environment, pathlib.Path(scratch) / "repaired")
    site, original, problems = site_packages(copy), site_packages(environment), []
    code = check_apply(tcfix, copy, problems)
    before = stamps(site)
    again, document = run(tcfix, "apply", "--all", "--json", copy)
    if files_of(document, "changed") or stamps(site) != before or again != code:
        problems.append(f"the second run changed something, or ended with {again} instead of {code}")
    undone, _ = run(tcfix, "undo", "--json", copy)
    if undone or differing(site, original):
        problems.append(f"undo: exit {undone}, differs: {differing(site, original)[:5]}")
    print(f"{len(problems)} broken promises" + "".join(f"\n  {line}" for line in problems))
    return len(problems)
