"""Prints the coverage of each module of lib/ from llvm-cov's summary; fails below the limits."""
import collections
import json
import pathlib
import sys

LIMITS = {"lines": 90, "branches": 80}


def main(summary, *options):
    modules = collections.defaultdict(lambda: collections.Counter())
    for file in json.loads(pathlib.Path(summary).read_text())["data"][0]["files"]:
        parts = pathlib.Path(file["filename"]).parts
        if "lib" not in parts or "build" in parts:
            continue
        module = parts[len(parts) - parts[::-1].index("lib")]
        for kind in LIMITS:
            for name in (module, "all of lib/"):
                modules[name][kind] += file["summary"][kind]["count"]
                modules[name][f"{kind} run"] += file["summary"][kind]["covered"]
    is_enough = bool(modules)
    for module in sorted(modules, key=lambda name: (name == "all of lib/", name)):
        counts = modules[module]
        shares = {kind: 100 * counts[f"{kind} run"] / max(counts[kind], 1) for kind in LIMITS}
        print(f"{module:12}" + "".join(f"  {kind} {shares[kind]:5.1f} % of {counts[kind]:6}" for kind in LIMITS))
        if module == "all of lib/":
            is_enough = all(shares[kind] >= limit for kind, limit in LIMITS.items())
    return 0 if is_enough or "--no-verdict" in options else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
