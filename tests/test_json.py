"""Deep plain copies of JSON: the errors of `copy_json` name the place and the side at fault."""

import math
from typing import Any

import pytest
from hypothesis import given
from strategies import json_objects
from vectors import json_text
from wire_values import Colour

from toolnexus_mrtr import LocalProtocolError, RemoteProtocolError
from toolnexus_mrtr._json import copy_checked, copy_json


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
