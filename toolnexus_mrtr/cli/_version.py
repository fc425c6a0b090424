"""The version of the package that is installed."""

from __future__ import annotations


def find_version() -> str | None:
    """Find the version of the package; `None` where it runs without being installed."""
    # This import is slow, and few commands need it.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

    try:
        return version("toolnexus-mrtr")
    except PackageNotFoundError:
        return None
