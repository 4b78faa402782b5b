"""Breaks each distribution on purpose, in each way that applies. If the real import fails, doctor's first cause must
contain the library or symbol that the loader reports; if the import still works, doctor must report nothing."""
import concurrent.futures
import contextlib
import dataclasses
import pathlib
import queue
import shutil
import subprocess

import elf_view
from breakage import Case, broken, cases, changed_name
from health import doctor_all
from imports import import_modules, named_by_loader
from modules import distributions, site_packages

COPIES = 4  # imports that run at the same time, each in a copy of its own


@dataclasses.dataclass
class Result:
    name: str
    case: Case
    text: str  # what the loader reports; empty if it loads
    cause: str  # what doctor reports; empty if it loads

    def agrees(self):
        if not self.text or not self.cause:
            return not self.text and not self.cause
        named = named_by_loader(self.text)
        names = {self.case.symbol, changed_name(self.case.symbol)} if self.case.symbol else set()
        return any(one in self.cause for one in (names if named in names else {named}) if one)


def linked_copy(environment, target):
    """A copy of an environment whose files are hard links."""
    subprocess.run(["cp", "-al", environment, target], check=True)
    return pathlib.Path(target)


def choose(environment, distribution, libraries):
    """The module to break, and the libraries that its process maps: one that needs a library of the environment
    directly if there is one, and that loads."""
    def needs(module):
        return bool(libraries & set(elf_view.dynamic(module.path)["needed"]))

    for module in sorted(distribution.modules, key=lambda one: not needs(one))[:3]:
        outcome = import_modules(environment, [(module.name, module.path)])[module.name]
        if outcome["outcome"] in ("loads", "python"):
            return module, outcome["mapped"]
    return None, []


def plan(environment, found, patchelf):
    """(distribution's name, module, case) of every case."""
    site = site_packages(environment)
    libraries = {path.name for one in distributions(environment).values() for path in one.libraries}

    def one(name):
        module, mapped = choose(environment, found[name], libraries)
        return [(name, module, case) for case in cases(module, mapped, site, patchelf)] if module else []

    with concurrent.futures.ThreadPoolExecutor(COPIES) as pool:
        return [entry for entries in pool.map(one, found) for entry in entries]


def moved(path, old, new):
    return pathlib.Path(new) / path.relative_to(old)


def real_text(environment, copy, module, case):
    """What the loader reports in this copy, in which only this case is broken."""
    with broken(dataclasses.replace(case, target=moved(case.target, environment, copy))):
        outcome = import_modules(copy, [(module.name, moved(module.path, environment, copy))])[module.name]
    return "" if outcome["outcome"] == "loads" else outcome["text"]


def real_texts(environment, planned, scratch):
    """What the loader reports in each case, in order."""
    copies = queue.Queue()
    for number in range(COPIES):
        copies.put(linked_copy(environment, pathlib.Path(scratch) / f"copy{number}"))

    def one(entry):
        copy = copies.get()
        try:
            return real_text(environment, copy, *entry[1:])
        finally:
            copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(COPIES) as pool:
        yield from pool.map(one, planned)


def cause_of(package):
    return (package["cause"] or "") if package["verdict"] == "broken" else ""


def causes_of_kind(tcfix, planned, kind):
    """Doctor's causes if every distribution is broken in this way at the same time."""
    with contextlib.ExitStack() as stack:
        taken = set()
        for _, _, case in planned:
            if case.kind == kind and case.target not in taken:
                taken.add(case.target)
                stack.enter_context(broken(case))
        return {name: cause_of(package) for name, package in doctor_all(tcfix, environment_of(planned)).items()}


def environment_of(planned):
    module = planned[0][1]
    return next(path for path in module.path.parents if (path / "pyvenv.cfg").exists())


def check_case(tcfix, environment, name, module, case):
    """Checks a single case."""
    with broken(case):
        cause = cause_of(doctor_all(tcfix, environment)[name])
        outcome = import_modules(environment, [(module.name, module.path)])[module.name]
    return Result(name, case, "" if outcome["outcome"] == "loads" else outcome["text"], cause)


def check(tcfix, patchelf, environment, scratch, only=()):
    """Prints a line for each case; returns the number of disagreements."""
    copy = linked_copy(environment, pathlib.Path(scratch) / "broken")
    found = {name: one for name, one in distributions(copy).items() if one.modules and (not only or name in only)}
    planned = plan(copy, found, patchelf)
    print(f"{len(planned)} cases", flush=True)
    causes = {kind: causes_of_kind(tcfix, planned, kind) for kind in sorted({case.kind for _, _, case in planned})}
    results = []
    for (name, module, case), text in zip(planned, real_texts(copy, planned, scratch)):
        result = Result(name, case, text, causes[case.kind][name])
        if not result.agrees():
            # Another broken library may have been reported first; and if most packages have a library for another
            # architecture, the environment counts as one for another machine.
            result = check_case(tcfix, copy, name, module, case)
        results.append(result)
        print(f"{'agree' if result.agrees() else 'DIFFER'}  {name}  {case.kind}: {case.what}\n"
              f"          loader: {result.text[:300] or 'loads'}\n          doctor: {result.cause[:300] or 'loads'}",
              flush=True)
    summarize(results)
    shutil.rmtree(copy)
    return sum(not result.agrees() for result in results)


def summarize(results):
    for kind in sorted({result.case.kind for result in results}):
        of_kind = [result for result in results if result.case.kind == kind]
        print(f"{kind}: {len(of_kind)} cases, {sum(one.agrees() for one in of_kind)} agree, "
              f"{sum(not one.text for one in of_kind)} load all the same")
    print(f"{len({result.name for result in results})} distributions, {len(results)} cases, "
          f"{sum(result.agrees() for result in results)} agree")
