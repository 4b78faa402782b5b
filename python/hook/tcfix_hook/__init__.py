"""Repairs native libraries again when an installer has replaced them (tcfix hook install).

Python imports this at every start, so it is small and needs nothing: a finder that finds nothing
and only hears which package is about to be imported. The rest is in wake.py.
"""

import sys

PACKAGES = ("torchcodec",)  # tcfix hook install --package puts others here
waiting = set(PACKAGES)


def find_spec(name, path=None, target=None):
    if name in waiting:
        waiting.clear()  # once in a process
        try:
            from . import wake
            wake.repair()
        except Exception:  # a hook must never be why an import fails
            pass


def install():
    finder = sys.modules[__name__]
    if finder not in sys.meta_path:
        sys.meta_path.insert(0, finder)
