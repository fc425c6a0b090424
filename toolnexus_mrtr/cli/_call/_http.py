"""Speaks to a server over streamable HTTP: a POST for each request, answered by JSON or by a stream of events."""

from __future__ import annotations

import codecs
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Self

from toolnexus_mrtr import Call
from toolnexus_mrtr.cli._call._log import Log
from toolnexus_mrtr.cli._call._rpc import decode_message, encode_message, find_response, make_request, read_result
from toolnexus_mrtr.cli._errors import BadInput, CallFailed
from toolnexus_mrtr.cli._messages import read_events, split_lines
from toolnexus_mrtr.cli._text import quote_short

try:
    import httpx
except ImportError:
    raise BadInput("TARGET: expected the package httpx: pip install 'toolnexus-mrtr[call]'") from None

#: The most bytes of one response.
_MAX_RESPONSE: Final = 1 << 26

_MEDIA: Final = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class HttpServer:
    """A server at a url. `headers` go with every request; `seconds` is how long it may take to answer one.

    No redirect is followed: it would carry arguments, answers and headers to a server that nobody named.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], seconds: float, log: Log, *, is_loopback: bool = False
    ) -> None:
        self._url = url
        self._headers = headers
        self._seconds = seconds
        self._log = log
        self._ids = itertools.count(1)
        # What the environment says of proxies is not meant for this machine itself.
        self._client = httpx.Client(timeout=seconds, follow_redirects=False, trust_env=not is_loopback)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and give its result; raises `CallFailed`."""
        request = make_request(next(self._ids), method, params)
        headers = {**self._headers, **_MEDIA, **Call(method, params).headers}
        self._log.note_request(request, headers)
        deadline = time.monotonic() + self._seconds
        try:
            with self._client.stream("POST", self._url, content=encode_message(request), headers=headers) as response:
                _require_answer(response, method)
                message = find_response(_read_messages(response, method, deadline), request)
        except httpx.TimeoutException:
            raise _make_late(method) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # What httpx says of an error may quote the url.
            reason = (
                "no connection to the server could be made"
                if isinstance(error, httpx.ConnectError)
                else "the connection broke"
            )
            raise CallFailed(f"expected an answer to {method}: {reason}") from None
        self._log.note_response(message)
        return read_result(message, method)


def _require_answer(response: httpx.Response, method: str) -> None:
    """Refuse what holds no message. A JSON-RPC error may come with any status; a body of JSON says what happened."""
    status = response.status_code
    if response.has_redirect_location:
        location = quote_short(response.headers["location"])
        raise CallFailed(f"the server redirects {method} to {location}: expected an answer, no redirect is followed")
    if status in (401, 403):
        raise CallFailed(f"the server answered {method} with the status {status}: expected --header to authorize it")
    if _find_media_type(response) not in ("application/json", "text/event-stream"):
        raise CallFailed(f"the server answered {method} with the status {status}: expected JSON or a stream of events")


def _read_messages(response: httpx.Response, method: str, deadline: float) -> Iterator[dict[str, Any]]:
    chunks = _read_chunks(response, method, deadline)
    if _find_media_type(response) == "application/json":
        yield decode_message(b"".join(chunks))
    else:
        for event in read_events(_split_stream(chunks)):
            yield decode_message(event.encode())


def _read_chunks(response: httpx.Response, method: str, deadline: float) -> Iterator[bytes]:
    size = 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > _MAX_RESPONSE:
            raise CallFailed(f"the server answered {method} with more than {_MAX_RESPONSE >> 20} MiB")
        if time.monotonic() > deadline:
            raise _make_late(method)
        yield chunk


def _split_stream(chunks: Iterable[bytes]) -> Iterator[str]:
    """Split a stream into its lines, each as soon as it has ended."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    parts: list[str] = []
    ended_in_cr = False
    for chunk in chunks:
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError:
            raise CallFailed("the server sent a stream of events that is no UTF-8") from None
        # The second half of a line end whose first one came in the chunk before.
        text = text[1:] if ended_in_cr and text.startswith("\n") else text
        ended_in_cr = text.endswith("\r")
        first, *lines = split_lines(text)
        parts.append(first)
        for line in lines:
            yield "".join(parts)
            parts = [line]


def _find_media_type(response: httpx.Response) -> str:
    media_type: str = response.headers.get("content-type", "")
    return media_type.partition(";")[0].strip().lower()


def _make_late(method: str) -> CallFailed:
    return CallFailed(f"the server did not answer {method} in time; --seconds says how long it may take")
