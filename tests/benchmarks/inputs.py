"""What is read and written: paused results and answers as servers and hosts really send them, in any number."""

from __future__ import annotations

import json
from typing import Any

FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Where should the parcel go?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "description": "As on the door", "maxLength": 40},
                "floor": {"type": "integer", "minimum": 0, "maximum": 150, "default": 1},
                "size": {
                    "type": "string",
                    "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
                    "default": "s",
                },
            },
            "required": ["name"],
        },
    },
}
#: The mode is absent here, as the specification allows: the form of many a server.
SHORT_FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "Send it today?",
        "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
    },
}
URL = {
    "method": "elicitation/create",
    "params": {
        "mode": "url",
        "message": "Allow access to your calendar.",
        "elicitationId": "550e8400-e29b-41d4-a716-446655440000",
        "url": "https://auth.example.com/authorize?client=parcels&state=7f3a9c",
    },
}
SAMPLING = {
    "method": "sampling/createMessage",
    "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Name the nearest depot."}}],
        "systemPrompt": "Answer in one word.",
        "temperature": 0.1,
        "maxTokens": 50,
    },
}
ROOTS = {"method": "roots/list"}

#: Ten entries as a busy server mixes them; a single one is a form.
MIX = (FORM, URL, SHORT_FORM, SAMPLING, FORM, ROOTS, URL, FORM, SHORT_FORM, FORM)

CONTENT: dict[str, Any] = {
    "name": "Ada Lovelace",
    "mail": "ada@example.com",
    "site": "https://example.com/ada",
    "day": "2026-07-28",
    "at": "2026-07-28T09:30:00Z",
    "note": "Bitte zweimal klingeln, man hört es kaum.",
    "floor": 3,
    "weight": 0.5,
    "insured": True,
    "gift": False,
    "size": "l",
    "tags": ["fragile", "cold"],
    "days": ["mon", "tue", "fri"],
}


def paused(entries: int) -> dict[str, Any]:
    """A paused result that asks for so many things, fresh from the parser."""
    raw = {
        "resultType": "input_required",
        "inputRequests": {f"ask-{place}": MIX[place % len(MIX)] for place in range(entries)},
        "requestState": "v1.eyJzdGVwIjoyLCJwYXJjZWwiOiI3ZjNhIn0.c2lnbmF0dXJl",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "parcels", "version": "1.0.0"}},
    }
    return json.loads(json.dumps(raw))


def paused_for_forms(entries: int) -> dict[str, Any]:
    """A paused result that asks for so many forms."""
    return {"resultType": "input_required", "inputRequests": {f"ask-{place}": FORM for place in range(entries)}}


def contents(entries: int) -> dict[str, dict[str, Any]]:
    """What people entered into so many forms: text, numbers, booleans and lists."""
    return {f"ask-{place}": json.loads(json.dumps(CONTENT)) for place in range(entries)}
