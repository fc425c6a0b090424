"""Reads dates and times as people type them on a terminal: with a blank, with the name of a time zone, or with none."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_TIME: Final = re.compile(
    r"\s*(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:\s+|[Tt])(?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r"\s*(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2}|[A-Za-z][\w+-]*(?:/[\w+-]+)*)?\s*",
    re.ASCII,
)


class LocalZone(tzinfo):
    """The time zone of this machine, with the offset that it has at the time in question."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """Give the offset from UTC at a local time; `fold` tells apart two times that clocks show alike."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def tzname(self, dt: datetime | None) -> str | None:
        """Give the name of the offset at a local time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def dst(self, dt: datetime | None) -> None:
        """Leave open how much of the offset is daylight saving."""


def read_date_time(text: str) -> tuple[str, tzinfo | None]:
    """Write a date and time as a form takes it, and give the zone that a time without an offset is in.

    The zone is `None` where the text names one that is not known. Any other text stays as it is.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return text, LocalZone()
    written, zone = f"{found['date']}T{found['time']}", found["zone"]
    if zone is None:
        return written, LocalZone()
    if zone in "Zz" or zone[0] in "+-":
        seconds = ":00" if len(found["time"]) == len("10:00") else ""
        return written + seconds + zone, LocalZone()
    try:
        return written, ZoneInfo(zone)
    except (OSError, ValueError, LookupError):
        return written, None
