"""The words by which a field asks for a secret. Touches nothing else of the library."""

from __future__ import annotations

import re
from typing import Final

#: Only so much of a text is looked at.
_READ: Final = 1_000

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

#: Words as `_spaced` writes them. What follows a secret's name may show that it is about the secret, not the secret:
#: how many, how long, which one, where from, since when.
_SECRET: Final = re.compile(
    r"\b(?:"
    r"pass ?(?:word|phrase|code)s?|passwd|pwd|secrets?|credentials?"
    r"|(?:api|access|secret|private|signing|encryption|ssh|license|account|service|storage|auth) ?keys?|apikeys?"
    r"|(?:(?:access|auth|api|bearer|refresh|session|id|oauth|security|personal|bot|user|app|csrf|jwt) )?tokens?"
    r"|(?:security|verification|authentication|authenticator|recovery|backup|one time|2 fa|mfa|otp|sms) codes?"
    r"|otp|totp|pin(?: (?:code|number))?|cvv2?|cvc2?|csc"
    r"|(?:credit|debit|bank|payment) card(?: (?:no|number|details))?|card (?:no|num|number)|pan number"
    r"|ssn|social security(?: (?:no|number))?|(?:seed|recovery|mnemonic) phrase"
    r"|(?:bank )?account number|routing number|iban|passport (?:no|number)|private pem"
    r")\b(?! (?:counts?|limits?|budgets?|lengths?|sizes?|types?|kinds?|usage|names?|ids?|urls?|uris?|endpoints?|paths?"
    r"|files?|expiry|expires|expiration|ttl|age|lifetime|polic(?:y|ies)|hints?|managers?|holders?|brands?|santa|length"
    r"|strength|rotation|provider|prefix|symbol|standard|address|per|used|left|in use))"
)

#: What stands before it may show that too.
_ABOUT: Final = re.compile(
    r"\b(?:max|maximum|min|minimum|num|number of|total|how many|count of|input|output|prompt|completion|new|per|no|not"
    r"|never|without|forgot|forgotten|reset|change|expired|enable|require|requires|top|open|game|board|push|drawing"
    r"|safety|bowling|rolling|geo) $"
)


def asks_for_secret(*texts: str | None) -> bool:
    """Whether a name, a title or a description asks for a secret; a guess by words, in English."""
    return any(_names_secret(text[:_READ]) for text in texts if text)


def _names_secret(text: str) -> bool:
    spaced = " ".join(_WORDS.findall(text)).lower()
    return any(
        not _ABOUT.search(spaced[max(0, found.start() - 32) : found.start()]) for found in _SECRET.finditer(spaced)
    )
