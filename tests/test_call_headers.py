"""`Call.headers`: whatever the names, what goes into an HTTP header is plain ASCII and can be read back."""

import base64
import copy
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import json_objects, json_values, text
from wire_values import FORM, Word, asking, paused

from toolnexus_mrtr import Call, LocalProtocolError, request_meta

VERSION = "io.modelcontextprotocol/protocolVersion"

#: Texts that a header cannot carry as they are, or that look as if they had been encoded already.
AWKWARD = [
    " ",
    " a",
    "a ",
    "\ta",
    "a\tb",
    "a\r\nX-Evil: 1",
    "a\0",
    "\x7f",
    "größe",
    "a\u00a0",
    "\u2028",
    "\ud800",
    "a\udfffb",
    "=?base64?YQ==?=",
    "=?base64??=",
    "=?base64?=",
    "=?base64?Z3LDtsOfZQ==?=",
]

names = st.one_of(text, st.sampled_from(AWKWARD), text.map(lambda inner: f"=?base64?{inner}?="))


def decoded(value: str) -> str:
    """Read a header back, as a server does."""
    if value.startswith("=?base64?") and value.endswith("?="):
        inner = value.removeprefix("=?base64?").removesuffix("?=")
        return base64.b64decode(inner, validate=True).decode("utf-8", "surrogatepass")
    return value


def assert_fits_a_header(value: str) -> None:
    assert type(value) is str
    assert re.fullmatch(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?", value)


def try_call(method, params):
    """Make a call, or give `None` where the params hold what JSON cannot carry."""
    try:
        return Call(method, params)
    except LocalProtocolError:
        return None


@pytest.mark.parametrize(
    ("method", "member"), [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")]
)
def test_headers_name_the_revision_the_method_and_the_tool_prompt_or_uri(method, member):
    params = {"name": "no", "uri": "no", member: "file:///a b", "arguments": {"name": "no"}}
    assert list(Call(method, params).headers.items()) == [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
        ("Mcp-Name", "file:///a b"),
    ]


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "server/discover", "x", ""])
def test_headers_have_no_name_where_the_method_has_none(method):
    assert Call(method, {"name": "t", "uri": "u"}).headers == {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }


@pytest.mark.parametrize("method", ["tools/list", "x"])
def test_headers_have_no_name_out_of_a_member_with_an_empty_name(method):
    assert "Mcp-Name" not in Call(method, {"": "e"}).headers


@pytest.mark.parametrize("params", [{}, {"name": None}, {"name": 1}, {"name": ["t"]}, {"uri": "t"}])
def test_headers_have_no_name_where_the_params_have_none_that_is_text(params):
    assert "Mcp-Name" not in Call("tools/call", params).headers


def test_headers_name_an_empty_name():
    assert Call("tools/call", {"name": ""}).headers["Mcp-Name"] == ""


@pytest.mark.parametrize("version", ["2027-01-01", "DRAFT-2026-v1", ""])
def test_headers_give_the_revision_that_meta_says(version):
    assert Call("tools/list", {"_meta": {VERSION: version}}).headers["MCP-Protocol-Version"] == version


@pytest.mark.parametrize("meta", [None, 1, "2027-01-01", [], {}, {VERSION: None}, {VERSION: 2027}, {VERSION: ["x"]}])
def test_headers_give_the_revision_of_this_library_where_meta_says_none(meta):
    assert Call("tools/list", {"_meta": meta}).headers["MCP-Protocol-Version"] == "2026-07-28"


def test_headers_and_request_meta_say_the_same_revision():
    meta = request_meta()
    assert Call("tools/list", {"_meta": meta}).headers["MCP-Protocol-Version"] == meta[VERSION]
    assert Call("tools/list", {}).headers["MCP-Protocol-Version"] == meta[VERSION]


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("größe", "=?base64?Z3LDtsOfZQ==?="),
        ("\U0001f600", "=?base64?8J+YgA==?="),
        ("\x80", "=?base64?woA=?="),
    ],
)
def test_headers_write_a_name_beyond_ascii_in_base64(name, header):
    assert Call("tools/call", {"name": name}).headers["Mcp-Name"] == header


@pytest.mark.parametrize(("name", "octets"), [("\ud800", b"\xed\xa0\x80"), ("a\udfff", b"a\xed\xbf\xbf")])
def test_headers_write_a_lone_surrogate_as_its_three_bytes(name, octets):
    header = Call("tools/call", {"name": name}).headers["Mcp-Name"]
    assert base64.b64decode(header[len("=?base64?") : -len("?=")], validate=True) == octets


@pytest.mark.parametrize("name", AWKWARD)
def test_headers_encode_what_a_header_cannot_carry_and_what_looks_encoded(name):
    params = {"name": name, "_meta": {VERSION: name}}
    headers = Call("tools/call", params).headers
    for header in ("Mcp-Name", "MCP-Protocol-Version"):
        assert headers[header] != name
        assert headers[header].startswith("=?base64?")
        assert decoded(headers[header]) == name
    assert decoded(Call(name, {}).headers["Mcp-Method"]) == name


@pytest.mark.parametrize(
    "name", ["t", "a b", "!~", "=?base64?", "x=?base64?YQ==?=", "=?base64?YQ==?= x", "?=", '"\\,;:']
)
def test_headers_leave_visible_ascii_as_it_is(name):
    assert Call("tools/call", {"name": name}).headers["Mcp-Name"] == name


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E)).filter(lambda name: name[:2] != "=?"))
def test_headers_leave_all_visible_ascii_as_it_is(name):
    assert Call("tools/call", {"name": name}).headers["Mcp-Name"] == name


@given(names, names, names)
@example("\ud800\udc00", "t", "v")
def test_headers_of_any_text_are_ascii_without_controls_and_can_be_read_back(method, name, version):
    for sent, member in (("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri"), (method, "x")):
        call = try_call(sent, {member: name, "_meta": {VERSION: version}})
        if call is None:
            continue
        headers = call.headers
        for header, value in headers.items():
            assert_fits_a_header(header)
            assert_fits_a_header(value)
        expected = {"MCP-Protocol-Version": version, "Mcp-Method": sent}
        if sent != method:
            expected["Mcp-Name"] = name
        if member != "x" or sent not in ("tools/call", "prompts/get", "resources/read"):
            assert {header: decoded(value) for header, value in headers.items()} == expected


@given(names, names)
def test_headers_differ_where_names_differ(one, other):
    calls = [try_call("tools/call", {"name": name}) for name in (one, other)]
    if None not in calls:
        same = calls[0].headers["Mcp-Name"] == calls[1].headers["Mcp-Name"]
        assert same == (one == other)


@given(st.sampled_from(["tools/call", "prompts/get", "resources/read", "tools/list"]), json_objects, json_values)
def test_headers_of_any_params_fit_and_change_nothing(method, params, meta):
    params = {**params, "_meta": {VERSION: meta}}
    before = copy.deepcopy(params)
    call = try_call(method, params)
    if call is None:
        return
    sent = call.params
    for header, value in call.headers.items():
        assert header in {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}
        assert_fits_a_header(value)
    assert (params, call.params) == (before, sent)


def test_headers_are_a_fresh_dict_each_time():
    call = Call("tools/call", {"name": "t"})
    headers = call.headers
    assert type(headers) is dict
    headers.clear()
    assert call.headers is not call.headers
    assert call.headers == {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "t"}
    assert call.params == {"name": "t"}


def test_headers_are_plain_text_where_names_are_of_a_subclass():
    call = Call(Word("tools/call"), {Word("name"): Word("t"), "_meta": {VERSION: Word("v")}})
    assert {type(word) for item in call.headers.items() for word in item} == {str}


def test_headers_of_a_retry_are_those_of_the_first_send():
    call = Call("resources/read", {"uri": "file:///größe", "_meta": {VERSION: "v"}})
    pause = call.receive(asking("s", a=FORM))
    retry = pause.resume({"a": {"action": "accept", "content": {"n": "x"}}})
    assert retry.headers == pause.call.headers == call.headers
    assert Call.from_json(retry.to_json()).headers == call.headers


def test_headers_of_a_retry_follow_the_meta_that_resume_replaced():
    retry = paused(a=FORM).resume({"a": {"action": "decline"}}, meta={VERSION: "2027-01-01"})
    assert retry.headers["MCP-Protocol-Version"] == "2027-01-01"
