"""mem0 without a language model: `infer=False`, embedded Qdrant (its default), vectors of our endpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.rivals.adapters.speaking import MAIN, Memory, names, serve

LENGTH = 384


class Mem0(Memory):
    """A user for each scope."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._memory: Any = None

    def ready(self) -> None:
        """Import it and open its stores."""
        if self._memory is not None:
            return
        from mem0 import Memory as Theirs  # type: ignore[import-not-found]

        url, model = os.environ["EMBEDDINGS_URL"], os.environ["EMBEDDINGS_MODEL"]
        store = {
            "collection_name": "notes",
            "path": str(self.home / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": LENGTH,
        }
        embedder = {"model": model, "api_key": "none", "openai_base_url": url, "embedding_dims": LENGTH}
        self._memory = Theirs.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": embedder},
                # Asked nothing with infer=False, but it wants one.
                "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
                "history_db_path": str(self.home / "history.db"),
            }
        )

    def _add(self, name: str, text: str, scope: str) -> str:
        self.ready()
        stored = self._memory.add(text, user_id=scope, metadata={"name": name}, infer=False)
        return str(stored["results"][0]["id"])

    def fill(self, scope: str, rows: list[list[str]]) -> None:
        """Add each text."""
        for name, text in rows:
            self._add(name, text, scope)

    def sync(self, scope: str) -> None:
        """Add each file: it has no way to take in a folder."""
        files = sorted(Path(self.folder(scope)).glob("*.md"))
        self.fill(scope, [[each.stem, each.read_text(encoding="utf-8")] for each in files])

    def write(self, name: str, text: str) -> str:
        """Add a memory."""
        return self._add(name, text, MAIN)

    def read(self, handles: list[str]) -> list[str | None]:
        """Get memories back."""
        self.ready()
        found = (self._memory.get(each) for each in handles)
        return [each["memory"] if each else None for each in found]

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Search."""
        self.ready()
        found = self._memory.search(query, top_k=top, filters={"user_id": scope})
        return names(each["metadata"]["name"] for each in found["results"])


if __name__ == "__main__":
    serve(Mem0)
