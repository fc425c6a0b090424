"""The entries of the public names, as griffe reads them from the sources; nothing of the package is imported."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from explained import OF_MANY_CODES
from page import WIDTH, Entry, signature
from vectors import ROOT

if TYPE_CHECKING:
    import griffe

PACKAGE = ROOT / "toolnexus_mrtr"

#: The constructor of this class takes what only the package can make; callers have `Form.of`.
_NOT_CONSTRUCTED = ("Form",)


def read_entries() -> dict[str, list[Entry]]:
    """Read the public names and their members, by the themes of `__all__`."""
    themes = _read_themes()
    reader = _Reader({name for names in themes.values() for name in names})
    entries = {theme: [entry for name in names for entry in reader.entries_of(name)] for theme, names in themes.items()}
    # Protocols that signatures name are no public names, but a reader has to know what they are.
    shapes = [replace(reader.class_entry(shape), parameters=()) for shape in reader.shapes.values()]
    return {**entries, "Other types in signatures": shapes}


def raised_codes() -> set[str]:
    """Find the codes that the package raises errors with."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (*OF_MANY_CODES, "super().__init__"):
                found |= {ast.literal_eval(code) for code in node.args[:1] if isinstance(code, ast.Constant)}
    return found


def _read_themes() -> dict[str, list[str]]:
    """Read `__all__`: a comment is the theme of the names below it."""
    themes: dict[str, list[str]] = {}
    listed = (PACKAGE / "__init__.py").read_text("utf-8").partition("__all__ = (\n")[2].partition("\n)")[0]
    for line in listed.splitlines():
        text = line.strip()
        if text.startswith("# "):
            names = themes.setdefault(text[2].upper() + text[3:], [])
        else:
            names.append(text.strip('",'))
    return themes


class _Reader:
    """Makes entries of what griffe found, and notes the private protocols that signatures name."""

    def __init__(self, public: set[str]) -> None:
        # Only this needs griffe: the extra `check` has it.
        import griffe  # noqa: PLC0415

        self.package = griffe.load("toolnexus_mrtr", search_paths=[str(ROOT)])
        self.public = public
        self.shapes: dict[str, griffe.Class] = {}
        #: The aliases of which the signature in hand has the names, and what they stand for.
        self.aliases: dict[str, str] = {}

    def entries_of(self, name: str) -> Iterator[Entry]:
        """Give the entry of a public name, and those of its members."""
        found = self.package[name].final_target
        if found.is_function:
            yield self.function_entry(found, name)
        elif found.is_attribute:
            yield Entry(name, f"{name} = {self.text_of(found.value)}", _comment_above(found))
        else:
            yield self.class_entry(found)
            for member in found.members.values():
                if member.name.startswith("_"):
                    continue
                if member.is_function:
                    yield self.function_entry(member, f"{name}.{member.name}")
                elif "property" in member.labels:
                    written = f"{name}.{member.name}: {self.text_of(member.annotation)}"
                    yield Entry(f"{name}.{member.name}", written, _docstring(member))

    def function_entry(self, found: griffe.Function, name: str) -> Entry:
        head = f"async {name}" if "async" in found.labels else name
        written = [
            signature(head, self.parameters_of(each), f" -> {self.text_of(each.returns)}")
            for each in found.overloads or [found]
        ]
        return Entry(name, self.with_aliases("\n\n".join(written)), _docstring(found), _names(found))

    def class_entry(self, found: griffe.Class) -> Entry:
        """Write a class by its constructor, or where callers have none, by its bases and attributes."""
        lineage = [*reversed(found.mro()), found]
        if any(str(base) == "Struct" for each in lineage for base in each.bases):
            names, parameters = self.struct_fields(lineage)
            written = self.with_aliases(signature(found.name, parameters))
            return Entry(found.name, written, _docstring(found), names)
        fields: list[Any] = [member for member in found.members.values() if _is_field(member)]
        init: Any = found.members.get("__init__")
        if init is not None and not fields and _names(init) and found.name not in _NOT_CONSTRUCTED:
            return Entry(found.name, signature(found.name, self.parameters_of(init)), _docstring(found), _names(init))
        bases = [str(base) for base in found.bases if str(base) in self.public or hasattr(builtins, str(base))]
        lines = [f"class {found.name}" + (f"({', '.join(bases)})" if bases else "") + (":" if fields else "")]
        lines += [f"    {field.name}: {self.text_of(field.annotation)}" for field in fields]
        return Entry(found.name, "\n".join(lines), _docstring(found), tuple(field.name for field in fields))

    def struct_fields(self, lineage: list[griffe.Class]) -> tuple[tuple[str, ...], list[str]]:
        """Give the names and the parameters of the constructor that msgspec makes."""
        positional: dict[str, str] = {}
        by_keyword: dict[str, str] = {}
        for each in lineage:
            parameters = by_keyword if each.keywords.get("kw_only") == "True" else positional
            fields: list[Any] = [member for member in each.members.values() if _is_field(member)]
            for field in fields:
                parameters[field.name] = self.parameter(field.name, field.annotation, field.value)
        star = ["*"] if by_keyword else []
        return (*positional, *by_keyword), [*positional.values(), *star, *by_keyword.values()]

    def parameters_of(self, found: griffe.Function) -> list[str]:
        """Write the parameters of a function, a star before those that are given by keyword alone."""
        written: list[str] = []
        for parameter in found.parameters:
            is_by_keyword = parameter.kind is not None and parameter.kind.value == "keyword-only"
            if is_by_keyword and "*" not in written:
                written.append("*")
            if parameter.name != "self":
                written.append(self.parameter(parameter.name, parameter.annotation, parameter.default))
        return written

    def parameter(self, name: str, annotation: Any, default: Any) -> str:
        """Write a parameter: private aliases in full, or where that takes more than a line, by their names."""
        end = "" if default is None else f" = {self.text_of(default)}"
        written = f"{name}: {self.text_of(annotation)}{end}"
        return written if len(written) + 5 <= WIDTH else f"{name}: {self.text_of(annotation, in_full=False)}{end}"

    def with_aliases(self, written: str) -> str:
        """Append what the aliases stand for that a signature has by their names."""
        lines = [written, *(f"{name} = {text}" for name, text in self.aliases.items())]
        self.aliases.clear()
        return "\n".join(lines)

    def text_of(self, expression: Any, *, in_full: bool = True) -> str:
        if expression is None or isinstance(expression, str):
            return str(expression).replace("'", '"')
        leaves = expression.iterate()
        return "".join(
            self.text_of(leaf) if isinstance(leaf, str) else self.text_of_name(leaf, in_full=in_full) for leaf in leaves
        )

    def text_of_name(self, name: griffe.ExprName, *, in_full: bool) -> str:
        path = name.canonical_path
        if path.startswith("toolnexus_mrtr._") and name.name not in self.public:
            found = self.package.modules_collection[path]
            if found.is_attribute and in_full:
                return self.text_of(found.value)
            if found.is_attribute:
                short = name.name.lstrip("_")
                self.aliases[short] = self.text_of(found.value)
                return short
            if found.is_class:
                self.shapes[name.name] = found
        return name.name


def _is_field(member: Any) -> bool:
    is_attribute = member.is_attribute and "property" not in member.labels
    return is_attribute and not member.name.startswith("_") and member.annotation is not None


def _names(function: Any) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in function.parameters if parameter.name != "self")


def _docstring(found: Any) -> str:
    return found.docstring.value if found.docstring else ""


def _comment_above(found: Any) -> str:
    """Give the comment `#:` above a name that can have no docstring."""
    lines = found.filepath.read_text("utf-8").splitlines()[: found.lineno - 1]
    comment: list[str] = []
    while lines and lines[-1].startswith("#: "):
        comment.insert(0, lines.pop().removeprefix("#: "))
    return "\n".join(comment)
