"""`request_meta` and the `extensions` of `Handlers`: what is declared is what was given, copied and checked."""

import copy
import itertools
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import is_json, json_objects
from vectors import json_text
from wire_values import FORM, LINK, LLM, ROOTS, UNKNOWN, Word, asking, refused

from toolnexus_mrtr import Call, Done, Handlers, LocalProtocolError, Pause, request_meta

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"

EXTENSIONS = {"com.example/a": {"levels": [1, {"deep": None}]}, "io.modelcontextprotocol/tasks": {}}

#: Every way to declare what `Handlers` can declare.
FLAGS = ["form", "url", "sampling", "sampling_tools", "roots"]
DECLARATIONS = [dict(zip(FLAGS, values, strict=True)) for values in itertools.product([False, True], repeat=len(FLAGS))]

#: What JSON cannot carry, with the place inside an extension.
UNSENDABLE = [
    ({"com.example/a": float("nan")}, "/com.example~1a"),
    ({"a": {"b~": [0, float("inf")]}}, "/a/b~0/1"),
    ({"a": {"b": b"x"}}, "/a/b"),
    ({"a": {1: 2}}, "/a"),
    ({1: {}}, ""),
    ({"a": "\ud800\udc00"}, "/a"),
    ({"a": 10**5000}, "/a"),
]


def handlers_for(*, form, url, sampling, sampling_tools, roots, extensions=None):
    """Make the handlers that declare the same."""
    return Handlers(
        print if form or url else None,
        print if sampling or sampling_tools else None,
        list if roots else None,
        modes=[mode for mode, given in (("form", form), ("url", url)) if given] or ("form", "url"),
        sampling_tools=sampling_tools,
        extensions=extensions,
    )


@pytest.mark.parametrize("extensions", [None, {}, EXTENSIONS])
@pytest.mark.parametrize("client", [None, {}, {"name": "cli", "version": "1"}])
def test_request_meta_is_what_handlers_meta_gives_for_the_same_declaration(extensions, client):
    for flags in DECLARATIONS:
        made = request_meta(**flags, extensions=extensions, client_info=client)
        same = handlers_for(**flags, extensions=extensions).meta(client)
        assert json_text(made, ordered=True) == json_text(same, ordered=True)


@pytest.mark.parametrize(
    ("given", "declared"),
    [
        ({}, {}),
        ({"form": True}, {"elicitation": {"form": {}}}),
        ({"url": True}, {"elicitation": {"url": {}}}),
        ({"form": True, "url": True}, {"elicitation": {"form": {}, "url": {}}}),
        ({"sampling": True}, {"sampling": {}}),
        ({"sampling_tools": True}, {"sampling": {"tools": {}}}),
        ({"sampling": False, "sampling_tools": True}, {"sampling": {"tools": {}}}),
        ({"sampling": True, "sampling_tools": True}, {"sampling": {"tools": {}}}),
        ({"roots": True}, {"roots": {}}),
        ({"extensions": {}}, {"extensions": {}}),
        ({"extensions": EXTENSIONS}, {"extensions": EXTENSIONS}),
    ],
)
def test_request_meta_declares_what_is_true_and_nothing_else(given, declared):
    assert json_text(request_meta(**given)) == json_text({VERSION: "2026-07-28", CAPABILITIES: declared})


def test_request_meta_names_the_client_where_it_is_given():
    client = types.MappingProxyType({"name": "cli", "version": Word("1")})
    meta = request_meta(client_info=client)
    assert list(meta) == [VERSION, CAPABILITIES, CLIENT]
    assert meta[CLIENT] == {"name": "cli", "version": "1"}
    assert (type(meta[CLIENT]), type(meta[CLIENT]["version"])) == (dict, str)
    assert CLIENT not in request_meta()


def test_request_meta_takes_no_argument_by_position():
    with pytest.raises(TypeError, match="positional"):
        request_meta(True)


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("extensions", "client_info") for value in ("x", b"x", 1, True, [], [("a", 1)])],
)
def test_request_meta_refuses_arguments_of_a_wrong_type_and_names_them(name, value):
    with pytest.raises(TypeError, match=f"^{name} must be a mapping"):
        request_meta(**{name: value})


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in FLAGS for value in ("no", 1, None, [])])
def test_request_meta_refuses_a_flag_that_is_no_bool(name, value):
    with pytest.raises(TypeError, match=name):
        request_meta(**{name: value})


@pytest.mark.parametrize(("value", "at"), UNSENDABLE)
def test_request_meta_refuses_what_json_cannot_carry_and_says_where(value, at):
    refused("wrong_value", f"/extensions{at}", request_meta, extensions=value)
    refused("wrong_value", f"/client_info{at}", request_meta, client_info=value)
    refused("wrong_value", f"/client_info{at}", Handlers().meta, value)


@pytest.mark.parametrize(("value", "at"), UNSENDABLE)
def test_handlers_refuse_extensions_that_json_cannot_carry_and_say_where(value, at):
    error = refused("wrong_value", f"/extensions{at}", Handlers, extensions=value)
    assert type(error) is LocalProtocolError


def test_request_meta_refuses_extensions_that_contain_themselves():
    endless = {}
    endless["a"] = endless
    with pytest.raises(LocalProtocolError) as caught:
        request_meta(extensions=endless)
    assert caught.value.code == "wrong_value"
    assert caught.value.at.startswith("/extensions/a/a")


def test_request_meta_copies_what_it_is_given():
    extensions, client = copy.deepcopy(EXTENSIONS), {"name": "cli", "icons": [{"src": "x"}]}
    meta = request_meta(form=True, extensions=extensions, client_info=client)
    before = copy.deepcopy(meta)
    extensions["com.example/a"]["levels"][1]["deep"] = 1
    extensions["com.example/b"] = {}
    client["icons"][0].clear()
    client["name"] = "other"
    assert meta == before


def test_request_meta_gives_a_fresh_value_each_time():
    meta = request_meta(form=True, sampling_tools=True, roots=True)
    meta[CAPABILITIES]["elicitation"]["form"]["x"] = 1
    meta[CAPABILITIES]["sampling"]["tools"]["x"] = 1
    meta[CAPABILITIES]["roots"]["x"] = 1
    assert request_meta(form=True, sampling_tools=True, roots=True) == {
        VERSION: "2026-07-28",
        CAPABILITIES: {"elicitation": {"form": {}}, "sampling": {"tools": {}}, "roots": {}},
    }


@given(st.sampled_from(DECLARATIONS), json_objects.filter(is_json), json_objects.filter(is_json))
def test_request_meta_holds_any_extensions_and_client_whole_or_refuses_them(flags, extensions, client):
    before = copy.deepcopy((extensions, client))
    try:
        meta = request_meta(**flags, extensions=extensions, client_info=client)
    except LocalProtocolError as error:
        assert error.code == "wrong_value"
        assert error.at.split("/")[1] in {"extensions", "client_info"}
        with pytest.raises(LocalProtocolError) as caught:
            handlers_for(**flags, extensions=extensions).meta(client)
        assert (caught.value.code, caught.value.at) == ("wrong_value", error.at)
        return
    assert json_text(meta[CAPABILITIES]["extensions"], ordered=True) == json_text(extensions, ordered=True)
    assert json_text(meta[CLIENT], ordered=True) == json_text(client, ordered=True)
    assert json_text(meta) == json_text(handlers_for(**flags, extensions=extensions).meta(client))
    assert json_text(before) == json_text((extensions, client))
    # It can be sent: a call takes it and gives it back.
    assert json_text(Call("tools/call", {"_meta": meta}).params["_meta"]) == json_text(meta)


@pytest.mark.parametrize(
    ("flag", "entry"), [("form", FORM), ("url", LINK), ("sampling", LLM), ("sampling_tools", LLM), ("roots", ROOTS)]
)
def test_request_meta_lets_a_server_ask_for_what_it_declares_and_for_nothing_else(flag, entry):
    declaring = Call("tools/call", {"name": "t", "_meta": request_meta(**{flag: True})})
    assert type(declaring.receive(asking(a=entry))) is Pause
    others = {name: name != flag and {name, flag} != {"sampling", "sampling_tools"} for name in FLAGS}
    refusing = Call("tools/call", {"name": "t", "_meta": request_meta(**others, extensions=EXTENSIONS)})
    with pytest.raises(Exception, match="declared") as caught:
        refusing.receive(asking(a=entry))
    assert caught.value.code == "undeclared_capability"


def test_handlers_declare_extensions_in_capabilities_and_meta():
    handlers = Handlers(print, extensions=EXTENSIONS)
    declared = {"elicitation": {"form": {}, "url": {}}, "extensions": EXTENSIONS}
    assert handlers.capabilities() == handlers.meta()[CAPABILITIES] == declared
    assert Handlers(extensions={}).capabilities() == {"extensions": {}}
    assert Handlers(extensions=None).capabilities() == {}


def test_handlers_copy_extensions_in_and_out():
    extensions = copy.deepcopy(EXTENSIONS)
    handlers = Handlers(extensions=types.MappingProxyType(extensions))
    extensions["com.example/a"]["levels"].clear()
    handlers.capabilities()["extensions"]["com.example/a"]["levels"].clear()
    handlers.meta()[CAPABILITIES]["extensions"].clear()
    assert handlers.capabilities() == {"extensions": EXTENSIONS}
    assert type(handlers.capabilities()["extensions"]) is dict


@pytest.mark.parametrize("extensions", ["x", b"x", 1, True, [], [("a", {})], {"a"}])
def test_handlers_refuse_extensions_of_a_wrong_type(extensions):
    with pytest.raises(TypeError, match="^extensions must be a mapping"):
        Handlers(extensions=extensions)


def test_handlers_with_other_extensions_are_not_equal():
    assert Handlers(extensions=EXTENSIONS) == Handlers(extensions=copy.deepcopy(EXTENSIONS))
    assert Handlers(extensions=EXTENSIONS) != Handlers(extensions={})
    assert Handlers(extensions={}) != Handlers()


@pytest.mark.parametrize("extensions", [None, {}, {"com.example/approve": {}}, {"com.example/approve": None}])
def test_call_receive_is_gated_by_nothing_about_extensions(extensions):
    handlers = Handlers(print, extensions=extensions)
    done = {"resultType": "complete", "content": [], "_meta": {"com.example/approve": {}}}
    for declaring in (
        Call("tools/call", {"name": "t"}, capabilities=handlers.capabilities()),
        Call("tools/call", {"name": "t", "_meta": handlers.meta()}),
    ):
        assert list(declaring.receive(asking(a=FORM, b=UNKNOWN)).input_requests) == ["a", "b"]
        assert declaring.receive(done) == Done(done, "complete")
