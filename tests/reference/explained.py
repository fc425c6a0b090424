"""What the docstrings of the public names leave unexplained: parameters, attributes, and the codes of errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from page import Entry

#: The errors that have one of several codes: a docstring that names one of them has to say which.
OF_MANY_CODES: Final = ("RemoteProtocolError", "LocalProtocolError")

#: The classes that the operations of the vectors use, by the first word of the operation; the others have the name of
#: a function, or of a method of one of the two namespaces.
_CLASSES_OF: Final = {"exchange": ("Call", "Pause"), "form": ("Form",)}
_NAMESPACES: Final = ("ElicitationRequests", "ElicitationResponses")

#: The sections of `fixtures/codes.json` that are no errors, and the class whose docstring lists their codes. Findings
#: explain themselves: each has a message.
_LISTED_BY: Final = {"field_errors": "FieldError", "url_refusals": "UrlReport", "url_warnings": "UrlReport"}


def problems(
    entries: Mapping[str, Entry], sections: Mapping[str, Iterable[str]], provoked: Mapping[str, set[str]]
) -> Iterator[str]:
    """Say in one sentence each what is left unexplained.

    `sections` are those of `fixtures/codes.json`; `provoked` are the errors in which the vectors of each operation end.
    """
    for section, name in _LISTED_BY.items():
        for code in sections[section]:
            if f"`{code}`" not in entries[name].docstring:
                yield f"{name} does not explain `{code}`."
    codes = sections["errors"]
    for entry in entries.values():
        yield from _unexplained(entry, entries, codes)
    for code, names in names_raising(entries, codes).items():
        if not names:
            yield f"No docstring says what raises `{code}`."
    for operation, expected in provoked.items():
        names = _names_of(operation, entries)
        if not names:
            yield f"The operation {operation} of the vectors has no public name."
            continue
        explained = {code for name in names for code in _codes_raised(name, entries, codes)}
        shown = " or ".join(_CLASSES_OF.get(operation.partition("_")[0], names))
        for code in sorted(expected - explained):
            yield f"The vectors of {operation} end in `{code}`, and no docstring of {shown} says that it is raised."


def names_raising(entries: Mapping[str, Entry], codes: Iterable[str]) -> dict[str, list[str]]:
    """Give the names that raise each code, as the docstrings say it."""
    raised = {name: _codes_raised(name, entries, codes) for name in entries}
    return {code: [name for name in entries if code in raised[name]] for code in codes}


def _unexplained(entry: Entry, entries: Mapping[str, Entry], codes: Iterable[str]) -> Iterator[str]:
    if not entry.docstring:
        yield f"{entry.name} has no docstring."
    of_class = entries[entry.owner].docstring if entry.owner in entries else ""
    for parameter in entry.parameters:
        if f"`{parameter}`" not in entry.docstring + of_class:
            yield f"{entry.name} does not explain `{parameter}`."
    # Each such error with what follows it, up to the next error.
    pattern = rf"`({'|'.join(OF_MANY_CODES)})`((?:(?!`\w+Error`).)*)"
    for kind, rest in re.findall(pattern, _raises(entry.docstring), re.DOTALL):
        if not _codes_in(rest, codes) and not _referred_to(rest):
            yield f"{entry.name} raises {kind}, and does not say with which code."


def _codes_raised(name: str, entries: Mapping[str, Entry], codes: Iterable[str]) -> set[str]:
    """Give the codes that a docstring says are raised, itself, by its errors of one code, or by another name."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [name]
    while pending:
        entry = entries.get(pending.pop())
        if entry is None or entry.name in seen:
            continue
        seen.add(entry.name)
        text = _raises(entry.docstring)
        found |= _codes_in(text, codes)
        for kind in re.findall(r"`(\w+)`", text):
            code = re.search(r"\(code `(\w+)`", entries[kind].docstring) if kind in entries else None
            found |= {code[1]} if code else set()
        pending += [other for name in _referred_to(text) for other in (name, f"{entry.owner}.{name}")]
        # What the docstring of a namespace says holds for each of its methods.
        if entry.owner in _NAMESPACES:
            pending.append(entry.owner)
    return found


def _raises(docstring: str) -> str:
    """Give the paragraphs that say what is raised."""
    return "\n\n".join(paragraph for paragraph in docstring.split("\n\n") if re.search(r"\bRaises\b", paragraph))


def _codes_in(text: str, codes: Iterable[str]) -> set[str]:
    return set(codes) & set(re.findall(r"`(\w+)`", text))


def _referred_to(text: str) -> set[str]:
    """Give the names of which a text says that what they raise is raised here too."""
    phrases = re.findall(r"(?:[Ww]hat|all\s+that)\s+((?:`[\w.]+`(?:,|\s|and)*)+)raises?\b", text)
    return {name for phrase in phrases for name in re.findall(r"`([\w.]+)`", phrase)}


def _names_of(operation: str, entries: Mapping[str, Entry]) -> list[str]:
    """Give the public names that an operation of the vectors uses."""
    classes = _CLASSES_OF.get(operation.partition("_")[0])
    if classes:
        return [name for name in entries if name.partition(".")[0] in classes]
    return [name for name in (operation, *(f"{owner}.{operation}" for owner in _NAMESPACES)) if name in entries]
