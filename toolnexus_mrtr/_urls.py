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

#: The longest name of a host, and the longest label of one (RFC 1035, section 2.3.4).
_MAX_HOST: Final = 253
_MAX_LABEL: Final = 63

#: What follows the authority of a uri: its path, query and fragment (RFC 3986, sections 3.3 to 3.5). RFC 3986 forbids
#: brackets in a query or a fragment, but they are everywhere, so they are let through.
_AFTER_AUTHORITY: Final = (
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]++|%[0-9A-Fa-f]{2})*+)?+"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?\[\]-]++|%[0-9A-Fa-f]{2})*+)?+"
    r"(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?\[\]-]++|%[0-9A-Fa-f]{2})*+)?+"
)

#: The plain https url: a DNS name whose last label starts with a letter, so that no browser takes it for a number, and
#: nothing unusual beside it. `inspect_url` neither refuses nor warns of any such url; one that does not match may still
#: be as harmless. Linear time: nothing that was matched is tried again, and both looks ahead are bounded.
plain_url: Final = re.compile(
    r"(?!.{8193})https://(?![^/?#]{254})"
    r"(?:(?![Xx][Nn]--)[A-Za-z0-9-]{1,63}+\.){1,16}+"
    # No end of a name that may be local: .local, .localhost, .localdomain, .internal, .home.arpa.
    r"(?![Xx][Nn]--|[Ll][Oo][Cc]|[Ii][Nn][Tt][Ee]|[Aa][Rr][Pp])[A-Za-z][A-Za-z0-9-]{0,62}+" + _AFTER_AUTHORITY
).fullmatch

#: Browsers drop tabs and newlines, trim spaces and read a backslash as a slash: none may decide where a url goes.
_plain_characters: Final = re.compile(r"[!-\[\]-~]*+").fullmatch

#: A uri whose scheme and authority have been looked at.
_uri: Final = re.compile(r"[A-Za-z]++://[^/?#]++" + _AFTER_AUTHORITY).fullmatch

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

#: The networks that are set aside: every one of the IANA registries of special-purpose addresses (RFC 6890), but those
#: of `_CARRIERS`; the site-local addresses of old (RFC 3879); multicast. Broadcast is the last address of 240.0.0.0/4.
_LOCAL: Final[_Networks] = tuple(
    map(
        ip_network,
        """
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
        192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
        203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
        64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7
        fe80::/10 fec0::/10 ff00::/8
        """.split(),
    )
)

#: Networks whose addresses stand for an IPv4 address: how many bits follow that address, and which of its own bits are
#: inverted. Compatible addresses, `::` and `::1` among them, and mapped ones (RFC 4291), translated ones (RFC 2765),
#: NAT64 (RFC 6052), 6to4 (RFC 3056), and the server and the client of Teredo (RFC 4380).
_CARRIERS: Final = (
    (IPv6Network("::/96"), 0, 0),
    (IPv6Network("::ffff:0:0/96"), 0, 0),
    (IPv6Network("::ffff:0:0:0/96"), 0, 0),
    (IPv6Network("64:ff9b::/96"), 0, 0),
    (IPv6Network("2002::/16"), 80, 0),
    (IPv6Network("2001::/32"), 64, 0),
    (IPv6Network("2001::/32"), 0, 0xFFFFFFFF),
)

#: What stands before the IPv4 address of ISATAP, in whatever network (RFC 5214, section 6.1).
_ISATAP: Final = (0x00005EFE, 0x02005EFE)

#: Names of the machine and of its network: RFC 6761, RFC 6762, RFC 8375, what systems append to localhost, and
#: internal, which ICANN keeps out of the public DNS.
_LOCALHOST: Final = ".localhost"
_LOCAL_NAMES: Final = (
    _LOCALHOST,
    ".localdomain",
    ".localdomain4",
    ".localdomain6",
    ".local",
    ".internal",
    ".home.arpa",
)


class UrlReport(Struct, frozen=True):
    """What `inspect_url` found.

    `url` is the very text that was given, for display. `refusal` is `None`, or a word for why nobody should be sent
    there: `too_long`, `bad_character`, `bad_scheme`, `no_host`, `userinfo`, `bad_host`, `bad_port`. `scheme` is in
    lower case, `None` where the text has none. `host` is where a browser would go, written as it would write it; `None`
    when refused. `warnings` are some of these, in this order, and empty when refused:

    - `insecure_http`: http, and not to the machine itself.
    - `punycode`: a label of the host stands for characters beyond ASCII.
    - `ip_host`: the host is an address.
    - `local_network`: the host is on the machine or its own network: a name without a dot, `localhost` and its kin,
      `.local`, `.internal`, `.home.arpa`; an address that is set aside for a special purpose (RFC 6890), multicast,
      broadcast, or one that carries such an address.
    - `unusual_port`: another port than the scheme's.
    - `not_a_uri`: RFC 3986 allows no such uri; brackets in a query or a fragment are let through.
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
        if self.address is None:
            return f".{self.host.removesuffix('.')}".endswith(_LOCALHOST)
        # The other addresses that carry one of IPv4 are left as they are: a gateway elsewhere may unpack them.
        return _is_in(self.address, _LOOPBACK)

    def is_local(self) -> bool:
        if self.address is None:
            name = self.host.removesuffix(".")
            return "." not in name or f".{name}".endswith(_LOCAL_NAMES)
        return any(_is_in(address, _LOCAL) for address in _addresses_within(self.address))


def _addresses_within(address: _Address) -> Iterator[_Address]:
    """Give the addresses that decide whether one is local: itself, or what it stands for; with ISATAP both."""
    bits = int(address)
    carriers = [carrier for carrier in _CARRIERS if address in carrier[0]]
    if not carriers:
        yield address
    for _, following, inverted in carriers:
        yield IPv4Address(bits >> following & 0xFFFFFFFF ^ inverted)
    if bits >> 32 & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(bits & 0xFFFFFFFF)


def inspect_url(url: str) -> UrlReport:
    """Say where a url leads, what to warn of, and whether to refuse it, without ever touching it.

    What browsers read differently, or would open with something else, is refused: more than 8,192 bytes (`too_long`); a
    character that is not printable ASCII, a blank, or a backslash (`bad_character`); no scheme, or neither `https` nor
    `http` (`bad_scheme`); no host after exactly two slashes (`no_host`); an `@` before the path (`userinfo`); a host
    that is no name and no address: other characters than letters, digits, `-`, `_` and `.`, an empty label, one beyond
    63 characters, more than 253 in all, a last label that is a number where the whole is no IPv4 address, a wrong IPv6
    address (`bad_host`); a port beyond 65,535 (`bad_port`), or one that is no number (`bad_host`). Before anything
    opens a url, show the person all of it, and `host` beside it (client/elicitation, "Safe URL Handling").

    Raises `TypeError` when `url` is no `str`.
    """
    require_type("url", url, str, "a str")
    scheme = found[1].lower() if (found := _scheme(url)) else None
    goes_to = _destination(url, scheme)
    if isinstance(goes_to, str):
        return UrlReport(url, scheme, None, (), goes_to)
    return UrlReport(url, scheme, goes_to.host, tuple(_warnings(url, scheme, goes_to)), None)


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
    labels = host.removesuffix(".").split(".")
    if not _dns_name(host) or len(host.removesuffix(".")) > _MAX_HOST or len(max(labels, key=len)) > _MAX_LABEL:
        return None
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


def _warnings(url: str, scheme: str | None, goes_to: _Destination) -> Iterator[str]:
    if scheme == "http" and not goes_to.is_loopback():
        yield "insecure_http"
    if goes_to.host.startswith("xn--") or ".xn--" in goes_to.host:
        yield "punycode"
    if goes_to.address is not None:
        yield "ip_host"
    if goes_to.is_local():
        yield "local_network"
    if goes_to.port not in ("", _DEFAULT_PORTS[scheme or ""]):
        yield "unusual_port"
    if not _uri(url):
        yield "not_a_uri"


def _is_in(address: _Address, networks: _Networks) -> bool:
    return any(address in network for network in networks)
