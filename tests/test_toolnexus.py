"""The two mappings between wire and host, beyond the vectors: types of arguments, kinds of answers, fresh ids."""

import dataclasses
import multiprocessing
import re
import types
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from wire_values import FORM_REQUEST, LINK_REQUEST, HostAnswer

from toolnexus_mrtr import (
    Answer,
    CreateMessageRequest,
    ElicitRequest,
    ElicitResult,
    ListRootsRequest,
    LocalProtocolError,
    RemoteProtocolError,
    Request,
    UnknownRequest,
    answer_to_elicit_result,
    elicitation_to_request,
)


@dataclasses.dataclass
class HostRequest:
    id: str
    kind: str
    prompt: str


def test_elicitation_to_request_maps_a_typed_form_and_a_typed_link():
    assert elicitation_to_request(FORM_REQUEST, id="1") == Request(
        "1", "input", "m", data={"schema": {"type": "object"}}
    )
    assert elicitation_to_request(LINK_REQUEST, id="1") == Request("1", "authorization", "m", url="https://a.example/x")


def test_elicitation_to_request_hands_over_the_servers_own_schema_object():
    assert elicitation_to_request(FORM_REQUEST).data["schema"] is FORM_REQUEST.requested_schema


def test_elicitation_to_request_takes_only_a_str_as_id():
    with pytest.raises(TypeError, match="^id must be a str, not int"):
        elicitation_to_request(FORM_REQUEST, id=5)


@pytest.mark.parametrize("params", [None, [], "m", 5], ids=repr)
def test_elicitation_to_request_takes_only_an_elicit_request_or_a_mapping(params):
    with pytest.raises(TypeError, match="^params must be an ElicitRequest or a mapping"):
        elicitation_to_request(params)


@pytest.mark.parametrize(
    "request_",
    [
        ElicitRequest(),
        CreateMessageRequest(params={"messages": [], "maxTokens": 1}),
        ListRootsRequest(),
        UnknownRequest(method="x"),
    ],
)
def test_elicitation_to_request_refuses_the_typed_request_of_another_method(request_):
    with pytest.raises(LocalProtocolError) as caught:
        elicitation_to_request(request_)
    assert (caught.value.code, caught.value.at) == ("not_an_elicitation", "")


def test_elicitation_to_request_refuses_an_unsafe_url_in_a_hand_made_request():
    with pytest.raises(RemoteProtocolError) as caught:
        elicitation_to_request(ElicitRequest(message="m", mode="url", url="javascript:alert(1)"))
    assert caught.value.code == "unsafe_url"


def test_elicitation_to_request_takes_any_mapping():
    entry = types.MappingProxyType({"method": "elicitation/create", "params": types.MappingProxyType({"message": "m"})})
    assert elicitation_to_request(entry, id="1") == Request("1", "input", "m")


def test_elicitation_to_request_makes_ids_that_never_repeat():
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: elicitation_to_request(FORM_REQUEST).id, range(4000)))
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"elc-[0-9a-z]+-[0-9]+", id) for id in ids)


def _sequence_numbers(_):
    return int(elicitation_to_request(FORM_REQUEST).id.rpartition("-")[2])


def test_elicitation_to_request_numbers_ids_anew_after_a_fork():
    here = _sequence_numbers(None)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        there = pool.apply(_sequence_numbers, (None,))
    assert abs(there - here) > 1000


@pytest.mark.parametrize("answer", [Answer, HostAnswer], ids=["ours", "toolnexus"])
def test_answer_to_elicit_result_maps_our_answers_and_those_of_toolnexus(answer):
    assert answer_to_elicit_result(answer("1", True, {"n": "x"})) == ElicitResult(action="accept", content={"n": "x"})
    assert answer_to_elicit_result(answer("1", True)) == ElicitResult(action="accept", content={})
    assert answer_to_elicit_result(answer("1", False, None, "declined")) == ElicitResult(action="decline")
    assert answer_to_elicit_result(answer("1", False)) == ElicitResult(action="cancel")


@pytest.mark.parametrize(
    ("request_", "content"),
    [
        (LINK_REQUEST, None),
        (Request("1", "authorization", "m"), None),
        (HostRequest("1", "authorization", "m"), None),
        ({"kind": "authorization"}, None),
        (FORM_REQUEST, {"access_token": "t"}),
        (Request("1", "input", "m"), {"access_token": "t"}),
        (HostRequest("1", "input", "m"), {"access_token": "t"}),
        ({"kind": "input"}, {"access_token": "t"}),
    ],
    ids=[f"{kind}-{make}" for kind in ("link", "form") for make in ("wire", "ours", "toolnexus", "map")],
)
def test_answer_to_elicit_result_gives_the_data_for_a_form_and_nothing_for_a_link(request_, content):
    answer = Answer("1", True, {"access_token": "t"})
    assert answer_to_elicit_result(answer, request_) == ElicitResult(action="accept", content=content)


@pytest.mark.parametrize("request_", ["elc-1", {"method": "elicitation/create"}, CreateMessageRequest(params={})])
def test_answer_to_elicit_result_refuses_a_request_of_unknown_kind_lest_a_token_leak(request_):
    with pytest.raises(TypeError, match="^request must be a Request or an ElicitRequest"):
        answer_to_elicit_result(Answer("1", True, {"access_token": "t"}), request_)


@pytest.mark.parametrize("answer", [None, True, "yes", []], ids=repr)
def test_answer_to_elicit_result_takes_only_an_answer(answer):
    with pytest.raises(TypeError, match="^answer must be an Answer"):
        answer_to_elicit_result(answer)


def test_answer_to_elicit_result_copies_the_hosts_data():
    data = {"n": "x"}
    assert answer_to_elicit_result(Answer("1", True, data)).content is not data


def test_request_and_answer_encode_without_absent_members_and_decode_with_unknown_ones():
    request = Request("1", "authorization", "m", url="https://a.example/", expiresAt="2026-12-01T00:00:00Z")
    encoded = (
        b'{"id":"1","kind":"authorization","prompt":"m","url":"https://a.example/","expiresAt":"2026-12-01T00:00:00Z"}'
    )
    assert msgspec.json.encode(request) == encoded
    assert msgspec.json.decode(encoded[:-1] + b',"x-new":1}', type=Request) == request
    assert msgspec.to_builtins(Request("1", "input", "")) == {"id": "1", "kind": "input", "prompt": ""}
    answer = Answer("1", False, reason="declined")
    assert msgspec.json.encode(answer) == b'{"id":"1","ok":false,"reason":"declined"}'
    assert msgspec.json.decode(b'{"id":"1","ok":false,"reason":"declined","x":{}}', type=Answer) == answer


def test_repr_of_answer_shows_no_data():
    answer = Answer("1", True, {"access_token": "SECRET"})
    assert repr(answer) == "Answer(id='1', ok=True, reason=None)"
    assert answer.__rich_repr__() == [("id", "1"), ("ok", True), ("reason", None)]


@pytest.mark.parametrize(
    ("params", "at"),
    [
        ({"method": "elicitation/create", "params": {"message": "\ud83d\ude00"}}, "/params/message"),
        ({"message": "\ud83d\ude00", "requestedSchema": {}}, "/message"),
        (ElicitRequest(message="\ud83d\ude00", requested_schema={}), "/message"),
    ],
    ids=["entry", "params", "typed"],
)  # fmt: skip
def test_elicitation_to_request_refuses_a_message_with_a_split_surrogate_pair(params, at):
    with pytest.raises(RemoteProtocolError) as caught:
        elicitation_to_request(params)
    assert (caught.value.code, caught.value.at) == ("wrong_type", at)
