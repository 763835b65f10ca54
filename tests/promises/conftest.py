"""What the tests of promises share."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a function that mounts a small file system of its own, or mounts it again."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted: list[Path] = []

    def mount(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, check=False, capture_output=True)
        except FileNotFoundError:
            pytest.skip("there is no mount command")
        if done.returncode:
            pytest.skip("mounting needs root")
        mounted.append(place)
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", str(place)], check=True)
