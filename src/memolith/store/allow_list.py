"""Values that look like secrets and are none: kept as hashes, per project and for everything of the user.

A project's list is the key `allow` of its `project.yml`, the user's is in `allow.yml`, both in the store. A
file of the same name in somebody's repository is never read.
"""

from __future__ import annotations

from memolith.base.errors import InputError, MemolithError
from memolith.env.paths import Tree
from memolith.env.project import PROJECT_FILE
from memolith.store import files, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KEY = "allow"
_HEADER = "# SHA-256 of values that are stored although they look dangerous (memolith allow --help)\n"
_HEX = frozenset("0123456789abcdef")


def place(scope: str) -> str:
    """Return the file in which a scope's list is."""
    return f"{layout.scope_directory(scope)}/{PROJECT_FILE}" if scope else "allow.yml"


def listed(root: str, scope: str) -> list[str]:
    """Return the hashes that one scope allows; none if its file cannot be read (`doctor` says why)."""
    from memolith.text.yaml import YamlError, parse

    try:
        data = Tree(root).read(place(scope))
        found = parse(files.text_of(data or b"")).get(KEY)
    except (MemolithError, YamlError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def allowed(root: str, scope: str) -> frozenset[str]:
    """Return the hashes of all values that a text of a scope may hold; a listed hash is one of them."""
    from memolith.text.digest import sha256

    found = [each for one in {layout.USER, scope} for each in listed(root, one) if is_hash(each)]
    return frozenset([*found, *(sha256(each.encode()) for each in found)])


def is_hash(text: str) -> bool:
    """Whether a text is a SHA-256 as it stands in a list."""
    return len(text) == 64 and _HEX.issuperset(text)


def hashes(text: str) -> list[str]:
    """Return the hashes of the values that a person means: what would be masked in `text`, else all of it."""
    from memolith.text.digest import sha256
    from memolith.text.secrets.redact import redact

    found = [each for each in redact(text).findings if each.kind != "private"]
    values = [text[each.start : each.end] for each in found] or [text.strip()]
    return list(dict.fromkeys(sha256(value.encode("utf-8", "surrogatepass")) for value in values))


def setter(scope: str, wanted: Iterable[str]) -> Callable[[str | None], str]:
    """Return the change that lets a scope's list be exactly these hashes; comments in its file stay."""
    from memolith.text.yaml import YamlError
    from memolith.text.yaml_edit import set_list

    def apply(old: str | None) -> str:
        start = old if old is not None else ("" if scope else _HEADER)
        try:
            return set_list(start, KEY, list(dict.fromkeys(wanted)))
        except YamlError as error:
            raise InputError(f"{place(scope)}:{error.line}: {error.problem}; repair the file first") from None

    return apply
