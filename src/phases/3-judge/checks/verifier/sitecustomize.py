"""Keeps a module that the agent left from being loaded in place of one that a check imports.

Each python3 of a check loads this file at its start, by PYTHONPATH or by a .pth file of its home. At every import the suite's own files
come first, then this machine's, and the agent's folder last, however sys.path changes. A program of the agent itself finds its modules
as always.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import spec_from_file_location


def is_below(path, folder):
    return path == folder or path.startswith(folder + os.sep)


class PathOrder:
    """Stands before PathFinder, for modules (by sys.path) and for those of packages."""

    def __init__(self):
        self.run, self.own = (
            os.path.realpath(os.environ[key]) for key in ("WHETSTONE_RUN_FOLDER", "WHETSTONE_CHECK_FOLDER")
        )
        self.is_of_agent = None

    def find_spec(self, name, path=None, target=None):
        if name == "usercustomize":
            return None
        if self.is_of_agent is None and getattr(sys, "argv", None):  # later, the program may change sys.argv
            self.is_of_agent = self.starts_agents_program(sys.argv[0])
        folders = [(one, os.path.realpath(one)) for one in (sys.path if path is None else path) if isinstance(one, str)]
        left = [real for _, real in folders if is_below(real, self.run)]
        if self.is_of_agent or not left:
            return None
        own = PathFinder.find_spec(name, [self.move(folder, self.run, self.own) for folder in left], target)
        if own is not None and own.loader is not None:
            return self.place(name, own)
        others = PathFinder.find_spec(name, [one for one, real in folders if not is_below(real, self.run)], target)
        return others if others is not None and others.loader is not None else None

    def starts_agents_program(self, script):
        if script in ("", "-", "-c", "-m"):
            return False
        script = os.path.realpath(script)
        return is_below(script, self.run) and not os.path.isfile(self.move(script, self.run, self.own))

    def place(self, name, spec):
        """The same file of the suite at its place among the agent's, where test runners expect it."""
        file = self.move(os.path.realpath(spec.origin), self.own, self.run)
        if not os.path.isfile(file):
            return spec
        inner = [os.path.dirname(file)] if spec.submodule_search_locations is not None else None
        return spec_from_file_location(name, file, submodule_search_locations=inner)

    def move(self, path, base, to):
        return os.path.normpath(os.path.join(to, os.path.relpath(path, base)))


def load_replaced():
    """Loads the sitecustomize of this machine, which this file replaces."""
    this = sys.modules.pop("sitecustomize")
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) != os.path.dirname(os.path.realpath(__file__))]
    try:
        import sitecustomize
    except ImportError:
        sys.modules["sitecustomize"] = this


def order_imports():
    if any(type(one).__name__ == "PathOrder" for one in sys.meta_path):
        return
    if "WHETSTONE_RUN_FOLDER" in os.environ and "WHETSTONE_CHECK_FOLDER" in os.environ:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), PathOrder())


order_imports()
if __name__ == "sitecustomize":
    load_replaced()
