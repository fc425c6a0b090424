"""The README's table of what was tested against what: made from the reports of the tests, between two marks."""

from collections.abc import Iterable, Mapping

BEGIN = "<!-- tested against -->\n"
END = "<!-- end of tested against -->\n"
SECTION = "\n## Tested against\n\n"
HEAD = "| Server | Version | Transport | Exercised |\n| --- | --- | --- | --- |\n"


def table(passed: Iterable[Mapping[str, str]]) -> str:
    """Make a row of each server; what was exercised over some of its transports alone names them."""
    rows: dict[tuple[str, str], dict[str, list[str]]] = {}
    for test in passed:
        exercised = rows.setdefault((test["server"], test["version"]), {})
        over = exercised.setdefault(test["exercised"], [])
        if test["transport"] not in over:
            over.append(test["transport"])
    return HEAD + "".join(_row(*server, exercised) for server, exercised in rows.items())


def _row(server: str, version: str, exercised: Mapping[str, list[str]]) -> str:
    transports = list(dict.fromkeys(transport for over in exercised.values() for transport in over))
    everywhere = [what for what, over in exercised.items() if len(over) == len(transports)]
    elsewhere = [f"{what} ({', '.join(over)})" for what, over in exercised.items() if len(over) < len(transports)]
    return f"| {server} | {version} | {', '.join(transports)} | {'; '.join(everywhere + elsewhere)} |\n"


def with_table(readme: str, made: str) -> str:
    """Put the table between its marks, or into a section of its own at the end."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        return readme + SECTION + BEGIN + made + END
    return before + BEGIN + made + END + after
