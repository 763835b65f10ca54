"""Entries inside a repository: known as one's own once they are written, and git sees none in the making."""

from __future__ import annotations

import os

from memolith.base.lean import suppress
from memolith.env.paths import Place, Tree
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.folders import Folder
    from memolith.env.mount import Mount

IGNORE, _ALL = ".gitignore", b"*\n"


def place_for(tree: Tree, relative: str, data: bytes) -> Place:
    """Return the place of a file that has new bytes; create its directory if necessary.

    What a shared project does not have yet goes into its repository, if it is the person's own. What was
    learned or brought in, accepted or not, stays in the home.
    """
    mount = mount_of(tree, relative)
    if mount is None:
        return files.make_place(tree, relative)
    with suppress(FileNotFoundError):
        found = tree.place(relative)
        if found.stat() is not None:
            return found
    if is_own(data):
        place = files.make_place(mount.tree, mount.inside(relative))
        mount.labelled(place.folder)
        return place
    return files.make_place(Tree(tree.root, alone=True), relative)


def is_own(data: bytes) -> bool:
    """Whether an entry is its person's or their agent's, by the label of the write path."""
    from memolith.text.source_label import of_note

    return not of_note(files.text_of(data))


def mount_of(tree: Tree, relative: str) -> Mount | None:
    """Return where else there may be what is at a path of a store."""
    if tree.mount(relative) is None:
        return None
    from memolith.env import mount

    return mount.of(tree, relative)


def claim(mount: Mount, data: bytes) -> None:
    """List what is written inside a repository, before it is there: its label can be trusted."""
    from memolith.env.mount import key_of

    folder = files.make_folder(Tree(mount.directory), "known")
    known = Place(folder, key_of(data))
    with suppress(FileExistsError):
        os.close(os.open(known.at, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=known.fd))
        files.sync_directory(folder)


def temporary(mount: Mount) -> Folder:
    """Open the directory for files in the making, on the disk of the repository; git ignores it.

    Its name is a secret of the home: else a repository could bring files that look like those of a writer
    that was interrupted, which become versions.
    """
    folder = mount.labelled(files.make_folder(mount.tree, mount.temporary))
    found = Place(folder, IGNORE).stat()
    if found is None or not found.st_size:
        with suppress(FileNotFoundError):
            files.unlink(Place(folder, IGNORE))
        files.write_new(Place(folder, IGNORE), _ALL)
    return folder
