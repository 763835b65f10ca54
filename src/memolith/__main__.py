"""`python -m memolith`."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # where one stands: `-m` would take our other modules from there, if it has such names

from memolith.edges.cli import entry

if __name__ == "__main__":
    raise SystemExit(entry())
