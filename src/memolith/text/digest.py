"""Hashes of text: a fast one for names, a strong one for content."""

from __future__ import annotations


def fnv1a64(data: bytes) -> int:
    """Return the 64-bit FNV-1a hash; the same everywhere and forever, so names may depend on it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def sha256(data: bytes | None) -> str:
    """Return the content hash used in preconditions; a missing file counts as empty."""
    import hashlib

    return hashlib.sha256(data or b"").hexdigest()
