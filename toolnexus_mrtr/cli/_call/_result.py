"""Prints the final result of a call: the texts of a tool for people on a terminal, anything else as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolnexus_mrtr.cli._terminal import is_terminal
from toolnexus_mrtr.cli._text import quote_lines


def show_result(result: dict[str, Any]) -> Iterator[str]:
    """Show a result; whole, as JSON, where standard output is no terminal or where it holds more than texts."""
    content = result.get("content")
    texts = [_find_text(block) for block in content] if isinstance(content, list) else []
    if is_terminal() and texts and None not in texts and "structuredContent" not in result:
        for text in texts:
            yield from quote_lines(text or "", "")
    else:
        yield json.dumps(result, indent=2)


def is_error(result: dict[str, Any]) -> bool:
    """Whether a tool says that it failed (schema.ts, CallToolResult)."""
    return result.get("isError") is True


def _find_text(block: Any) -> str | None:
    is_text = isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    return block["text"] if is_text else None
