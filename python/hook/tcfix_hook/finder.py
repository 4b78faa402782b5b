"""A meta path finder that never finds anything; it detects that a package is about to be imported.

It is installed at every start of Python, so tcfix_hook.pth contains the code below itself: no file
is searched for, opened or compiled. Versions of Python that read tcfix_hook.start import it instead.
"""

import sys

PACKAGES = ("torchcodec",)


class Finder:
    tcfix_hook = PACKAGES

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in PACKAGES:
            try:
                from tcfix_hook import repair
                repair.once(name, path)
            except Exception:  # the hook must never make an import fail
                pass


def install():
    """Installs the finder once, although Python reads the site of a virtual environment twice."""
    if not any(isinstance(finder, type) and vars(finder).get("tcfix_hook") == PACKAGES
               for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder)
