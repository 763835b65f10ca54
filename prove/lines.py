"""Lines that show by themselves whether they are whole, editors that save them, and where bytes are kept."""

import contextlib
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from memolith import Mem
from memolith.env.paths import Place
from memolith.store import files

STYLES = ("in-place", "rename", "crlf", "bom", "no-final-newline", "append")


def line(token: str) -> str:
    """Return a line that shows by itself whether it is whole."""
    return f"- {token} begins a line that ends in {token}"


def tokens(text: str) -> list[str]:
    """Return the tokens of all whole lines made by `line`."""
    found = []
    for each in text.removeprefix("\ufeff").splitlines():
        words = each.split()
        if len(words) > 2 and each == line(words[1]):
            found.append(words[1])
    return found


def memory_files(mem: Mem) -> dict[str, bytes]:
    """Return everything in the store except temporary files."""
    return {
        str(path.relative_to(mem.root)): path.read_bytes()
        for path in sorted(mem.root.rglob("*"))
        if path.is_file() and path.parent.name != ".tmp"
    }


def kept(mem: Mem) -> set[bytes]:
    """Return the bytes of all versions in the history."""
    return {path.read_bytes() for path in Path(mem.home, "history").rglob("*.full.*")}


def below(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each file and directory: its name, and every byte of name and content, in small letters."""
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        data = path.read_bytes() if path.is_file() else b""
        with contextlib.suppress(OSError, EOFError, zlib.error):
            data += b"\n" + gzip.decompress(data)
        yield name, (os.fsencode(name) + b"\n" + data).lower()


def save(
    path: str,
    style: str,
    token: str,
    pause: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Read a file and save it with one more line, as editors do, in one of six styles.

    `tell` is told the lines that the editor itself threw away, because it had not seen them.
    """
    added = line(token).encode() + b"\n"
    if style == "append":
        with open(path, "a+b", buffering=0) as file:
            file.seek(0)
            added = _joined(old := file.read(), added)[len(old) :]
            pause()
            file.write(added)
        return
    if style == "rename":
        old = Path(path).read_bytes()
        pause()
        new = f"{path}.{token}~"
        Path(new).write_bytes(_joined(old, added))
        # A rename that lets us see what the editor itself threw away.
        if files.exchange(Place.of(new), Place.of(path)):
            for each in set(tokens(Path(new).read_bytes().decode())) - set(tokens(old.decode())):
                tell(each)
            os.unlink(new)
        else:
            os.replace(new, path)
        return
    with open(path, "r+b", buffering=0) as file:
        text = _joined(file.read(), added)
        if style == "crlf":
            text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        elif style == "bom":
            text = b"\xef\xbb\xbf" + text.removeprefix(b"\xef\xbb\xbf")
        elif style == "no-final-newline":
            text = text.rstrip(b"\r\n")
        pause()
        file.seek(0)
        file.truncate()
        pause()
        file.write(text)


def _joined(old: bytes, added: bytes) -> bytes:
    return old + (b"" if not old or old.endswith(b"\n") else b"\n") + added
