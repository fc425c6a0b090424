"""REFERENCE.md: every public name with its signature and its docstring, and the codes of errors.

`--write` makes the page. `--check` ends with status 1 and one sentence for each problem: the page is not what would be
written; a docstring does not name a parameter or an attribute, or not the codes of an error that it says is raised; a
vector ends in a code that no docstring of its operation has. Needs griffe, of the extra `check`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explained import names_raising, problems
from page import page
from sources import raised_codes, read_entries
from vectors import FIXTURES, ROOT, VECTORS

PAGE = ROOT / "REFERENCE.md"

#: The codes that only drivers raise. No vector provokes them, so that `fixtures/codes.json` cannot have them.
OF_DRIVERS = {
    "unsupported_request": {"side": "local", "meaning": "A request for which there is no handler."},
    "timeout": {"side": "local", "meaning": "The time that a driver was given is over."},
}


def provoked_codes() -> dict[str, set[str]]:
    """Give the codes of the errors in which the vectors of each operation end."""
    provoked: dict[str, set[str]] = {}
    for vector in VECTORS:
        outcome = vector.expect["outcome"] if vector.operation == "exchange" and vector.expect is not None else {}
        error = vector.error or outcome.get("error")
        provoked.setdefault(vector.operation, set()).update({error["code"]} if error else ())
    return provoked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write the page")
    action.add_argument(
        "--check", action="store_true", help="say what is not explained, and whether the page is current"
    )
    options = parser.parse_args()
    themes = read_entries()
    entries = {entry.name: entry for theme in themes.values() for entry in theme}
    codes = json.loads((FIXTURES / "codes.json").read_bytes())
    codes["errors"] |= OF_DRIVERS
    made = page(themes, codes, names_raising(entries, codes["errors"]))
    if options.write:
        PAGE.write_text(made, "utf-8")
        return
    found = [f"The code `{code}` has no meaning." for code in sorted(raised_codes() - codes["errors"].keys())]
    found += problems(entries, codes, provoked_codes())
    if not PAGE.exists() or PAGE.read_text("utf-8") != made:
        found.append("REFERENCE.md is not current: python tests/reference/make.py --write.")
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
