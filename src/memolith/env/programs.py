"""Starting a program so that no repository decides what runs.

A directory that somebody cloned may hold a `git`, a `claude` or a `json.py` of its own. So a program is found
by an absolute path outside of the project, gets an environment in which nothing leads into it, and works
elsewhere. What a person names by its whole path is their own choice, and so is the interpreter that runs us.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A directory that belongs to no project; programs that need none of their own work here.
NOWHERE = os.path.abspath(os.sep)
# `-P`: the directory one stands in is no place for modules. It is left before anything of ours is imported,
# because `posix_spawn` cannot do that.
_BEGIN = f"import os, sys; os.chdir({NOWHERE!r}); from memolith.edges.cli import entry; sys.exit(entry())"
# Where programs look for code: entries stay if they are absolute and outside of the project.
_PLACES = frozenset(["PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_LIBRARY_PATH"])
_PLACES |= {"DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}
# What makes a loader, an interpreter, a shell or git take or run something more. Keys, proxies, locale, the
# terminal and whatever else an agent's program may need are none of these.
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
_HARMLESS |= {"GIT_CEILING_DIRECTORIES"}  # it only says where a project ends


def ourselves(*arguments: str) -> list[str]:
    """Return the command line that runs memolith again, with nothing of the directory one stands in."""
    return [sys.executable, "-P", "-c", _BEGIN, *arguments]


def environment(project: str = "", env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what a program gets of an environment: nothing that leads to code of `project`, or of nowhere.

    Without `project` it is the directory one stands in.
    """
    found = {}
    foreign = _foreign(project)
    for name, value in env.items():
        if name in _PLACES:
            if places := os.pathsep.join(_outside(value, foreign)) or ("", os.defpath)[name == "PATH"]:
                found[name] = places  # an empty PATH would mean: where one stands
        elif name in _HARMLESS or not (name in _RUNNING or name.startswith(_LOADING)):
            found[name] = value
    return found


def find(name: str, project: str = "", env: Mapping[str, str] = os.environ) -> str | None:
    """Return the whole path of a program; None if there is none but in `project` or where one stands."""
    from shutil import which

    if os.path.isabs(name):
        return which(name)
    if os.path.dirname(name):
        return None  # what it means depends on where one stands
    foreign = _foreign(project)
    for place in _outside(env.get("PATH", os.defpath), foreign):
        found = which(name, path=place)
        if found and os.path.isabs(found) and not _is_below(found, foreign):
            return found
    return None


def _outside(places: str, foreign: str) -> list[str]:
    return [each for each in places.split(os.pathsep) if os.path.isabs(each) and not _is_below(each, foreign)]


def _foreign(project: str) -> str:
    """Return the directory that nothing is run from; empty if a person's programs are below it, as well."""
    try:
        place = os.path.realpath(project or os.getcwd())
    except OSError:
        return ""
    return "" if _is_below(os.path.expanduser("~"), place) else place


def _is_below(path: str, directory: str) -> bool:
    real = os.path.realpath(path)
    return bool(directory) and (real == directory or real.startswith(os.path.join(directory, "")))
