"""Deep plain copies of JSON values, and their canonical text."""

import json
import math
from types import MappingProxyType
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given
from strategies import is_json, json_objects, json_values
from vectors import json_text
from wire_values import Colour

from toolnexus_mrtr import LocalProtocolError, RemoteProtocolError
from toolnexus_mrtr._json import _copy_by_text, canonical_text, copy_checked, copy_json, is_deeper, to_plain


def test_copy_json_makes_plain_str_of_names():
    copy = copy_json({"x": {Colour.RED: 1, "blue": 2}})
    assert copy == {"x": {"red": 1, "blue": 2}}
    assert [type(name) for name in copy["x"]] == [str, str]


@pytest.mark.parametrize(
    ("value", "at", "code"),
    [
        ({"a": [0, math.nan]}, "/a/1", "wrong_type"),
        ({"a": {5: 1}}, "/a", "wrong_type"),
        ({"a": {"b": [[]]}}, "/a/b/0", "too_large"),
    ],
)
def test_copy_json_charges_a_fault_to_the_side_that_sent_it(value, at, code):
    with pytest.raises(RemoteProtocolError) as remote:
        copy_json(value, depth=3, remote=True)
    assert (remote.value.code, remote.value.at) == (code, at)
    with pytest.raises(LocalProtocolError) as local:
        copy_json(value, "/k", depth=3)
    assert (local.value.code, local.value.at) == ("wrong_value", "/k" + at)


def test_copy_json_with_keep_leaves_values_that_json_cannot_carry():
    odd = object()
    given = {"a": [odd], "b": {5: odd}}
    copy = copy_json(given, keep=True)
    assert copy == given
    assert copy["a"] is not given["a"]
    assert copy["a"][0] is odd
    assert copy["b"] is not given["b"]
    assert copy["b"][5] is odd


@given(value=json_objects)
def test_copy_checked_equals_its_value_and_shares_nothing_that_can_change(value):
    before = json_text(value, ordered=True)
    copied = copy_checked(value)
    assert json_text(copied, ordered=True) == before
    for box in boxes(copied):
        box.clear()
    assert json_text(value, ordered=True) == before


def boxes(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    inner = list(value.values() if isinstance(value, dict) else value)
    return [value, *(box for item in inner for box in boxes(item))]


def test_copy_checked_copies_nesting_that_the_stack_has_no_room_for():
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    copied = copy_checked(deep)
    assert copied is not deep
    levels = 0
    while copied:
        (copied,) = copied
        levels += 1
    assert levels == 50_000


@pytest.mark.parametrize("error", [TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError])
def test_copy_json_copies_what_cannot_be_written_as_text_at_once(error):
    value = {"a": [1, 0.5, None, True, "b"]}
    with mock.patch("msgspec.json.encode", side_effect=error):
        copy = copy_json(value)
    assert copy == value
    assert copy["a"] is not value["a"]


def test_copy_json_looks_closely_at_no_plain_text_no_boolean_and_no_null():
    value = {"a": MappingProxyType({"b": "c", "d": True, "e": None})}
    with mock.patch("toolnexus_mrtr._json.to_plain", side_effect=to_plain) as looked_at:
        assert copy_json(value) == {"a": {"b": "c", "d": True, "e": None}}
    assert [type(call.args[0]) for call in looked_at.call_args_list] == [dict, MappingProxyType]


def test_what_is_wide_and_not_deep_is_copied_by_its_text():
    wide = [[] for _ in range(100)]
    assert _copy_by_text(wide, 2) == wide
    assert _copy_by_text(wide, 1) is msgspec.UNSET


@pytest.mark.parametrize(("value", "levels"), [(5, 0), ({}, 1), ([{}], 2), ({"a": 1, "b": [[5]]}, 3)], ids=repr)
def test_is_deeper_counts_the_outermost_level(value, levels):
    assert is_deeper(value, levels) is False
    assert levels == 0 or is_deeper(value, levels - 1) is True


@pytest.mark.parametrize("value", [None, True, False, 0, -5, 0.5, "a", 10**4300 - 1, 1 - 10**4300], ids=type)
def test_to_plain_gives_back_what_is_plain(value):
    assert to_plain(value) is value or to_plain(value) == value


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 10**4300, -(10**4300), b"a", {5: 1}, "\ud83d\ude00"], ids=type
)
def test_to_plain_gives_nothing_for_what_json_cannot_carry(value):
    assert to_plain(value) is msgspec.UNSET


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": None}, '{"a":null,"b":1}'),
        ({"\uffee": 1, "\U0001f511": 2}, '{"\\uffee":1,"\\ud83d\\udd11":2}'),
        (["\x7f\u00e9\n/\ud83d"], '["\\u007f\\u00e9\\n/\\ud83d"]'),
        ([1, 1.0, -0.0, True], "[1,1,0,true]"),
        ([1e21, 1e300], f"[1{'0' * 21},{int(1e300)}]"),
        ([0.1, -2.5, 1e-6, 1.5e-7, -2.5e-5, 5e-324], "[0.1,-2.5,0.000001,1.5e-7,-0.000025,5e-324]"),
        ("at 10:3.5", '"at 10:3.5"'),
        (2.5, "2.5"),
        (3.0, "3"),
    ],
)
def test_canonical_text_is_one_for_equal_values_in_every_language(value, text):
    assert canonical_text(value) == text
    assert json.loads(text) == value


@given(json_values.filter(is_json))
def test_canonical_text_is_ascii_and_the_same_whatever_the_order_of_members(value):
    text = canonical_text(value)
    assert text.isascii()
    assert canonical_text(json.loads(json.dumps(value, sort_keys=True))) == text
    assert canonical_text(json.loads(text)) == text


def test_canonical_text_near_the_end_of_the_stack_is_an_error_of_ours():
    deep: list[Any] = [0.5]
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(LocalProtocolError) as caught:
        canonical_text(deep)
    assert (caught.value.code, caught.value.__context__) == ("wrong_value", None)
