"""Where the tests find things: this checkout, and samples and data beside it, never copied here."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLES = Path(os.environ.get("MEMOLITH_SAMPLES") or ROOT.parent / "shared" / "samples")
DATA = Path(os.environ.get("MEMOLITH_DATA") or ROOT.parent / "shared" / "data")
