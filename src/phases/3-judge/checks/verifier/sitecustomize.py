"""Keeps a module that the agent left from being loaded in place of one that a check imports.

Each python3 of a check loads this file at its start, by PYTHONPATH. The agent's folder stays on the path, but last.
A program of the agent itself finds its modules as always.
"""

import os
import sys


def is_below(path, folder):
    return path == folder or path.startswith(folder + os.sep)


class PathOrder:
    """Changes sys.path at the first import, because the script's folder is not on it before."""

    def find_spec(self, name, path=None, target=None):
        if name == "usercustomize":
            return None
        sys.meta_path.remove(self)
        run, own = (os.path.realpath(os.environ[key]) for key in ("WHETSTONE_RUN_FOLDER", "WHETSTONE_CHECK_FOLDER"))
        if not sys.path or not is_below(os.path.realpath(sys.path[0]), run):
            return None
        if sys.argv[0] in ("", "-", "-c", "-m"):
            sys.path.append(sys.path.pop(0))
            return None
        script = os.path.relpath(os.path.realpath(sys.argv[0]), run)
        if os.path.isfile(os.path.join(own, script)):
            sys.path.append(sys.path[0])
            sys.path[0] = os.path.dirname(os.path.join(own, script))
        return None


def load_replaced():
    """Loads the sitecustomize of this machine, which this file replaces."""
    this = sys.modules.pop("sitecustomize")
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) != os.path.dirname(os.path.realpath(__file__))]
    try:
        import sitecustomize
    except ImportError:
        sys.modules["sitecustomize"] = this


load_replaced()
if "WHETSTONE_RUN_FOLDER" in os.environ and "WHETSTONE_CHECK_FOLDER" in os.environ:
    sys.meta_path.insert(0, PathOrder())
