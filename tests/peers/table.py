"""The README's table of what was tested against what: made from the reports of the tests, between two marks."""

from collections.abc import Iterable, Mapping

BEGIN = "<!-- tested against -->\n"
END = "<!-- end of tested against -->\n"
SECTION = "\n## Tested against\n\n"
HEAD = "| Server | Version | Transport | Exercised |\n| --- | --- | --- | --- |\n"


def table(passed: Iterable[Mapping[str, str]]) -> str:
    """Make a row of each server, with those of its transports in one over which the same was exercised."""
    exercised: dict[tuple[str, str, str], dict[str, None]] = {}
    for test in passed:
        done = exercised.setdefault((test["server"], test["version"], test["transport"]), {})
        done[test["exercised"]] = None
    rows: dict[tuple[str, str, frozenset[str]], tuple[list[str], list[str]]] = {}
    for (server, version, transport), what in exercised.items():
        transports, _ = rows.setdefault((server, version, frozenset(what)), ([], list(what)))
        transports.append(transport)
    lines = [
        f"| {server} | {version} | {', '.join(transports)} | {'; '.join(what)} |\n"
        for (server, version, _), (transports, what) in rows.items()
    ]
    return HEAD + "".join(lines)


def with_table(readme: str, made: str) -> str:
    """Put the table between its marks, or into a section of its own at the end."""
    if BEGIN not in readme:
        return readme + SECTION + BEGIN + made + END
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + made + END + after
