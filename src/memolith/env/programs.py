"""Starting programs in a way that no repository can decide what runs.

A cloned directory may contain its own `git`, `claude` or `json.py`. So a program is found by an absolute path
outside of the project, gets an environment that does not lead into it, and runs in another directory. A
program that a person names by its full path is their choice, and so is the interpreter that runs us.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A directory outside of any project, for programs that need no particular one.
NOWHERE = os.path.abspath(os.sep)
# `-P`: never import modules from the current directory. The child leaves that directory before it imports
# anything of ours, because `posix_spawn` cannot change it.
_BEGIN = f"import os, sys; os.chdir({NOWHERE!r}); from memolith.edges.cli import entry; sys.exit(entry())"
# Search paths for code: only absolute entries outside of the project stay.
_PLACES = frozenset(["PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_LIBRARY_PATH"])
_PLACES |= {"DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}
# Variables that make a loader, an interpreter, a shell or git load or run more code. Keys, proxies, locale,
# terminal and other variables that an agent's program may need are not among them.
_LOADING = (
    "LD_",
    "DYLD_",
    "GIT_",
    "PYTHON",
    "PERL5",
    "RUBY",
    "LUA_",
    "BASH_",
    "_JAVA_",
    "JAVA_TOOL_",
    "JDK_JAVA_",
)
_RUNNING = frozenset(
    ["NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "CLASSPATH", "ENV", "SHELLOPTS"]
)
_RUNNING |= {"BASHOPTS", "PS4", "IFS", "CDPATH", "PROMPT_COMMAND", "GCONV_PATH", "OPENSSL_CONF", "PERLLIB"}
_RUNNING |= {"OPENSSL_MODULES", "OPENSSL_ENGINES", "LESSOPEN", "LESSCLOSE", "SSH_ASKPASS", "PWD", "OLDPWD"}
_HARMLESS = frozenset(["PYTHONUTF8", "PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE"])
_HARMLESS |= {"GIT_CEILING_DIRECTORIES"}  # only says where a project ends


def ourselves(*arguments: str) -> list[str]:
    """Return the command line that runs memolith again, with no code from the current directory."""
    return [sys.executable, "-P", "-c", _BEGIN, *arguments]


def environment(project: str = "", env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for a program: no variables that load code, no search paths into `project`.

    Relative search paths are dropped too. `project` defaults to the current directory.
    """
    found = {}
    foreign = _foreign(project)
    for name, value in env.items():
        if name in _PLACES:
            if places := os.pathsep.join(_outside(value, foreign)) or ("", os.defpath)[name == "PATH"]:
                found[name] = places  # an empty PATH would mean the current directory
        elif name in _HARMLESS or not (name in _RUNNING or name.startswith(_LOADING)):
            found[name] = value
    return found


def find(name: str, project: str = "", env: Mapping[str, str] = os.environ) -> str | None:
    """Return the full path of a program; None if it exists only in `project` or the current directory."""
    from shutil import which

    if os.path.isabs(name):
        return which(name)
    if os.path.dirname(name):
        return None  # relative to the current directory
    foreign = _foreign(project)
    for place in _outside(env.get("PATH", os.defpath), foreign):
        found = which(name, path=place)
        if found and os.path.isabs(found) and not _is_below(found, foreign):
            return found
    return None


def _outside(places: str, foreign: str) -> list[str]:
    return [each for each in places.split(os.pathsep) if os.path.isabs(each) and not _is_below(each, foreign)]


def _foreign(project: str) -> str:
    """Return the directory whose programs must not run; empty if the user's own programs are below it too."""
    try:
        place = os.path.realpath(project or os.getcwd())
    except OSError:
        return ""
    return "" if _is_below(os.path.expanduser("~"), place) else place


def _is_below(path: str, directory: str) -> bool:
    real = os.path.realpath(path)
    return bool(directory) and (real == directory or real.startswith(os.path.join(directory, "")))
