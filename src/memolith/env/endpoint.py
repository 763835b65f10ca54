"""An HTTP service: only the configured address, with limits on time and size.

Redirects are not followed, because the next address would receive the key and the texts. A key comes from the
environment or from a command, is sent unencrypted only to this machine, and appears in no message.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from urllib.parse import urlsplit

from memolith.base.errors import ConfigError
from memolith.env import programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LOCAL = ("127.0.0.1", "localhost", "::1")
_CONNECT_SECONDS = 10.0  # for each of a host's addresses
_PIECE = 65_536
_MAX_SUMMARY = 200


class UnansweredError(Exception):
    """The answer is missing or incomplete: `kind` is `timeout`, `unavailable`, `broken` or `too_large`."""

    def __init__(self, kind: str, why: str) -> None:
        self.kind = kind
        super().__init__(why)


class Answer:
    """A service's answer. `summary` is its beginning on one line, safe to show in a message."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, data: bytes, secret: str) -> None:
        self.status, self.headers, self.data = status, headers, data
        self.summary = printable(data.decode("utf-8", "replace"), secret)


class Endpoint:
    """One address. `setting` names the setting it comes from, for messages."""

    def __init__(self, url: str, setting: str) -> None:
        self.url = url.rstrip("/")
        self._setting = setting
        try:
            self._where = urlsplit(self.url)
            self._port = self._where.port
        except ValueError:
            self._where, self._port = urlsplit(""), None
        self._host = self._where.hostname or ""
        if self._where.scheme not in ("http", "https") or not self._host or self._where.username:
            raise ConfigError(
                f"{setting} = {self.url!r}: must be http(s)://HOST[:PORT][/PATH], without a user in it"
            )
        self.local = self._host in _LOCAL
        self.secure = self.local or self._where.scheme == "https"

    def get(
        self, path: str, headers: Mapping[str, str], *, seconds: float, limit: int, secret: str = ""
    ) -> Answer:
        """Ask for something; see `post`."""
        return self.post(path, None, headers, seconds=seconds, limit=limit, secret=secret)

    def post(
        self,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        seconds: float,
        limit: int,
        secret: str = "",
    ) -> Answer:
        """Send one request and return the answer, whatever its status; UnansweredError if it is incomplete.

        `secret` is the part of `headers` that no message may show. `seconds` limits the whole request, so a
        service that sends a byte now and then is stopped too.
        """
        if secret and not self.secure:
            raise ConfigError(f"{self._setting} = {self.url!r}: a key is only sent over https")
        connection, target = self._connection(seconds)
        opened: socket.socket | None = None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            if opened is not None:
                with contextlib.suppress(OSError):  # already closed
                    opened.shutdown(socket.SHUT_RDWR)

        # A socket's time-out starts over with each byte.
        watch = threading.Timer(max(seconds, 0.0), expire)
        watch.daemon = True
        try:
            connection.connect()
            opened = connection.sock
            opened.settimeout(max(seconds, 0.001))
            watch.start()
            connection.request(
                "GET" if body is None else "POST", target + path, body, {"Connection": "close", **headers}
            )
            with connection.getresponse() as reply:
                data = _read(reply, limit)
            if expired.is_set():  # a truncated answer looks like a short one
                raise TimeoutError
            return Answer(reply.status, reply.headers, data, secret)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if expired.is_set() or isinstance(error, TimeoutError):
                raise UnansweredError("timeout", f"no answer within {seconds:g} seconds") from None
            kind = "broken" if opened else "unavailable"
            raise UnansweredError(kind, _reason(error)) from None
        finally:
            watch.cancel()
            connection.close()

    def _connection(self, seconds: float) -> tuple[http.client.HTTPConnection, str]:
        """Return a connection, through the machine's proxy if there is one, and the prefix of the target."""
        wait = min(seconds, _CONNECT_SECONDS)
        make = http.client.HTTPSConnection if self._where.scheme == "https" else http.client.HTTPConnection
        proxy = "" if self.local else _proxy(self._where.scheme, self._host)
        if not proxy:
            return make(self._host, self._port, timeout=wait), self._where.path
        via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        connection = make(via.hostname or "", via.port or 80, timeout=wait)
        login = _login(via.username, via.password)
        if self._where.scheme == "https":
            connection.set_tunnel(self._host, self._port or 443, login)
            return connection, self._where.path
        return connection, self.url


def printable(text: str, secret: str = "") -> str:
    """Return the beginning of a text on one line, without this or any other secret."""
    from memolith.text.secrets.redact import redact

    shown = "".join(char for char in " ".join(text[:8000].split()) if char.isprintable())
    if secret:
        shown = shown.replace(secret, "…")
    return redact(shown).text[:_MAX_SUMMARY]


def find_key(env: Mapping[str, str], variable: str, command: str, setting: str, project: str = "") -> str:
    """Return the key that the command prints, else the variable's value, else an empty string.

    Programs inside `project` are never run, and none runs with it as working directory.
    """
    if not command:
        return _checked(env.get(variable, "").strip(), f"environment variable {variable}")
    import shlex
    import subprocess

    where = f"{setting} = {command!r}"
    try:
        program, *words = shlex.split(command)
        found = programs.find(program, project, env)
        if found is None:
            raise ValueError(f"there is no {program!r} in PATH; name it by its whole path")  # noqa: TRY301
        done = subprocess.run(
            [found, *words],
            cwd=programs.NOWHERE,
            env=programs.environment(project, env),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        why = "no answer within 30 seconds" if isinstance(error, subprocess.TimeoutExpired) else error
        raise ConfigError(f"{where}: {why}") from None
    if done.returncode or not done.stdout.strip():
        raise ConfigError(f"{where}: it gave no key (exit code {done.returncode})")
    return _checked(done.stdout.strip(), where)


def _checked(key: str, where: str) -> str:
    """Refuse a key that no header can hold: http.client would show it in its error."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(f"{where}: the key has a space, a line break or a strange character in it")
    return key


def _proxy(scheme: str, host: str) -> str:
    from urllib.request import getproxies, proxy_bypass

    return "" if proxy_bypass(host) else getproxies().get(scheme, "")


def _login(user: str | None, password: str | None) -> dict[str, str]:
    if not user:
        return {}
    from base64 import b64encode
    from urllib.parse import unquote

    pair = f"{unquote(user)}:{unquote(password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _read(reply: http.client.HTTPResponse, limit: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := reply.read(_PIECE):
        size += len(piece)
        if size > limit:
            raise UnansweredError("too_large", "the answer is too large")
        pieces.append(piece)
    if reply.length:  # http.client reports a short body only if it is read in one go
        raise http.client.IncompleteRead(b"", reply.length)
    return b"".join(pieces)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return printable(str(error.strerror or error))
    return f"the answer is broken ({type(error).__name__})"
