"""Words, sentences and command lines of the kit, in files beside the code: `[name]` begins a part."""

from pathlib import Path


def parts(path: Path) -> dict[str, list[str]]:
    r"""Return the lines of each part; `# ` begins a comment, and `\n` and `\r` are line ends."""
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and '"' not in line:
            rows = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("# "):
            rows.append(line.replace("\\n", "\n").replace("\\r", "\r"))
    return found
