"""Generated tables in documents: each is between two marks of its own."""


def marks(name: str) -> tuple[str, str]:
    """Give the marks before and after a table."""
    return f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"


def with_table(document: str, name: str, made: str) -> str:
    """Put the table between its marks, or into a new section at the end."""
    begin, end = marks(name)
    before, began, rest = document.partition(begin)
    _, ended, after = rest.partition(end)
    if not (began and ended):
        return f"{document}\n## {name.capitalize()}\n\n{begin}{made}{end}"
    return before + begin + made + end + after
