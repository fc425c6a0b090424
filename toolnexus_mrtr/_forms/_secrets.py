"""The words by which a field asks for a secret. Touches nothing else of the library."""

from __future__ import annotations

import re
from typing import Final

#: Only so much of a text is looked at.
_READ: Final = 1_000

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

#: In the words of a text, lower case, one space between. What follows a secret's name may show that it is about the
#: secret, not the secret: how many, how long, which one, where from, since when.
_SECRET: Final = re.compile(
    r"\b(?:"
    r"pass ?(?:word|phrase|code)s?|passwd|pwd|secrets?|credentials?"
    r"|(?:api|access|secret|private|signing|encryption|ssh|license|account|service|storage|auth|master|deploy) ?keys?"
    r"|apikeys?|tokens?|jwt"
    r"|(?:security|verification|auth|authentication|authorization|authenticator|recovery|backup|one time|2 fa|mfa|otp"
    r"|sms|login|access) codes?|code (?:from your authenticator|(?:we|that was|was) (?:texted|sent|emailed))"
    r"|otp|totp|pin(?: (?:code|number))?+(?! (?:locations?|positions?|colou?r|icon|this|it|to|on|at))|cvv2?|cvc2?"
    r"|(?:credit|debit|bank|payment) card(?: (?:no|number|details))?+|card (?:no|num|number)|pan number"
    r"|ssn|social security(?: (?:no|number))?+|(?:seed|recovery|mnemonic) phrase|security answer|mother s maiden name"
    r"|bank account|account number|routing number|iban|passport (?:no|number)|private pem"
    r")\b(?! (?:counts?|limits?|budgets?|lengths?|sizes?|types?|kinds?|usage|names?|ids?|urls?|uris?|endpoints?|paths?"
    r"|files?|expiry|expires|expiration|ttl|age|lifetime|polic(?:y|ies)|hints?|managers?|holders?|brands?|santa"
    r"|strength|rotation|providers?|prefix|symbol|standard|address|protected|per|used|left|in use))"
)

#: What stands before it may show that too.
_ABOUT: Final = re.compile(
    r"\b(?:no|without|has|have|requires?|forgot|forgotten|(?:never|not|t) (?:ask for|enter|include|paste|put|send|share"
    r"|store|type|use)(?: (?:a|an|any|in|the|your))*) $"
)

#: Before a word of several meanings: tokens of text are counted, pins are put somewhere.
_ABOUT_OTHERS: Final = re.compile(
    r"\b(?:max|maximum|min|minimum|num|number of|total|how many|count of|input|output|prompt|completion|context|new|per"
    r"|stop|special|sequence|padding|cached|map|push|drawing|safety|bowling|rolling|board) $"
)


def asks_for_secret(*texts: str | None) -> bool:
    """Whether a name, a title or a description asks for a secret; a guess by words, in English."""
    return any(_names_secret(text[:_READ]) for text in texts if text)


def _names_secret(text: str) -> bool:
    spaced = " ".join(_WORDS.findall(text)).lower()
    for found in _SECRET.finditer(spaced):
        before = spaced[max(0, found.start() - 40) : found.start()]
        several = found[0].startswith(("token", "pin"))
        if not _ABOUT.search(before) and not (several and _ABOUT_OTHERS.search(before)):
            return True
    return False
