"""Each distribution broken on purpose, in each way that applies: the real import fails, and doctor's first cause
names the library or symbol that the loader names; where the import still works, doctor reports nothing."""
import dataclasses
import os
import pathlib
import shutil
import subprocess

from breakage import broken, cases
from health import doctor_all
from imports import import_modules, named_by_loader
from modules import distributions, site_packages


@dataclasses.dataclass
class Result:
    name: str
    kind: str
    what: str
    text: str  # what the loader reports, or empty: it loads
    cause: str  # what doctor reports, or empty: it loads

    def agrees(self):
        if not self.text or not self.cause:
            return not self.text and not self.cause
        named = named_by_loader(self.text)
        return named is not None and named in self.cause


def linked_copy(environment, target):
    """A copy of an environment whose files are hard links."""
    subprocess.run(["cp", "-al", environment, target], check=True)
    return pathlib.Path(target)


def choose(distribution, outcomes, site):
    """The module to break: the first one that loads and needs a library of its environment directly, else the
    first one that loads."""
    from breakage import providers
    loading = [one for one in distribution.modules if outcomes[one.name]["outcome"] in ("loads", "python")]
    for module in loading[:40]:
        if providers(module, outcomes[module.name]["mapped"], site):
            return module
    return loading[0] if loading else None


def judge(tcfix, environment, name, module, case):
    with broken(case):
        outcome = import_modules(environment, [(module.name, module.path)])[module.name]
        package = doctor_all(tcfix, environment)[name]
    text = outcome["text"] if outcome["outcome"] != "loads" else ""
    cause = package["cause"] or "" if package["verdict"] == "broken" else ""
    return Result(name, case.kind, case.what, text, cause)


def check(tcfix, patchelf, environment, scratch, only=()):
    """Prints a line for each case; gives the number of disagreements."""
    copy = linked_copy(environment, pathlib.Path(scratch) / "broken")
    results = []
    try:
        site = site_packages(copy)
        found = {name: one for name, one in distributions(copy).items()
                 if one.modules and (not only or name in only)}
        outcomes = import_modules(copy, [(module.name, module.path) for one in found.values() for module in one.modules])
        for name, one in found.items():
            module = choose(one, outcomes, site)
            if not module:
                continue
            for case in cases(module, outcomes[module.name]["mapped"], site, patchelf):
                result = judge(tcfix, copy, name, module, case)
                results.append(result)
                print(f"{'agree' if result.agrees() else 'DIFFER'}  {name}  {case.kind}: {case.what}\n"
                      f"          loader: {result.text[:200] or 'loads'}\n          doctor: {result.cause[:200] or 'loads'}",
                      flush=True)
    finally:
        shutil.rmtree(copy)
    summarize(results)
    return sum(not result.agrees() for result in results)


def summarize(results):
    for kind in sorted({result.kind for result in results}):
        of_kind = [result for result in results if result.kind == kind]
        print(f"{kind}: {len(of_kind)} cases, {sum(one.agrees() for one in of_kind)} agree, "
              f"{sum(not one.text for one in of_kind)} load all the same")
    print(f"{len({result.name for result in results})} distributions, {len(results)} cases, "
          f"{sum(result.agrees() for result in results)} agree")
