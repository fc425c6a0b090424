"""Guesses by English words whether a field asks for a secret.

The tables hold phrases, one a line or with ` | ` between them, as regular expressions over the words of a text: lower
case, with one blank between two words. `api_key`, `apiKey` and `API key` are all `api key`.
"""

from __future__ import annotations

import re
from typing import Final

#: How many characters of a text are read.
_MAX_READ: Final = 1_000

#: How many characters before a phrase are read, to see whether it is only spoken of.
_MAX_BEFORE: Final = 40

#: A sentence ends at punctuation before a blank or the end of the text, and at each line break.
_split: Final = re.compile(r"[.!?;:]+(?:\s|$)|\n").split

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _any_of(*tables: str) -> str:
    """Join the phrases of tables into one group of alternatives."""
    phrases = [phrase.strip() for table in tables for phrase in table.replace(" | ", "\n").strip().splitlines()]
    return f"(?:{'|'.join(phrases)})"


_KEY_OF: Final = """
    api | access | secret | private | signing | encryption | ssh | license | account | service | storage | auth
    master | deploy
"""

_CODE_OF: Final = """
    security | verification | auth | authentication | authorization | authenticator | recovery | backup
    one time | 2 fa | mfa | otp | sms | login | access
"""

_PASSWORDS: Final = """
    pass ?(?:word|phrase|code)s?
    passwd
    pwd
    secrets?
    credentials?
"""

_KEYS: Final = f"""
    {_any_of(_KEY_OF)} ?keys?
    apikeys?
    tokens?
    jwt
"""

_CODES: Final = f"""
    {_any_of(_CODE_OF)} codes?
    code (?:from your authenticator|(?:we|that was|was) (?:texted|sent|emailed))
    otp
    totp
    pin(?: (?:code|number))?+(?! (?:locations?|positions?|colou?r|icon|this|it|to|on|at))
    cvv2?
    cvc2?
"""

_MONEY: Final = """
    (?:credit|debit|bank|payment) card(?: (?:no|number|details))?+
    card (?:no|num|number)
    pan number
    bank account
    account number
    routing number
    iban
"""

_IDENTITY: Final = """
    ssn
    social security(?: (?:no|number))?+
    (?:seed|recovery|mnemonic) phrase
    security answer
    mother s maiden name
    passport (?:no|number)
    private pem
"""

#: The next word that shows that a phrase is about a secret, not the secret: how many, how long, which one, since when.
_ABOUT_AFTER: Final = """
    counts? | limits? | budgets? | lengths? | sizes? | types? | kinds? | usage | names? | ids? | urls? | uris?
    endpoints? | paths? | files? | expiry | expires | expiration | ttl | age | lifetime | polic(?:y|ies)
    hints? | managers? | holders? | brands? | santa | strength | rotation | providers? | prefix | symbol
    standard | address | protected | per | used | left | in use
"""

#: The words before that show it: the secret is there, needed or forgotten.
_ABOUT_BEFORE: Final = """
    has | have | requires? | forgot | forgotten
"""

#: The words that deny what follows them in their sentence, unless a word that asks stands between.
_DENIALS: Final = """
    no(?! (?:one|longer|matter|more|problem))
    without
    (?:never|not|t) (?:add|ask for|enter|give|include|paste|provide|put|send|share|store|submit|type|use|write)
"""

#: The words that end a denial: what follows is asked for again.
_REQUESTS: Final = """
    enter | type | paste | provide | give | but | add | choose | fill | input | insert | only | put | send | set
    specify | submit | supply | tell | then | write
"""

#: The words before `token` and `pin` that show another meaning: tokens of text are counted, pins are put somewhere.
_OTHER_MEANING_BEFORE: Final = """
    max | maximum | min | minimum | num | number of | total | how many | count of | input | output | prompt
    completion | context | new | per | stop | special | sequence | padding | cached | map | push | drawing
    safety | bowling | rolling | board
"""

_WORD_GROUPS: Final = re.compile(
    rf"\b(?:(?P<denial>{_any_of(_DENIALS)})"
    rf"|(?P<secret>{_any_of(_PASSWORDS, _KEYS, _CODES, _MONEY, _IDENTITY)}\b(?! {_any_of(_ABOUT_AFTER)}))"
    rf"|(?P<request>{_any_of(_REQUESTS)}))\b"
)
_ABOUT: Final = re.compile(rf"\b{_any_of(_ABOUT_BEFORE)} $")
_OTHER_MEANING: Final = re.compile(rf"\b{_any_of(_OTHER_MEANING_BEFORE)} $")


def asks_for_secret(*texts: str | None) -> bool:
    """Whether one of these texts asks for a secret: a name, a title, a description, a message."""
    return any(_names_secret(sentence) for text in texts if text for sentence in _split(text[:_MAX_READ]))


def _names_secret(sentence: str) -> bool:
    words = " ".join(_WORDS.findall(sentence)).lower()
    is_denied = False
    for found in _WORD_GROUPS.finditer(words):
        if found["secret"] is None:
            is_denied = found["denial"] is not None
            continue
        before = words[max(0, found.start() - _MAX_BEFORE) : found.start()]
        is_ambiguous = found[0].startswith(("token", "pin"))
        if not is_denied and not _ABOUT.search(before) and not (is_ambiguous and _OTHER_MEANING.search(before)):
            return True
    return False
