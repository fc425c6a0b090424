"""What a call goes to: the server at a url, or one that a command starts; and the headers that go with it."""

from __future__ import annotations

import argparse
import hashlib
import re
from ipaddress import ip_address
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple, Protocol, Self
from urllib.parse import urlsplit

from toolnexus_mrtr import UrlReport, inspect_url
from toolnexus_mrtr.cli._call._log import Log
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._process import split_command
from toolnexus_mrtr.cli._text import name_argument

#: A header field (RFC 9110, "Field Names" and "Field Values"), in ASCII.
_match_header: Final = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([!-~](?:[ -~\t]*[!-~])?)?[ \t]*").fullmatch

#: The headers that are this client's own to write.
_OWN: Final = re.compile(
    "accept|connection|content-.*|host|mcp-(method|name|protocol-version)|transfer-encoding", re.IGNORECASE
).fullmatch


class Server(Protocol):
    """A server that is spoken to inside a block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and give its result; raises `CallFailed`."""
        ...


class Target(NamedTuple):
    """A server that can be called; `name` tells it from every other, and holds no secret of a url or a command."""

    name: str
    server: Server


def read_target(options: argparse.Namespace, log: Log) -> Target:
    """Read the target of a command, and the headers that go to it."""
    if options.stdio:
        return _read_command(options, log)
    report = inspect_url(options.target)
    if report.refusal is not None or report.host is None:
        raise BadInput(f"TARGET: expected a url, or a command after --stdio; as a url it is refused: {report.refusal}")
    is_loopback = _is_loopback(report.host)
    if report.scheme != "https" and not is_loopback:
        raise BadInput("TARGET: expected an https url, or one of this machine")
    headers = _read_headers(options.header)
    # It loads a package that need not be installed.
    from toolnexus_mrtr.cli._call._http import HttpServer  # noqa: PLC0415 - see above

    server = HttpServer(options.target, headers, options.seconds, log, is_loopback=is_loopback)
    return Target(_name_url(options.target, report), server)


def _read_command(options: argparse.Namespace, log: Log) -> Target:
    if options.header:
        raise BadInput("--header: expected a url as TARGET, a command takes no headers")
    command = split_command(options.target, "TARGET")
    # Its import of subprocess is slow.
    from toolnexus_mrtr.cli._call._stdio import StdioServer  # noqa: PLC0415 - see above

    name = f"{PurePath(command[0]).name} {_digest(options.target)}"
    return Target(name, StdioServer(command, options.seconds, log))


def _name_url(url: str, report: UrlReport) -> str:
    """Name a server by its url; a query may hold a secret, and a digest of it is enough to tell it from another."""
    parts = urlsplit(url)
    port = "" if parts.port is None else f":{parts.port}"
    query = f"?{_digest(parts.query)}" if parts.query else ""
    return f"{report.scheme}://{report.host}{port}{parts.path}{query}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _read_headers(arguments: list[str]) -> dict[str, str]:
    """Read the arguments of `--header`, `NAME: VALUE` or a file with such lines; no message repeats a value."""
    headers: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        name = name_argument("--header", place, arguments)
        lines = _read_lines(argument[1:], name) if argument.startswith("@") else [argument]
        for line in lines:
            match = _match_header(line)
            if match is None:
                raise BadInput(f"{name}: expected NAME: VALUE in ASCII, or @FILE with such lines")
            if _OWN(match[1]):
                raise BadInput(f"{name}: expected a header that the protocol leaves to you, not {match[1]}")
            headers[match[1]] = match[2] or ""
    return headers


def _read_lines(path: str, name: str) -> list[str]:
    try:
        return [line for line in Path(path).read_text("ascii").splitlines() if line.strip()]
    except (OSError, ValueError):
        raise BadInput(f"{name}: expected a file that can be read, in ASCII") from None
