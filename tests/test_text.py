"""`printable`: nothing that a terminal obeys or hides is left in a text, and nothing else is changed."""

import pytest
from counting import calls
from hypothesis import given
from hypothesis import strategies as st

from toolnexus_mrtr import printable

#: What Unicode has as default ignorable, reserved code points included, but U+FE00 to U+FE0F.
IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
]
SELECTORS = range(0xFE00, 0xFE10)
OTHERS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000), 0xFFF9, 0xFFFA, 0xFFFB]
HIDDEN = {*IGNORABLE, *SELECTORS, *OTHERS}


def escape(code):
    return ascii(chr(code))[1:-1]


def test_printable_makes_visible_what_is_hidden_or_obeyed_and_nothing_else():
    for code in range(0x110000):
        expected = escape(code) if code in HIDDEN else chr(code)
        assert printable(chr(code)) == expected
        assert printable(f"a{chr(code)}b") == f"a{expected}b"


@pytest.mark.parametrize("code", SELECTORS)
@pytest.mark.parametrize(
    "base",
    [*"#*09\xa9\xae\u203c\u2049\u2122\u2194\u2764\u3030\u3299\u4e00\ufa10\u1000\ua871\uff01\U0001f3f4\U00020000"],
)
def test_printable_keeps_one_variation_selector_behind_a_character_that_can_take_it(base, code):
    kept = f"{base}{chr(code)}"
    assert printable(kept) == kept
    assert printable(f"a{kept}b") == f"a{kept}b"


@pytest.mark.parametrize("base", [*"aZ -._/:@\xe9\u0430\u05d0\u0e01\u202f\u2800\u3000\U0001d400", ""])
def test_printable_makes_a_variation_selector_visible_behind_what_can_take_none(base):
    assert printable(base + "\ufe0f") == base + "\\ufe0f"


@pytest.mark.parametrize("second", ["\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef", "\u180b", "\u180f"])
def test_printable_makes_a_run_of_variation_selectors_visible(second):
    assert printable(f"\u2764\ufe0f{second}x") == f"\u2764\\ufe0f{escape(ord(second))}x"
    assert printable(f"\u2764{second}\ufe0fx") == f"\u2764{escape(ord(second))}\\ufe0fx"


@given(st.text(st.one_of(st.characters(), st.sampled_from("\ufe0f\ufe00\u2764#a\u200d\U000e0100\ud83d\udc69\\"))))
def test_printable_twice_changes_nothing_more_and_leaves_nothing_hidden(text):
    once = printable(text)
    assert printable(once) == once
    assert not {ord(character) for character in once} & (HIDDEN - set(SELECTORS))


@pytest.mark.parametrize("part", ["\ufe0f", "\u2764\ufe0f", "\u2764\ufe0f\ufe0f", "#", "\U000e0041", "\u200d"])
def test_printable_takes_linear_time(part):
    assert calls(printable, part * 20_000) <= 12 * max(calls(printable, part * 2_000), 100)


def test_printable_takes_only_a_str():
    with pytest.raises(TypeError, match="^text must be a str, not bytes$"):
        printable(b"x")
