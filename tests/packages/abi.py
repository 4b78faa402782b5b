"""Packages built for NumPy 1 in an environment with NumPy 2: which of them fail, and whether doctor reports NumPy as
the cause. The loader accepts all of these files; NumPy's own check refuses them when a module is initialized."""
from health import doctor_all
from imports import import_modules
from modules import distributions


def check(tcfix, environment):
    """Prints a line for each package; returns the number of disagreements."""
    found = {name: one for name, one in distributions(environment).items() if name != "numpy"}
    packages = doctor_all(tcfix, environment)
    outcomes = import_modules(environment, [(name, None) for one in found.values() for name in one.names])
    failures = 0
    for name, one in found.items():
        texts = [outcomes[each]["text"] for each in one.names if "numpy" in outcomes[each]["text"].lower()]
        cause = (packages[name]["cause"] or "") if packages[name]["verdict"] == "broken" else ""
        agrees = bool(texts) == ("numpy" in cause.lower())
        failures += not agrees
        print(f"{'agree' if agrees else 'DIFFER'}  {name} {one.version}\n          import: {(texts or ['loads'])[0][:120]}\n"
              f"          doctor: {cause or 'loads'}")
    print(f"{len(found)} packages, {failures} disagreements")
    return failures
