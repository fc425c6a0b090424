"""`Call` and `Pause` beyond the vectors: values, copies, Python's own types, misuse, and answers that stay hidden."""

import copy
import json
import math
import pickle
import re
import types
from collections import ChainMap
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import results
from vectors import FIXTURES, VECTORS
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, SCHEMA, SECRET, HostAnswer, Word, asking, form, paused, refused

from toolnexus_mrtr import (
    Answer,
    Call,
    CreateMessageRequest,
    CreateMessageResult,
    Done,
    ElicitResult,
    FieldError,
    InvalidAnswer,
    Limits,
    ListRootsResult,
    LocalProtocolError,
    MrtrError,
    Pause,
    RemoteProtocolError,
    RetryLimitExceeded,
    Root,
    TaskCancelled,
    TaskFailed,
)
from toolnexus_mrtr._answers import ask_again
from toolnexus_mrtr._validation import pause_faults
from toolnexus_mrtr.cli._vectors._operations import play_exchange

ENDINGS = {
    "invalid_answer": InvalidAnswer,
    "retry_limit": RetryLimitExceeded,
    "task_failed": TaskFailed,
    "task_cancelled": TaskCancelled,
}
SIDES = {"remote": RemoteProtocolError, "local": LocalProtocolError}
CODES = json.loads((FIXTURES / "codes.json").read_bytes())["errors"]
ENDED = [vector for vector in VECTORS if vector.operation == "exchange" and "error" in vector.expect["outcome"]]


@pytest.mark.parametrize("vector", ENDED, ids=lambda vector: vector.id)
def test_an_error_that_ends_an_exchange_is_remote_or_local_as_its_code_says(vector):
    with pytest.raises(MrtrError) as caught:
        play_exchange(**copy.deepcopy(vector.input), seen={"sends": [], "asks": [], "delays": []})
    code = caught.value.code
    assert type(caught.value) is ENDINGS.get(code, SIDES[CODES[code]["side"]])
    assert len(str(caught.value)) <= 400
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


# Values


def test_call_pause_and_done_are_frozen():
    pause = paused(a=FORM)
    for value, name in ((pause, "id"), (pause, "new"), (pause.call, "id"), (pause.call, "_record")):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(value, name, "x")
        with pytest.raises(AttributeError, match="frozen"):
            delattr(value, name)
    with pytest.raises(AttributeError):
        Done({}, "complete").result = {}


def test_call_and_pause_compare_by_value():
    pause, again = paused(a=FORM, state="s"), paused(a=FORM, state="s")
    assert pause == again
    assert pause.call == again.call
    assert {pause: 1, pause.call: 2}[again] == 1
    assert pause != paused(a=FORM, state="t")
    assert pause.call != Call("tools/call", {"name": "t"}, id="d")
    assert pause != pause.call
    answer = {"a": Answer("x", True, {"n": "x"})}
    assert pause.resume(answer) == again.resume(answer)
    assert pause.resume(answer) != pause.call


def test_call_pause_and_done_survive_a_pickle_and_a_deep_copy():
    pause = paused(a=FORM)
    for value in (pause, pause.call, pause.resume({"a": {"action": "cancel"}}), Done({"content": []}, "complete")):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value


def test_retry_limit_exceeded_survives_a_pickle_with_its_pause():
    error = refused("retry_limit", "", paused, call=Call("tools/call", {}, max_retries=0), a=FORM)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.at, str(again)) == (error.code, error.at, str(error))
    assert again.pause == error.pause


def test_repr_of_call_pause_and_done_shows_no_params_state_or_answer():
    call = Call("tools/call", {"x": SECRET}, server=SECRET, capabilities={"elicitation": {"x": SECRET}}, id="c")
    pause = paused(call=call, state=SECRET, a=FORM)
    retry = pause.resume({"a": Answer("x", True, {"n": SECRET})})
    done = Done({"content": SECRET}, "complete")
    limit = RetryLimitExceeded(pause)
    for value in (call, pause, retry, done, limit):
        assert SECRET not in repr(value) + str(value)
    assert repr(pause) == f"Pause(id='{pause.id}', method='tools/call', asks=1)"
    assert repr(retry) == "Call(id='c', method='tools/call', retry=1)"
    assert repr(done) == "Done(result_type='complete')"
    assert done.__rich_repr__() == [("result_type", "complete")]


def test_call_makes_an_id_of_its_own():
    ids = {Call("tools/call", {}).id for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch("[0-9a-f]{16}", id) for id in ids)


def test_call_keeps_method_server_and_id_as_plain_str():
    call = Call(Word("tools/call"), {}, server=Word("s"), id=Word("c"), result_types=iter([Word("task")]))
    assert (call.method, call.server, call.id, call.retry) == ("tools/call", "s", "c", 0)
    assert [type(text) for text in (call.method, call.server, call.id)] == [str, str, str]
    assert call.receive({"resultType": Word("task")}) == Done({"resultType": "task"}, "task")


def test_resume_can_be_called_on_one_pause_from_many_threads():
    pause = paused(a=FORM, state="s")
    with ThreadPoolExecutor(8) as pool:
        calls = list(pool.map(lambda n: pause.resume({"a": Answer("x", True, {"n": str(n)})}), range(200)))
    contents = [call.params["inputResponses"]["a"]["content"] for call in calls]
    assert contents == [{"n": str(n)} for n in range(200)]


# Copies


def test_call_receive_and_resume_copy_whatever_they_are_given():
    params, meta = {"name": "t", "arguments": {"k": []}}, {"progressToken": 1, "deep": {}}
    capabilities = {"elicitation": {}}
    call = Call("tools/call", params, capabilities=capabilities, id="c")
    raw = asking("s", a=FORM)
    pause = call.receive(raw)
    answer = {"action": "decline", "_meta": {"deep": {}}}
    retry = pause.resume({"a": answer}, meta=meta)
    before = (call.params, pause.input_requests, retry.params)
    for box in (params["arguments"], meta["deep"], answer["_meta"]["deep"], raw["inputRequests"], capabilities):
        box["changed"] = True
    del capabilities["elicitation"]
    assert (call.params, pause.input_requests, retry.params) == before
    assert re.fullmatch("c-0-[0-9a-f]{16}", call.receive(asking(a=FORM)).id)


def test_pause_and_call_give_out_copies():
    pause = paused(a=FORM, b=LLM, state="s")
    before = pickle.dumps(pause)
    pause.call.params["name"] = "changed"
    pause.input_requests["a"].requested_schema["properties"].clear()
    pause.input_requests["b"].params["messages"].append("changed")
    pause.requests["a"].data["schema"]["required"].clear()
    pause.requests.clear()
    retry = pause.resume({"a": {"action": "accept", "content": {"n": "x"}}, "b": MESSAGE})
    retry.params["inputResponses"]["a"]["content"]["n"] = "changed"
    assert retry.params["inputResponses"]["a"] == {"action": "accept", "content": {"n": "x"}}
    assert pickle.dumps(pause) == before


def test_receive_copies_a_finished_result_whole_whatever_it_holds():
    strange = object()
    raw = types.MappingProxyType({"content": [math.nan, (1, 2), {"x": strange}], 5: 10**5000, "deep": {7: []}})
    result = Call("tools/list", {}).receive(raw).result
    assert math.isnan(result["content"][0])
    assert result["content"][1:] == [[1, 2], {"x": strange}]
    assert result["content"][2]["x"] is strange
    raw = {"structuredContent": {"deep": {"list": [1.0]}}}
    done = Call("tools/list", {}).receive(raw)
    raw["structuredContent"]["deep"]["list"].append(2)
    assert done.result == {"structuredContent": {"deep": {"list": [1.0]}}}


def test_receive_takes_any_mapping_and_any_str():
    wrap = ChainMap
    entry = wrap({"method": "elicitation/create", "params": wrap({"message": "m", "requestedSchema": wrap(SCHEMA)})})
    raw = wrap({"resultType": Word("input_required"), "inputRequests": wrap({Word("a"): entry})})
    pause = Call("tools/call", types.MappingProxyType({"x": (1, 2)}), id="c").receive(raw)
    assert pause == Call("tools/call", {"x": [1, 2]}, id="c").receive(asking(a=FORM))


@pytest.mark.parametrize("value", [math.nan, b"x", 10**4300, {5: 1}], ids=["nan", "bytes", "huge", "key"])
def test_receive_points_at_the_value_of_a_pause_that_json_cannot_carry(value):
    raw = asking("s", a=FORM)
    raw["inputRequests"]["a"]["params"]["requestedSchema"]["x-y"] = [value]
    refused("wrong_type", "/inputRequests/a/params/requestedSchema/x-y/0", Call("tools/call", {}).receive, raw)


@pytest.mark.parametrize("value", [math.nan, b"x", 10**4300, {5: 1}], ids=["nan", "bytes", "huge", "key"])
def test_call_and_resume_point_at_the_value_that_json_cannot_carry(value):
    refused("wrong_value", "/params/arguments/x", Call, "tools/call", {"arguments": {"x": value}})
    refused("wrong_value", "/capabilities/x", Call, "tools/call", {}, capabilities={"x": value})
    refused("wrong_value", "/_meta/x", paused().resume, meta={"x": value})


def test_call_refuses_params_nested_too_deeply():
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"x": deep}
    error = refused("wrong_value", "/params" + "/x" * 64, Call, "tools/call", deep)
    assert len(str(error)) <= 400


def test_receive_refuses_a_pause_nested_too_deeply():
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"x": deep}
    refused("too_large", "/_meta" + "/x" * 63, Call("tools/call", {}).receive, {**asking("s"), "_meta": deep})


def test_receive_gives_a_finished_result_whole_however_deep():
    result: dict[str, Any] = {"end": True}
    for _ in range(10_000):
        result = {"x": result}
    done = Call("tools/call", {}).receive(result)
    given = done.result
    for _ in range(10_000):
        given = given["x"]
    assert given == {"end": True}


def test_receive_refuses_a_finished_result_that_contains_itself():
    endless: dict[str, Any] = {}
    endless["x"] = endless
    with pytest.raises(RemoteProtocolError) as caught:
        Call("tools/call", {}).receive(endless)
    assert caught.value.code == "too_large"


# Misuse


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", None),
        ("method", b"tools/call"),
        ("params", None),
        ("params", []),
        ("params", b"{}"),
        ("server", 5),
        ("capabilities", []),
        ("capabilities", True),
        ("max_retries", None),
        ("max_retries", "10"),
        ("max_retries", True),
        ("max_retries", 1.0),
        ("result_types", "task"),
        ("result_types", b"task"),
        ("result_types", None),
        ("limits", None),
        ("limits", {}),
        ("id", 5),
    ],
)
def test_call_names_the_argument_of_a_wrong_type(name, value):
    with pytest.raises(TypeError, match=f"^{name} must be"):
        Call(**{"method": "tools/call", "params": {}, name: value})


def test_call_takes_only_str_among_its_result_types():
    with pytest.raises(TypeError, match="^each of result_types must be"):
        Call("tools/call", {}, result_types=["task", 5])


def test_call_refuses_a_negative_max_retries():
    refused("wrong_value", "/max_retries", Call, "tools/call", {}, max_retries=-1)


@pytest.mark.parametrize("name", ["input_requests", "key", "message", "request_state", "depth"])
def test_limits_take_only_whole_numbers_from_zero(name):
    for value in (None, 1.0, "1", True):
        with pytest.raises(TypeError, match=f"^{name} must be"):
            Limits(**{name: value})
    refused("wrong_value", f"/limits/{name}", Limits, **{name: -1})


def test_limits_depth_goes_no_deeper_than_to_json_can_store():
    refused("wrong_value", "/limits/depth", Limits, depth=0)
    refused("wrong_value", "/limits/depth", Limits, depth=257)
    limits = Limits(depth=256)
    raw: dict[str, Any] = {}
    for _ in range(252):
        raw = {"x": raw}
    call = Call("tools/call", raw, limits=limits)
    pause = call.receive({**asking("s"), "_meta": {"x": raw}})
    assert Pause.from_json(pause.to_json()) == pause
    assert Pause.from_json(pause.to_json()).resume(meta=raw).params["_meta"] == raw


@pytest.mark.parametrize("raw", [None, [], "x", b"{}"], ids=repr)
def test_receive_takes_only_a_mapping(raw):
    with pytest.raises(TypeError, match="^raw must be a mapping"):
        Call("tools/call", {}).receive(raw)


def test_pause_cannot_be_made_by_hand():
    with pytest.raises(TypeError, match="^a Pause is made by"):
        Pause()


@pytest.mark.parametrize("answers", [None, 5, "x", b"x", Answer("elc-c-0-1", False)], ids=repr)
def test_resume_takes_only_a_mapping_or_an_iterable_of_answers(answers):
    with pytest.raises(TypeError, match="^answers must be a mapping"):
        paused(a=FORM).resume(answers)


@pytest.mark.parametrize(
    "answer", [None, "yes", True, [], ElicitResult(action="cancel"), {"action": "cancel"}], ids=repr
)
def test_resume_without_keys_takes_only_answers(answer):
    with pytest.raises(TypeError, match="^each of answers must be an Answer"):
        paused(a=FORM).resume([answer])


@pytest.mark.parametrize("answer", [None, "yes", True, [], Root(uri="file:///")], ids=repr)
@pytest.mark.parametrize("entry", [FORM, LLM, {"method": "x"}], ids=["form", "llm", "unknown"])
def test_resume_by_key_takes_only_answers_results_and_mappings(entry, answer):
    with pytest.raises(TypeError, match="^each of answers must be"):
        paused(a=entry).resume({"a": answer})


def test_resume_takes_only_str_as_keys():
    with pytest.raises(TypeError, match="^a key of answers must be a str"):
        paused(a=FORM).resume({5: Answer("x", False)})


@pytest.mark.parametrize("meta", [[], "x", 5], ids=repr)
def test_resume_takes_only_a_mapping_as_meta(meta):
    with pytest.raises(TypeError, match="^meta must be a mapping"):
        paused().resume(meta=meta)


def test_resume_takes_only_a_mapping_as_capabilities_in_meta():
    name = "io.modelcontextprotocol/clientCapabilities"
    refused("wrong_value", "/_meta/io.modelcontextprotocol~1clientCapabilities", paused().resume, meta={name: []})
    assert paused().resume(meta={name: None}).params["_meta"] == {name: None}


# Answers


@pytest.mark.parametrize("make", [Answer, HostAnswer], ids=["ours", "toolnexus"])
def test_resume_takes_our_answers_and_those_of_toolnexus(make):
    pause = paused(a=FORM, b=LINK, c=FORM)
    ids = [request.id for request in pause.requests.values()]
    said = [(True, {"n": "x"}), (True, {"t": SECRET}), (False,)]
    answers = [make(id, *members) for id, members in zip(ids, said, strict=True)]
    expected = {"a": {"action": "accept", "content": {"n": "x"}}, "b": {"action": "accept"}, "c": {"action": "cancel"}}
    assert pause.resume(iter(answers)).params["inputResponses"] == expected
    assert pause.resume(dict(zip("abc", answers, strict=True))).params["inputResponses"] == expected


def test_resume_takes_typed_results():
    pause = paused(a=FORM, b=LINK, c=LLM, d=ROOTS)
    answers = {
        "a": ElicitResult(action="accept", content={"n": Word("x")}),
        "b": ElicitResult(action="accept", content={"t": SECRET}),
        "c": CreateMessageResult(**MESSAGE, stop_reason="endTurn"),
        "d": ListRootsResult(roots=[Root(uri="file:///w", name="w"), {"uri": "file:///x", "_meta": {}}]),
    }
    assert pause.resume(answers).params["inputResponses"] == {
        "a": {"action": "accept", "content": {"n": "x"}},
        "b": {"action": "accept"},
        "c": {**MESSAGE, "stopReason": "endTurn"},
        "d": {"roots": [{"uri": "file:///w", "name": "w"}, {"uri": "file:///x", "_meta": {}}]},
    }


def test_resume_sends_answers_in_the_servers_order():
    retry = paused(z=FORM, a=FORM).resume({"a": {"action": "cancel"}, "z": {"action": "decline"}})
    assert list(retry.params["inputResponses"]) == ["z", "a"]


@pytest.mark.parametrize(
    ("entry", "answer"),
    [
        (FORM, CreateMessageResult(**MESSAGE)),
        (FORM, ListRootsResult(roots=[])),
        (FORM, MESSAGE),
        (LLM, ElicitResult(action="accept")),
        (LLM, {"action": "accept"}),
        (LLM, Answer("x", True)),
        (ROOTS, {"id": "x", "ok": True}),
        ({"method": "x"}, Answer("x", True)),
        ({"method": "x"}, ElicitResult(action="cancel")),
    ],
)
def test_resume_refuses_an_answer_of_another_kind(entry, answer):
    refused("answer_kind_mismatch", "/a~1b", paused(**{"a/b": entry}).resume, {"a/b": answer})


@pytest.mark.parametrize(
    ("entry", "answer", "at"),
    [
        (FORM, {}, "/a/action"),
        (FORM, {"n": "x"}, "/a/action"),
        (FORM, {"action": ["accept"]}, "/a/action"),
        (FORM, {"action": "accept", "content": ["x"]}, "/a/content"),
        (FORM, {"action": "accept", "content": {5: "x"}}, "/a/content"),
        (FORM, ElicitResult(action="accept", content="x"), "/a/content"),
        (FORM, {"action": "decline", "_meta": {"x": b""}}, "/a/_meta/x"),
        (FORM, {"action": "accept", "content": {"n": "x"}, 5: 1}, "/a"),
        (FORM, Answer("x", True, "x"), "/a/data"),
        (FORM, Answer("x", "yes"), "/a/ok"),
        (LLM, {}, "/a/role"),
        (LLM, {**MESSAGE, "content": [], "model": None}, "/a/content"),
        (LLM, {**MESSAGE, "model": None}, "/a/model"),
        (LLM, {**MESSAGE, "stopReason": None}, "/a/stopReason"),
        (LLM, {**MESSAGE, "_meta": math.nan}, "/a/_meta"),
        (ROOTS, {}, "/a/roots"),
        (ROOTS, {"roots": [{"uri": "file:///w", "name": None}]}, "/a/roots/0/name"),
        (ROOTS, {"roots": [5]}, "/a/roots/0"),
        (ROOTS, {"roots": [{"uri": "file:///w", "x": b""}]}, "/a/roots/0/x"),
        ({"method": "x"}, {"x": b""}, "/a/x"),
    ],
)
def test_resume_points_at_the_part_of_an_answer_that_cannot_be_sent(entry, answer, at):
    pause = paused(a=entry)
    error = refused("wrong_value", at, pause.resume, {"a": answer})
    assert isinstance(error, LocalProtocolError)


def test_resume_leaves_the_pause_as_it_was_when_it_refuses_an_answer():
    pause = paused(a=FORM, b=FORM, state="s")
    before = pickle.dumps(pause)
    error = refused("invalid_answer", "/a/n", pause.resume, {"a": Answer("x", True), "b": Answer("x", True, {"n": 5})})
    assert [(field.at, field.code) for field in error.errors] == [("/a/n", "required"), ("/b/n", "wrong_type")]
    assert pickle.dumps(pause) == before
    assert pause.resume({"a": Answer("x", True, {"n": "x"}), "b": Answer("x", False)}).params["inputResponses"] == {
        "a": {"action": "accept", "content": {"n": "x"}},
        "b": {"action": "cancel"},
    }


@pytest.mark.parametrize("id", [None, 5, "", "elc-c-0-1.", "elc-c-0-1.x", "elc-c-0-11", "elc-c-0-1.2.2"], ids=repr)
def test_resume_without_keys_matches_ids_exactly(id):
    refused("answer_id_mismatch", "/0/id", paused(a=FORM).resume, [Answer(id, False)])


@pytest.mark.parametrize("id", [None, 5, "", "a", "toolnexus-1", "elc-c-0-1", "elc-mabc-1234567890123456"], ids=repr)
def test_resume_by_key_ignores_ids_that_belong_to_no_other_request(id):
    assert paused(a=FORM).resume({"a": {"ok": False, "id": id}}).retry == 1
    assert paused(a=FORM).resume({"a": HostAnswer(id, ok=False)}).retry == 1


def test_resume_sends_a_raw_result_without_the_members_of_an_envelope():
    envelope = {"jsonrpc": "2.0", "id": 7, "method": "x", "resultType": "complete"}
    for entry, answer in (
        (FORM, {"action": "decline", "_meta": {"k": 1}}),
        (LLM, {**MESSAGE, "_meta": {}}),
        (ROOTS, {"roots": [], "_meta": {}}),
    ):
        assert paused(a=entry).resume({"a": answer | envelope}).params["inputResponses"] == {"a": answer}


def test_resume_refuses_a_raw_result_with_the_id_of_another_request():
    answer = {"action": "decline", "id": "elc-other-0-0123456789abcdef"}
    refused("answer_id_mismatch", "/a/id", paused(a=FORM).resume, {"a": answer})


@pytest.mark.parametrize(
    "answer",
    [{"ok": True, "data": {"access_token": "t"}}, {"action": "accept", "content": {"pin": "1234"}}, {"roots": []}],
)
@pytest.mark.parametrize("entry", [{"method": "x/y"}, LLM, ROOTS], ids=["unknown", "sampling", "roots"])
def test_resume_refuses_the_answer_to_an_elicitation_for_any_other_method(entry, answer):
    call = Call("tools/call", {"name": "t"})
    asked, other = call.receive(asking(a=FORM)), call.receive(asking(a=entry))
    refused("answer_id_mismatch", "/a/id", other.resume, {"a": answer | {"id": asked.requests["a"].id}})


def test_resume_never_sends_an_answer_to_a_method_that_it_does_not_know():
    for answer in ({"ok": True, "data": {"access_token": "t"}}, {"ok": False, "action": "accept"}):
        refused("answer_kind_mismatch", "/a", paused(a={"method": "x/y"}).resume, {"a": answer})
    assert paused(a={"method": "x/y"}).resume({"a": {"id": 7}}).params["inputResponses"] == {"a": {"id": 7}}


def test_resume_refuses_a_mapping_with_both_ok_and_action():
    link = {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "https://a.example/"}}
    both_at_once = {"ok": True, "data": {"access_token": "t"}, "action": "accept"}
    refused("wrong_value", "/a/action", paused(a=link).resume, {"a": both_at_once})


def test_resume_refuses_an_answer_to_sampling_whatever_its_id_is():
    refused("answer_kind_mismatch", "/a", paused(a=LLM).resume, {"a": Answer("elc-c-0-1", True)})


def test_resume_refuses_the_answer_to_another_call_with_the_same_key():
    calls = [Call("tools/call", {"name": name}) for name in ("x", "y")]
    one, other = (call.receive(asking(call.params["name"], confirm=FORM)) for call in calls)
    assert one.requests["confirm"].id != other.requests["confirm"].id
    answer = Answer(one.requests["confirm"].id, True, {"n": "x"})
    refused("answer_id_mismatch", "/confirm/id", other.resume, {"confirm": answer})
    refused("answer_id_mismatch", "/0/id", other.resume, [answer])
    retry = one.resume([answer])
    assert (retry.params["name"], retry.params["requestState"]) == ("x", "x")


def test_resume_refuses_the_answer_to_what_the_same_call_was_asked_before():
    call = Call("tools/call", {"name": "t"}, id="c")
    draft, bucket = (call.receive(asking(confirm=form(message=text))) for text in ("The draft?", "The bucket?"))
    assert draft.id != bucket.id
    yes = Answer(draft.requests["confirm"].id, True, {"n": "x"})
    refused("answer_id_mismatch", "/confirm/id", bucket.resume, {"confirm": yes})
    refused("answer_id_mismatch", "/0/id", bucket.resume, [yes])
    assert draft.resume([yes]).retry == 1


def test_resume_refuses_the_answer_to_a_call_of_another_server_that_has_the_same_id():
    one, other = (Call("tools/call", {}, server=name, id="c").receive(asking(a=FORM)) for name in ("s", "t"))
    refused("answer_id_mismatch", "/a/id", other.resume, {"a": Answer(one.requests["a"].id, False)})


def test_pause_ids_do_not_depend_on_the_order_of_members():
    raw = asking("s", b=FORM, a=LINK)
    turned = json.loads(json.dumps(raw, sort_keys=True))
    assert list(turned["inputRequests"]) != list(raw["inputRequests"])
    one, other = (Call("tools/call", {"name": "t", "arguments": {}}, id="c").receive(each) for each in (raw, turned))
    assert one.id == other.id
    assert {key: request.id for key, request in one.requests.items()} == {
        key: request.id for key, request in other.requests.items()
    }


class Response:
    """What an HTTP library gives for a response."""

    ok = True
    reason = "OK"


@pytest.mark.parametrize(
    "answer", [Response(), type("X", (), {"ok": True})(), Response], ids=["response", "ok", "class"]
)
def test_resume_takes_no_object_with_an_ok_of_its_own_for_an_answer(answer):
    with pytest.raises(TypeError, match="must be an Answer"):
        paused(a=LINK).resume({"a": answer})


def test_resume_takes_nothing_that_merely_equals_an_action():
    refused("wrong_value", "/a/action", paused(a=LINK).resume, {"a": {"action": mock.ANY}})
    refused("wrong_value", "/a/action", paused(a=LINK).resume, {"a": ElicitResult(action=mock.ANY)})


@pytest.mark.parametrize("params", [{"x": "\ud83d\ude00"}, {"x": ["a\ud83d\ude00"]}, {"\ud83d\ude00": 1}], ids=ascii)
def test_call_refuses_the_two_halves_of_a_surrogate_pair_side_by_side(params):
    place = "/params" if "x" not in params else "/params/x/0" if isinstance(params["x"], list) else "/params/x"
    refused("wrong_value", place, Call, "tools/call", params)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"id": "\ud83d\ude00"}, "/id"),
        ({"server": "a\ud83d\ude00"}, "/server"),
        ({"method": "tools/\ud83d\ude00"}, "/method"),
        ({"result_types": ["task", "\ud83d\ude00"]}, "/result_types/1"),
    ],
    ids=ascii,
)
def test_call_refuses_a_name_with_a_split_surrogate_pair(arguments, place):
    refused("wrong_value", place, Call, **{"method": "tools/call", "params": {}} | arguments)


@pytest.mark.parametrize("kind", [Call, Pause], ids=lambda kind: kind.__name__)
def test_from_json_refuses_a_server_with_a_split_surrogate_pair(kind):
    call = Call("tools/call", {}, server="\U0001f600")
    stored = call if kind is Call else call.receive(asking("s"))
    refused("wrong_value", "/server", kind.from_json, stored.to_json(), server="\ud83d\ude00")


def test_call_keeps_lone_surrogates_in_its_id_server_and_method():
    call = Call("tools/\ud83d", {}, id="\ude00\ud83d", server="\ude00")
    assert Call.from_json(call.to_json(), server="\ude00") == call


@pytest.mark.parametrize(
    "make",
    [
        lambda content: ElicitResult(action="accept", content=content),
        lambda content: {"action": "accept", "content": content},
        lambda content: Answer("x", ok=True, data=content),
    ],
    ids=["result", "map", "Answer"],
)
@pytest.mark.parametrize(
    ("content", "at"), [({"\ud83d\ude00": "a"}, "/a/\ud83d\ude00"), ({"b": ["\ud83d\ude00"]}, "/a/b")], ids=ascii
)
def test_resume_refuses_content_with_a_split_surrogate_pair(make, content, at):
    entry = {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": {"type": "object"}}}
    with pytest.raises(InvalidAnswer) as caught:
        paused(a=entry).resume({"a": make(content)})
    assert [(error.at, error.code) for error in caught.value.errors] == [(at, "not_sendable")]


@pytest.mark.parametrize("member", ["requestState", "_meta"])
def test_receive_refuses_the_two_halves_of_a_surrogate_pair_side_by_side(member):
    refused("wrong_type", f"/{member}", Call("tools/call", {}).receive, asking("s") | {member: "\ud83d\ude00"})


def test_receive_refuses_keys_that_a_store_would_make_one():
    raw = asking(**{"\ud83d\ude00": FORM, "\U0001f600": FORM})
    refused("wrong_type", "/inputRequests", Call("tools/call", {}).receive, raw)


def test_receive_keeps_halves_of_a_surrogate_pair_that_stand_alone_or_in_the_wrong_order():
    raw = asking("\ude00\ud83d a\ud83d", **{"\udc00": FORM})
    pause = Call("tools/call", {"x": "\ude00\ud83d"}).receive(raw)
    assert Pause.from_json(pause.to_json()) == pause
    assert pause.raw == raw


def test_pause_raw_is_a_copy_of_the_whole_result():
    raw = asking("s", a=FORM) | {"_meta": {"k": [1]}}
    pause = Call("tools/call", {}).receive(raw)
    assert pause.raw == raw
    pause.raw["_meta"]["k"].append(2)
    assert pause.raw == raw


def test_ask_again_shows_what_was_entered_and_its_errors_and_resume_takes_its_id():
    pause = paused(**{"a/b": FORM, "a": LINK})
    errors = [FieldError("/a~1b/n", "required", "required")]
    again = ask_again(pause.requests["a/b"], "a/b", Answer("h", True, {"n": 7}), errors, 2)
    ids = {key: request.id for key, request in pause.requests.items()}
    assert (again.id, again.kind, again.prompt) == (ids["a/b"] + ".2", "input", "m")
    listed = [{"at": "/n", "code": "required", "message": "required"}]
    assert again.data == {"schema": SCHEMA, "content": {"n": 7}, "errors": listed}
    assert ask_again(pause.requests["a"], "a", {"action": "accept"}, [], 3).data == {"content": {}, "errors": []}
    assert pause.resume([Answer(again.id, True, {"n": "x"}), Answer(ids["a"] + ".3", False)]).retry == 1


# Checks of `receive`, and limits


def test_call_restart_gives_the_call_as_it_was_first_sent_under_an_id_of_its_own():
    call = Call("tools/call", {"name": "t", "_meta": {"k": 1}}, server="s", max_retries=1, result_types=["x"], id="c")
    retry = call.receive(asking("s", a=FORM)).resume({"a": Answer("x", False)}, meta={"k": 2})
    again = retry.restart()
    assert (again.params, again.retry, again.server) == ({"name": "t", "_meta": {"k": 2}}, 0, "s")
    assert len({"c", again.id, retry.restart().id}) == 3
    assert again.receive({"resultType": "x"}).result_type == "x"
    pause = again.receive(asking(a=FORM))
    assert pause.delay == 0
    refused("answer_id_mismatch", "/a/id", pause.resume, {"a": Answer("elc-c-0-0123456789abcdef", False)})
    refused("retry_limit", "", pause.resume({"a": Answer("x", False)}).receive, asking(a=FORM))


@pytest.mark.parametrize(("name", "place"), [("max_retries", "/max_retries"), ("max_polls", "/max_polls")])
def test_call_refuses_a_bound_that_is_no_whole_number(name, place):
    for wrong in (-1, 2**53 + 1):
        refused("wrong_value", place, Call, "tools/call", {}, **{name: wrong})
    for wrong in (1.0, True, "1"):
        with pytest.raises(TypeError, match=name):
            Call("tools/call", {}, **{name: wrong})


def test_resume_refuses_a_max_retries_that_is_no_whole_number():
    refused("wrong_value", "/max_retries", paused(a=FORM).resume, {"a": Answer("x", False)}, max_retries=-1)
    with pytest.raises(TypeError, match="max_retries"):
        paused(a=FORM).resume({"a": Answer("x", False)}, max_retries=True)


def test_the_pause_in_retry_limit_exceeded_can_still_be_resumed():
    call = Call("tools/call", {"name": "t"}, max_retries=1, id="c")
    retry = call.receive(asking(a=FORM)).resume({"a": Answer("x", True, {"n": "x"})})
    error = refused("retry_limit", "", retry.receive, asking("s", a=FORM))
    assert error.pause.call.params["inputResponses"] == {"a": {"action": "accept", "content": {"n": "x"}}}
    further = Pause.from_json(error.pause.to_json()).resume({"a": Answer("x", False)})
    assert further.params["requestState"] == "s"
    assert further.receive({"content": []}) == Done({"content": []}, "complete")
    refused("retry_limit", "", further.receive, asking(a=FORM))


def test_pause_delay_stays_at_five_seconds_after_2000_retries():
    call = Call("tools/call", {}, max_polls=10**6)
    for _ in range(2000):
        call = call.receive(asking("s")).resume()
    assert call.receive(asking("s")).delay == 5.0


@pytest.mark.parametrize("declared", [{"elicitation": True}, {"elicitation": {"x": 1}}, {"elicitation": {"url": None}}])
def test_receive_reads_an_elicitation_capability_without_modes_as_forms_alone(declared):
    call = Call("tools/call", {}, capabilities=declared)
    assert call.receive(asking(a=FORM)).requests.keys() == {"a"}
    refused("undeclared_capability", "/inputRequests/a/params/mode", call.receive, asking(a=LINK))


def test_receive_lets_sampling_without_tools_in_where_sampling_is_declared():
    call = Call("tools/call", {}, capabilities={"sampling": True})
    assert isinstance(call.receive(asking(a=LLM)).input_requests["a"], CreateMessageRequest)
    tools = {**LLM, "params": {**LLM["params"], "tools": None, "toolChoice": None}}
    assert call.receive(asking(a=tools)).delay == 0


def test_receive_checks_no_capabilities_where_meta_is_null():
    assert Call("tools/call", {"_meta": None}).receive(asking(a=FORM)).delay == 0


def test_receive_names_a_broken_entry_before_a_limit():
    call = Call("tools/call", {}, limits=Limits(key=0, message=0, request_state=0))
    refused("wrong_type", "/inputRequests/a", call.receive, asking("s", a=5))
    refused("too_large", "/inputRequests/a", call.receive, asking("s", a=FORM))


def test_pause_faults_lists_every_fault_in_document_order():
    raw = {
        "inputRequests": {
            "a": {"method": "elicitation/create", "params": {"mode": "url", "message": "long", "url": "file:///x"}},
            "bb": {"method": "sampling/createMessage", "params": None},
            "c": {"method": "sampling/createMessage", "params": {**LLM["params"], "tools": [], "toolChoice": {}}},
            "d": ROOTS,
            "e": FORM,
            "f": 5,
        },
        "requestState": "long",
    }
    declared = {"elicitation": {"url": None}, "sampling": {}}
    limits = Limits(input_requests=5, key=1, message=3, request_state=3)
    faults = pause_faults(raw, method="tools/list", capabilities=declared, limits=limits)
    assert [(fault.code, fault.at) for fault in faults] == [
        ("method_not_supported", "/resultType"),
        ("too_large", "/inputRequests"),
        ("undeclared_capability", "/inputRequests/a/params/mode"),
        ("unsafe_url", "/inputRequests/a/params/url"),
        ("too_large", "/inputRequests/a/params/message"),
        ("wrong_type", "/inputRequests/bb/params"),
        ("too_large", "/inputRequests/bb"),
        ("undeclared_capability", "/inputRequests/c/params/tools"),
        ("undeclared_capability", "/inputRequests/c/params/toolChoice"),
        ("undeclared_capability", "/inputRequests/d"),
        ("wrong_type", "/inputRequests/f"),
        ("too_large", "/requestState"),
    ]
    nothing = pause_faults({"inputRequests": None}, method=None, capabilities=None, limits=limits)
    assert [(fault.code, fault.at, fault.severity) for fault in nothing] == [("nothing_requested", "", "error")]
    undeclared = pause_faults({"inputRequests": {"e": FORM}}, method=None, capabilities={}, limits=limits)
    assert [(fault.code, fault.at) for fault in undeclared] == [("undeclared_capability", "/inputRequests/e")]


@given(raw=results, declared=st.none() | st.just({}) | st.just({"elicitation": {}, "roots": {}}))
@settings(max_examples=300)
def test_receive_gives_a_value_or_an_error_and_changes_nothing(raw, declared):
    before = json.dumps(raw)
    call = Call("tools/call", {}, capabilities=declared, id="c")
    try:
        outcome = call.receive(raw)
    except MrtrError as error:
        assert len(str(error)) <= 400
        assert (error.__cause__, error.__context__) == (None, None)
    else:
        assert isinstance(outcome, Done | Pause)
        assert isinstance(outcome, Done) or outcome == call.receive(raw)
    assert json.dumps(raw) == before


def test_receive_cuts_long_words_in_its_errors():
    error = refused("unknown_result_type", "/resultType", Call("x", {}).receive, {"resultType": "x" * 10**6})
    assert len(str(error)) <= 200
    error = refused("method_not_supported", "/resultType", Call("x" * 10**6, {}).receive, asking("s"))
    assert len(str(error)) <= 200
