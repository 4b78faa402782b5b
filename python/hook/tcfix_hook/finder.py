"""A finder that finds nothing, and only hears which package is about to be imported.

It runs at every start of Python, so tcfix_hook.pth holds the text below itself: nothing is looked
for, opened or compiled into a file then. Pythons that read tcfix_hook.start instead import it.
"""

import sys

PACKAGES = ("torchcodec",)


class Finder:
    tcfix_hook = PACKAGES

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in PACKAGES:
            try:
                from tcfix_hook import wake
                wake.once(name, path)
            except Exception:  # a hook must never be why an import fails
                pass


def install():
    """Once, though Python reads the site of a virtual environment twice."""
    if not any(isinstance(finder, type) and vars(finder).get("tcfix_hook") == PACKAGES
               for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder)
