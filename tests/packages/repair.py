"""`tcfix apply --all` on a copy of an environment: no import gets worse, RECORD stays right, a second run writes
nothing, and undo gives the original bytes back."""
import base64
import csv
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

from health import doctor_all
from imports import clean_environment, import_modules
from modules import distributions, site_packages
from sabotage import linked_copy

# In a process of its own: the loader's message about a library, or nothing.
OPEN = "import ctypes, os, sys\ntry: ctypes.CDLL(sys.argv[1], os.RTLD_NOW)\nexcept OSError as error: print(error)"


def files(site):
    return [path for path in site.rglob("*") if path.is_file() and not path.is_symlink()]


def digests(site):
    """Content of every file below, by path; unchanged hard links are known by their inode."""
    return {str(path.relative_to(site)): hashlib.file_digest(open(path, "rb"), "sha256").hexdigest()
            for path in files(site)}


def stamps(site):
    """What changes when anything is written; the ctime of a hard link also changes by other links to it."""
    return {str(path): (status.st_ino, status.st_mtime_ns, status.st_size)
            for path in site.rglob("*") for status in (path.lstat(),)}


def record_problems(site):
    """Rows of any RECORD that do not fit their file."""
    problems = []
    for record in site.glob("*.dist-info/RECORD"):
        with open(record, newline="") as file:
            for path, digest, size in csv.reader(file):
                if digest and not matches(site / path, digest, size):
                    problems.append(f"{record.parent.name}: {path}")
    return problems


def matches(path, digest, size):
    kind, _, text = digest.partition("=")
    if not path.is_file() or (size and path.stat().st_size != int(size)):
        return False
    real = hashlib.file_digest(open(path, "rb"), kind).digest()
    return base64.urlsafe_b64encode(real).rstrip(b"=").decode() == text


def on_demand(environment, found):
    """What the loader alone says to each library that is not a module."""
    python = environment / "bin" / "python"
    messages = {}
    for one in found.values():
        modules = {module.path for module in one.modules}
        for path in one.libraries:
            if path not in modules:
                result = subprocess.run([python, "-I", "-B", "-c", OPEN, path], stdout=subprocess.PIPE, text=True,
                                        env=clean_environment())
                messages[path] = result.stdout.strip() or (f"status {result.returncode}" if result.returncode else "")
    return messages


def run(tcfix, command, environment):
    result = subprocess.run([tcfix, command, "--json", *(["--all"] if command == "apply" else []), environment],
                            stdout=subprocess.PIPE, text=True)
    return result.returncode, json.loads(result.stdout)


def changed_files(document):
    return [file for target in document["targets"] for file in target["files"] if file["status"] == "changed"]


def compare(title, before, after, problems):
    """Reports what got worse, and prints what got better."""
    for key, old in before.items():
        if not old and after[key]:
            problems.append(f"{title}: {key} loaded before: {after[key]}")
    better = [key for key, old in before.items() if old and not after[key]]
    nearer = [f"{pathlib.Path(key).name}: {after[key]}" for key, old in before.items()
              if old and after[key] and old != after[key]]
    print(f"{title}: {sum(not text for text in before.values())} of {len(before)} load before, "
          f"{sum(not text for text in after.values())} after")
    for line in [*(f"now loads: {pathlib.Path(key).name}" for key in better), *nearer]:
        print(f"  {line}")


def loading(environment, found):
    outcomes = import_modules(environment, [(module.name, module.path) for one in found.values() for module in one.modules])
    return {name: "" if one["outcome"] in ("loads", "python") else one["text"] for name, one in outcomes.items()}


def check(tcfix, environment, scratch):
    """Prints what happened; gives the number of broken promises."""
    copy = linked_copy(environment, pathlib.Path(scratch) / "repaired")
    problems = []
    try:
        site, found = site_packages(copy), distributions(copy)
        original, bad_records = digests(site), record_problems(site)
        imports, libraries = loading(copy, found), on_demand(copy, found)
        verdicts = {name: one["verdict"] for name, one in doctor_all(tcfix, copy).items()}
        code, document = run(tcfix, "apply", copy)
        changed = changed_files(document)
        print(f"apply --all: exit {code}, {len(changed)} libraries changed")
        for file in changed:
            edits = ", ".join(f"{edit['op']} {edit.get('value', '')}" for edit in file["edits"])
            print(f"  {os.path.relpath(file['path'], site)}: {edits}")
        compare("modules", imports, loading(copy, found), problems)
        compare("libraries on demand", libraries, on_demand(copy, found), problems)
        for name, one in doctor_all(tcfix, copy).items():
            if verdicts[name] == "ok" and one["verdict"] != "ok":
                problems.append(f"doctor: {name} was ok before")
        problems += [f"RECORD: {line}" for line in record_problems(site) if line not in bad_records]
        before = stamps(site)
        again, document = run(tcfix, "apply", copy)
        if changed_files(document) or stamps(site) != before or again != code:
            problems.append(f"the second run changed something, or ended with {again} instead of {code}")
        code, _ = run(tcfix, "undo", copy)
        now = digests(site)
        if code or now != original:
            differing = sorted(path for path in {*now, *original} if now.get(path) != original.get(path))
            problems.append(f"undo: exit {code}, differs: {differing[:5]}")
    finally:
        shutil.rmtree(copy)
    print(f"{len(problems)} broken promises" + "".join(f"\n  {line}" for line in problems))
    return len(problems)
