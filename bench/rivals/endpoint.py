"""`python -m bench.rivals.endpoint`: our offline MiniLM behind the embeddings protocol that all rivals speak.

Runs in the environment of memolith[semantic] and listens on the loopback only. Their own models have to be
downloaded; with this one everyone has the same vectors. A text is embedded each time it is asked, but for
the model `kept`, which is for jobs that take no times.
"""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from memolith.semantic import minilm

KEPT, FRESH, LENGTH = "kept", "minilm", 384


class Model:
    """One model for all threads; numpy uses the cores by itself."""

    def __init__(self) -> None:
        place = minilm.find()
        if place is None:
            raise SystemExit("the weights of memolith[semantic] are not installed")
        self._model = minilm.MiniLM(place)
        self._lock = threading.Lock()
        self._kept: dict[str, np.ndarray[Any, Any]] = {}

    def embed(self, texts: list[str], name: str) -> list[np.ndarray[Any, Any]]:
        """Return a vector for each text."""
        known = self._kept if name == KEPT else {}
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if text not in known))
            if missing:
                known.update(zip(missing, self._model.embed(missing).astype(np.float32), strict=True))
            return [known[text] for text in texts]


class Handler(BaseHTTPRequestHandler):
    """POST …/embeddings, and nothing else."""

    protocol_version = "HTTP/1.1"
    model: Model

    def do_POST(self) -> None:
        """Answer with a vector for each text, as numbers or in base64, as asked."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else list(asked["input"])
        plain = asked.get("encoding_format") != "base64"
        rows = [
            {
                "object": "embedding",
                "index": number,
                "embedding": vector.tolist() if plain else base64.b64encode(vector.tobytes()).decode(),
            }
            for number, vector in enumerate(self.model.embed(texts, asked.get("model", FRESH)))
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "data": rows, "model": asked.get("model"), "usage": usage})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    Handler.model = Model()
    Handler.model.embed(["warm"], FRESH)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
