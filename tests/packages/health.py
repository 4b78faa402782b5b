"""Compares the verdicts of `tcfix doctor --all` with real imports of each distribution's modules."""
import dataclasses
import json
import subprocess

from imports import import_modules, named_by_loader
from modules import distributions, normalized

# Modules that their package can do without, and why: if they fail, the package is not broken.
OPTIONAL = {
    "numba.np.ufunc.tbbpool": "one of three threading layers; numba catches the ImportError",
}


@dataclasses.dataclass
class Reality:
    """The results of a distribution's imports."""
    failures: dict  # module: message of the loader
    optional: dict  # the same for modules in OPTIONAL
    others: dict  # module: failure that is not the loader's


def doctor_all(tcfix, environment, *options):
    """The packages of `doctor --all --json`, by normalized name."""
    result = subprocess.run([tcfix, "doctor", "--all", "--json", *options, environment], stdout=subprocess.PIPE, text=True)
    document = json.loads(result.stdout)
    if result.returncode not in (0, 1) or document["ok"] != (result.returncode == 0):
        raise RuntimeError(f"doctor --all ended with {result.returncode}: {document['errors']}")
    return {normalized(package["name"]): package for package in document["packages"]}


def examine(environment, found, seconds=300):
    """The real imports of each of these distributions."""
    requests = {module.name: module.path for one in found.values() for module in one.modules}
    for one in found.values():
        for name in one.names:
            requests.setdefault(name, None)
    outcomes = import_modules(environment, requests.items(), seconds)
    return {key: reality(one, outcomes) for key, one in found.items()}, outcomes


def reality(distribution, outcomes):
    result = Reality({}, {}, {})
    for name in sorted({module.name for module in distribution.modules} | set(distribution.names)):
        outcome = outcomes[name]
        if outcome["outcome"] == "loader":
            (result.optional if name in OPTIONAL else result.failures)[name] = outcome["text"]
        elif outcome["outcome"] != "loads":
            result.others[name] = outcome["text"]
    return result


def disagreements(found, real, packages):
    """Differences between doctor's report and the imports, as sentences."""
    lines = [f"{name}: not listed by doctor" for name in sorted(set(found) - set(packages))]
    for name in sorted(set(found) & set(packages)):
        package, truth = packages[name], real[name]
        named = {named_by_loader(text) for text in truth.failures.values()}
        if package["verdict"] != "broken" and truth.failures:
            lines.append(f"{name}: MISS: {package['verdict']}, but {truth.failures}")
        elif package["verdict"] == "broken" and not truth.failures:
            lines.append(f"{name}: FALSE ALARM: {package['cause']}")
        elif truth.failures and not any(one and one in package["cause"] for one in named):
            lines.append(f"{name}: ANOTHER CAUSE: {package['cause']}; the loader names {sorted(map(str, named))}")
        elif truth.optional and not package["warnings"]:
            lines.append(f"{name}: NO WARNING for {truth.optional}")
        elif package["verdict"] == "unknown":
            lines.append(f"{name}: UNKNOWN")
    return lines


def check(tcfix, environment):
    """Prints the comparison; returns the number of disagreements."""
    found = distributions(environment)
    real, outcomes = examine(environment, found)
    packages = doctor_all(tcfix, environment)
    lines = disagreements(found, real, packages)
    for name, truth in real.items():
        for module, text in {**truth.failures, **truth.optional}.items():
            print(f"  fails   {name}  {module}: {text[:200]}")
        for module, text in truth.others.items():
            print(f"  loads   {name}  {module}, but its import fails: {text[:200]}")
    print(f"{len(found)} distributions, {sum(len(one.modules) for one in found.values())} extension modules, "
          f"{len(outcomes)} imports; {sum(bool(one.failures) for one in real.values())} distributions do not load")
    print(f"{len(lines)} disagreements" + "".join(f"\n  {line}" for line in lines))
    return len(lines)
