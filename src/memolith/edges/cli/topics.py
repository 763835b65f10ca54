"""What `help` explains beside the commands: topics, and what each setting means."""

from __future__ import annotations

from pathlib import Path

from memolith.env.settings import SETTINGS


def topics() -> dict[str, str]:
    """Return the topics of `help` by name."""
    parts = Path(__file__).with_name("topics.txt").read_text("utf-8").split("\n## ")[1:]
    found = {title: body.strip("\n") for title, _, body in (part.partition("\n") for part in parts)}
    return {**found, "settings": "\n".join(map(explained, SETTINGS))}


def explained(key: str) -> str:
    """Return what a setting means; nothing if there is none of that name."""
    if key not in SETTINGS:
        return ""
    setting = SETTINGS[key]
    words = f"{' or '.join(setting.kind)}; " if isinstance(setting.kind, tuple) else ""
    default = str(setting.default).lower() if setting.kind is bool else setting.default
    return f"{key} ({words}default: {default or 'none'})\n  {setting.meaning}"
