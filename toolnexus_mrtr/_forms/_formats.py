"""Checks the four string formats that a form may ask for, strictly and in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

#: RFC 5321, section 4.1.2: a dot-string or a quoted string, then a domain or an address literal.
_EMAIL: Final = re.compile(
    r"""(?P<local>[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-\[\]-~]|\\[ -~])*")"""
    r"@(?:(?P<domain>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)|\[(?P<literal>[^\[\]]+)\])",
    re.ASCII | re.IGNORECASE,
)

#: RFC 3986, appendix A: a scheme, and the characters that each part may hold; a literal host is checked apart.
_URI: Final = re.compile(
    r"[a-z][a-z0-9+.-]*:"
    r"(?://(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?"
    r"(?:\[(?P<literal>[^\[\]]+)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::[0-9]*)?(?=[/?#]|\Z)|(?!//))"
    r"(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*"
    r"(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?"
    r"(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*)?",
    re.ASCII | re.IGNORECASE,
)

#: RFC 3986, section 3.2.2: an address of a version yet to come.
_FUTURE_ADDRESS: Final = re.compile(r"v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+", re.ASCII | re.IGNORECASE)

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

#: RFC 3339, section 5.6.
_DATE_TIME: Final = re.compile(
    r"(?P<date>[0-9-]{10})t(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:z|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3]):(?P<minutes>[0-5][0-9]))",
    re.IGNORECASE,
)


def is_email(text: str) -> bool:
    """Whether text is a mailbox of RFC 5321."""
    parts = _EMAIL.fullmatch(text)
    if parts is None or len(parts["local"]) > 64:
        return False
    if parts["domain"] is not None:
        return len(parts["domain"]) <= 253 and all(len(label) <= 63 for label in parts["domain"].split("."))
    literal: str = parts["literal"]
    return (
        _is_address(IPv6Address, literal[5:]) if literal[:5].lower() == "ipv6:" else _is_address(IPv4Address, literal)
    )


def is_uri(text: str) -> bool:
    """Whether text is a uri of RFC 3986, with a scheme."""
    parts = _URI.fullmatch(text)
    if parts is None or parts["literal"] is None:
        return parts is not None
    return _is_address(IPv6Address, parts["literal"]) or _FUTURE_ADDRESS.fullmatch(parts["literal"]) is not None


def is_date(text: str) -> bool:
    """Whether text is a full-date of RFC 3339, and a day of the calendar."""
    # The standard library takes other notations of ISO 8601 too.
    if _DATE.fullmatch(text) is None:
        return False
    try:
        # RFC 3339 has a year 0000, Python has none; it is a leap year, as 2000 is.
        date.fromisoformat(text.replace("0000-", "2000-"))
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Whether text is a date-time of RFC 3339; only the last minute of a day in UTC can have a leap second."""
    parts = _DATE_TIME.fullmatch(text)
    if parts is None or not is_date(parts["date"]):
        return False
    if parts["second"] != "60":
        return True
    offset = 0 if parts["sign"] is None else int(parts["hours"]) * 60 + int(parts["minutes"])
    minute = int(parts["hour"]) * 60 + int(parts["minute"]) + (offset if parts["sign"] == "-" else -offset)
    return minute % (24 * 60) == 24 * 60 - 1


# A new format needs: its message (`_checking`: `_FORMAT_MESSAGES`); in `_parsing` whatever has to be done with what was
# typed; in `_lint`, which takes this table for what the specification allows, a table of its own; the docstrings that
# say "four"; vectors, and the port (`tests/ports/javascript/formats.mjs`).
#: What a string of a form can be asked to be (client/elicitation, "Supported Schema Types").
FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "email": is_email,
    "uri": is_uri,
    "date": is_date,
    "date-time": is_date_time,
}


def _is_address(kind: type[IPv4Address | IPv6Address], text: str) -> bool:
    if "%" in text:
        # A zone, which Python would take for a part of the address.
        return False
    try:
        kind(text)
    except AddressValueError:
        return False
    return True
