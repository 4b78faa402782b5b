"""`tcfix doctor --all` on environments for macOS and Windows, whose wheels work there: no package is reported as
broken, neither with a sysroot that contains only the environment nor without one."""
import pathlib
import tempfile

from environment import read_pins, unpacked
from health import doctor_all
from modules import normalized

# Packages that do not load on a machine that has nothing but this environment: the wheel's documentation requires
# `brew install libomp`.
ABSENT = {"lightgbm": "libomp.dylib", "xgboost": "libomp.dylib"}


def is_alarm(package):
    """Whether a package that works is reported as broken."""
    absent = ABSENT.get(normalized(package["name"]))
    return package["verdict"] == "broken" and not (absent and absent in package["cause"])


def check(tcfix, group, scratch):
    """Prints every package that is not ok; returns the number of false reports."""
    alarms = 0
    with tempfile.TemporaryDirectory(dir=scratch) as root:
        environment = unpacked(group, pathlib.Path(root))
        for options in ((), ("--sysroot", root)):
            packages = doctor_all(tcfix, environment, *options)
            print(f"{group}{' with --sysroot' if options else ''}: {len(packages)} distributions with libraries of "
                  f"{len(read_pins(group))}: " + ", ".join(
                      f"{sum(one['verdict'] == verdict for one in packages.values())} {verdict}"
                      for verdict in ("ok", "unknown", "broken")))
            for one in packages.values():
                if one["verdict"] != "ok" or one["warnings"]:
                    print(f"  {one['verdict']}  {normalized(one['name'])}  {one['warnings']} warnings: {one['cause']}")
            alarms += sum(map(is_alarm, packages.values()))
    return alarms
