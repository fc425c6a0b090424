"""REFERENCE.md as text: made from the entries of the public names and from the codes of `fixtures/codes.json`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: How wide a signature of one line may be.
WIDTH: Final = 100

HEAD: Final = """# Reference

Every public name of `toolnexus_mrtr`, made from its docstring by `python tests/reference/make.py --write`.
[README.md](README.md) shows how they work together.
"""

CODES_HEAD: Final = """
## Codes

The words for what is wrong, the same for every port ([fixtures/codes.json](fixtures/codes.json)). The side says whose
fault an error is: remote is the server, local the caller.
"""

#: The sections of `fixtures/codes.json`: the heading, and the column beside code and meaning, if any.
SECTIONS: Final = {
    "errors": ("Codes of errors", ("side",)),
    "field_errors": ("Codes of field errors", ()),
    "findings": ("Codes of findings", ("severity",)),
    "url_refusals": ("Refusals of urls", ()),
    "url_warnings": ("Warnings of urls", ()),
}


@dataclass(frozen=True)
class Entry:
    """One public name, or one member of a class, which is named `Class.member`."""

    name: str
    signature: str
    docstring: str
    #: The parameters of a callable, the attributes of a class: what the docstring has to name.
    parameters: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """The name of the class of a member; `""` for a public name."""
        return self.name.rpartition(".")[0]


def signature(head: str, parameters: Iterable[str], tail: str = "") -> str:
    """Write a signature in one line, or where that is too long, one parameter a line."""
    listed = list(parameters)
    line = f"{head}({', '.join(listed)}){tail}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{head}(", *(f"    {parameter}," for parameter in listed), f"){tail}"])


def anchor(heading: str) -> str:
    """Give the anchor that a heading has on GitHub."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def linked(text: str, names: Collection[str], own: str) -> str:
    """Make links of the names in backticks that have an entry, `own` excepted: whose text this is."""
    owner = own.partition(".")[0]
    # Within a class, the name of a member is that member, and not a function that has the same name.
    targets = {name for name in names if name != own and f"{owner}.{name}" not in names}

    def link(match: re.Match[str]) -> str:
        return f"[`{match[1]}`](#{anchor(match[1])})" if match[1] in targets else match[0]

    return re.sub(r"`([\w.]+)`", link, text)


def page(
    themes: Mapping[str, list[Entry]],
    codes: Mapping[str, Mapping[str, Any]],
    raised_by: Mapping[str, list[str]],
) -> str:
    """Write the whole page; `raised_by` has the names that raise each code."""
    names = [entry.name for entries in themes.values() for entry in entries]
    parts = [HEAD]
    for theme, entries in themes.items():
        parts.append(f"- {theme}: {_links(entry.name for entry in entries if not entry.owner)}")
    for theme, entries in themes.items():
        parts.append(f"\n## {theme}")
        for entry in entries:
            level = "####" if entry.owner else "###"
            others = [name for name in names if name not in entry.parameters]
            docstring = linked(entry.docstring, others, entry.name)
            parts.append(f"\n{level} `{entry.name}`\n\n```python\n{entry.signature}\n```\n\n{docstring}")
    parts.append(CODES_HEAD)
    for section, (title, columns) in SECTIONS.items():
        rows = [["code", *columns, "meaning"], ["---"] * (2 + len(columns))]
        for code, about in codes[section].items():
            cells = [about[column] for column in (*columns, "meaning")] if columns else [about]
            rows.append([f"`{code}`", *cells])
        if section == "errors":
            more = ["raised by", "---", *(_links(raised_by[code]) for code in codes[section])]
            rows = [[*row, cell] for row, cell in zip(rows, more, strict=True)]
        parts.append(f"### {title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n")
    return "\n".join(parts)


def _links(names: Iterable[str]) -> str:
    return ", ".join(f"[`{name}`](#{anchor(name)})" for name in names)
