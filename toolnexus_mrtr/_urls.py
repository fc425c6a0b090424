"""`inspect_url`: where a url leads, and whether to show it. Pure text work: never opens, fetches or resolves it.

The standard library alone cannot say where a browser would go. `ipaddress` refuses the short and numeric spellings of
an IPv4 address that browsers read (`127.1`, `0x7f000001`, `017700000001`), so `_ipv4` reads those. It does know
addresses and networks, so the module takes those from it. Which networks count as local is a list here, since
`is_private`, `is_global` and `is_reserved` change between releases of Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

from msgspec import Struct

from toolnexus_mrtr._errors import require_type

#: The longest url that is let through, in bytes (all of them ASCII).
MAX_URL: Final = 8192

#: The plain https url: a DNS name whose last label starts with a letter, so that no browser takes it for a number, and
#: nothing unusual beside it. `inspect_url` lets every such url through; one that does not match may still be let
#: through. Bounded below `MAX_URL`, and possessive: it never looks at a character twice.
plain_url: Final = re.compile(
    r"https://(?:[A-Za-z0-9-]{1,63}+\.){1,16}+[A-Za-z][A-Za-z0-9-]{0,62}+(?:[/?#][!-\[\]-~]{0,7000}+)?+"
).fullmatch

#: Browsers drop tabs and newlines, trim spaces and read a backslash as a slash: none may decide where a url goes.
_plain_characters: Final = re.compile(r"[!-\[\]-~]*+").fullmatch

_scheme: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+):").match
_authority: Final = re.compile(r"[A-Za-z]++://([^/?#]++)").match
_host_and_port: Final = re.compile(r"(\[[0-9A-Fa-f:.]++\]|[A-Za-z0-9._-]++)(?::([0-9]*+))?+").fullmatch
_dns_name: Final = re.compile(r"[a-z0-9_-]++(?:\.[a-z0-9_-]++)*+\.?").fullmatch

_number: Final = re.compile(r"[0-9]++|0x[0-9a-f]*+").fullmatch
_ipv4_number: Final = re.compile(r"0x([0-9a-f]*+)|0([0-7]*+)|[1-9][0-9]*+").fullmatch

_DEFAULT_PORTS: Final = {"https": "443", "http": "80"}
_LAST_PORT: Final = 65535

_Address = IPv4Address | IPv6Address
_Networks = tuple[IPv4Network | IPv6Network, ...]

_LOOPBACK: Final[_Networks] = tuple(map(ip_network, ("127.0.0.0/8", "::1/128")))

#: What does not leave the machine or its network (RFC 6890). 0.0.0.0 and :: reach the machine itself on many systems.
_LOCAL: Final[_Networks] = tuple(
    map(
        ip_network,
        """
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16
        ::/128 ::1/128 64:ff9b:1::/48 fc00::/7 fe80::/10 fec0::/10
        """.split(),
    )
)

#: The IPv6 networks whose addresses carry an IPv4 address, and how many bits stand to the right of it: compatible
#: addresses, NAT64 (RFC 6052) and 6to4 (RFC 3056).
_CARRIERS: Final = ((IPv6Network("::/96"), 0), (IPv6Network("64:ff9b::/96"), 0), (IPv6Network("2002::/16"), 80))


class UrlReport(Struct, frozen=True):
    """What `inspect_url` found.

    `url` is the very text that was given, for display. `refusal` is `None`, or a word for why nobody should be sent
    there: `too_long`, `bad_character`, `bad_scheme`, `no_host`, `userinfo`, `bad_host`, `bad_port`. `scheme` is in
    lower case, `None` where the text has none. `host` is where a browser would go, written as it would write it; `None`
    when refused. `warnings` are some of `insecure_http`, `punycode`, `ip_host`, `local_network`, `unusual_port`, in
    this order.
    """

    url: str
    scheme: str | None
    host: str | None
    warnings: tuple[str, ...]
    refusal: str | None


class _Destination(Struct):
    host: str
    port: str
    #: The IP address that the host is, if it is one. An IPv4-mapped address counts as the IPv4 address.
    address: _Address | None = None

    def is_loopback(self) -> bool:
        # Not asked of a carried address: NAT64 and 6to4 addresses leave the machine before they are unpacked.
        return self.address is not None and _is_in(self.address, _LOOPBACK)

    def is_local(self) -> bool:
        address = self.address
        if address is None:
            return False
        carried = (IPv4Address(int(address) >> bits & 0xFFFFFFFF) for network, bits in _CARRIERS if address in network)
        return _is_in(address, _LOCAL) or any(_is_in(each, _LOCAL) for each in carried)


def inspect_url(url: str) -> UrlReport:
    """Say where a url leads, what to warn of, and whether to refuse it, without ever touching it.

    Let through are `https` and `http` urls of at most 8,192 bytes, printable ASCII without backslash, with a host, no
    userinfo and no `%` in the host: what every browser reads alike. Before anything opens it, show the person the whole
    url, and `host` beside it (client/elicitation, "Safe URL Handling").

    Raises `TypeError` when `url` is no `str`.
    """
    require_type("url", url, str, "a str")
    scheme = found[1].lower() if (found := _scheme(url)) else None
    goes_to = _destination(url, scheme)
    if isinstance(goes_to, str):
        return UrlReport(url, scheme, None, (), goes_to)
    return UrlReport(url, scheme, goes_to.host, tuple(_warnings(scheme, goes_to)), None)


def _destination(url: str, scheme: str | None) -> _Destination | str:
    """Where a browser goes, or the word for why nobody should."""
    if len(url) > MAX_URL:
        return "too_long"
    if not _plain_characters(url):
        return "bad_character"
    if scheme not in _DEFAULT_PORTS:
        return "bad_scheme"
    authority = found[1] if (found := _authority(url)) else ""
    if "@" in authority:
        return "userinfo"
    if not authority or authority.startswith(":"):
        return "no_host"
    parts = _host_and_port(authority)
    if parts is None:
        return "bad_host"
    digits = parts[2] or ""
    port = digits.lstrip("0") or digits[:1]
    if len(port) > 5 or int(port or "0") > _LAST_PORT:
        return "bad_port"
    return _host(parts[1].lower(), port) or "bad_host"


def _host(host: str, port: str) -> _Destination | None:
    if host.startswith("["):
        try:
            address = IPv6Address(host[1:-1])
        except ValueError:
            return None
        return _Destination(f"[{_ipv6_text(address)}]", port, address.ipv4_mapped or address)
    if not _dns_name(host):
        return None
    labels = host.removesuffix(".").split(".")
    # Where the last label is a number, a browser takes the whole host for an IPv4 address or fails (WHATWG URL, "ends
    # in a number").
    if not _number(labels[-1]):
        return _Destination(host, port)
    ipv4 = _ipv4(labels)
    return None if ipv4 is None else _Destination(str(ipv4), port, ipv4)


def _ipv4(labels: list[str]) -> IPv4Address | None:
    """Read an IPv4 address as browsers do: one to four parts, each decimal, octal or hexadecimal, the last one wide."""
    if len(labels) > 4:
        return None
    numbers = []
    for label in labels:
        number = _ipv4_number(label)
        if number is None:
            return None
        hexadecimal, octal = number.groups()
        digits, base = (label, 10) if octal is None else (octal, 8)
        if hexadecimal is not None:
            digits, base = hexadecimal, 16
        # Any number of zeros may lead; of the rest, sixty digits are beyond any address in any base.
        numbers.append(int(digits.lstrip("0")[:60] or "0", base))
    *heads, last = numbers
    if last >= 256 ** (4 - len(heads)) or any(head > 255 for head in heads):
        return None
    return IPv4Address(last + sum(head << 8 * (3 - place) for place, head in enumerate(heads)))


def _ipv6_text(address: IPv6Address) -> str:
    # Since Python 3.13 a mapped address is written with dots, `::ffff:127.0.0.1`; browsers write `::ffff:7f00:1`.
    mapped = address.ipv4_mapped
    return str(address) if mapped is None else f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}"


def _warnings(scheme: str | None, goes_to: _Destination) -> Iterator[str]:
    name = goes_to.host.removesuffix(".")
    is_localhost = name == "localhost" or name.endswith(".localhost")
    if scheme == "http" and not (is_localhost or goes_to.is_loopback()):
        yield "insecure_http"
    if name.startswith("xn--") or ".xn--" in name:
        yield "punycode"
    if goes_to.address is not None:
        yield "ip_host"
    if is_localhost or name.endswith(".local") or goes_to.is_local():
        yield "local_network"
    if goes_to.port not in ("", _DEFAULT_PORTS[scheme or ""]):
        yield "unusual_port"


def _is_in(address: _Address, networks: _Networks) -> bool:
    return any(address in network for network in networks)
