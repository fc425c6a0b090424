"""`Request` and `Answer`, the host contract of toolnexus (its SPEC, section 10). Data only; imports no other room."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct


class Request(Struct, frozen=True, omit_defaults=True):
    """What a host is asked to resolve: one question, one consent, one visit to a url.

    `id` correlates the answer; it is the host's, not the server's key. `kind` is `"input"` (a form; its JSON Schema is
    under `data["schema"]`) or `"authorization"` (a `url` to show in full and to open only with consent); the vocabulary
    is open. `prompt` is the server's message verbatim: pass it through `printable` before a terminal sees it.

    The members keep their wire names, `expiresAt` included, so that a host written for toolnexus can be handed one.
    msgspec encodes it with absent members left out, and decodes it ignoring members that it does not know.
    """

    id: str
    kind: str
    prompt: str
    url: str | None = None
    data: dict[str, Any] | None = None
    expiresAt: str | None = None  # noqa: N815 - the wire name, as in every toolnexus port


class Answer(Struct, frozen=True, omit_defaults=True):
    """What a host answers to a `Request`.

    `ok` is true when the person agreed; `data` is then what was entered. Otherwise `reason` may say why: exactly
    `"declined"` is an explicit no, sent as a decline; any other, `"cancelled"` or `"expired"`, is sent as a cancel.
    Encoded and decoded as `Request` is. Its `repr` never shows `data`.
    """

    id: str
    ok: bool
    data: dict[str, Any] | None = None
    reason: str | None = None

    def __repr__(self) -> str:
        return f"Answer(id={self.id!r}, ok={self.ok!r}, reason={self.reason!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("ok", self.ok), ("reason", self.reason)]


class AnswerLike(Protocol):
    """What serves as an `Answer`: any object with these members, toolnexus' own dataclass among them."""

    ok: bool
    data: Any
    reason: Any


class RequestLike(Protocol):
    """What serves as a `Request` where only its kind matters."""

    kind: str
