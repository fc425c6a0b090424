"""`to_json` and `from_json`: the stored form, going on in another process, and changed or foreign bytes."""

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import json_objects, json_values, places, results, text
from wire_values import assert_alone, form, paused, raised

from toolnexus_mrtr import Answer, Call, LocalProtocolError, MrtrError, Pause

ARGUMENTS = {"w": 1.0, "z": None, "k": [], "n": 2**70, "s": "a\ud800b\u2028", "f": 1e300, "o": {}}


PAUSE = paused(
    call=Call(
        "tools/call", {"name": "t", "arguments": ARGUMENTS}, server="s", capabilities={"elicitation": {}}, id="c"
    ),
    state="a\ud800b",
    a=form("Who?"),
)
STORED = json.loads(PAUSE.to_json())


def refusal(function: Any, *arguments: Any, **named: Any) -> str:
    """Give the code of the error, which is about the whole document: its `at` is empty."""
    error = raised(LocalProtocolError, function, *arguments, **named)
    assert error.at == ""
    return error.code


def test_to_json_gives_ascii_json_with_the_params_and_the_result():
    data = PAUSE.to_json()
    assert isinstance(data, bytes)
    assert data.isascii()
    stored = json.loads(data, parse_constant=pytest.fail)
    assert stored["format"] == "toolnexus-mrtr/2"
    assert stored["call"]["params"] == {"name": "t", "arguments": ARGUMENTS}
    assert stored["result"]["requestState"] == "a\ud800b"


@pytest.mark.parametrize(
    "make", [bytes, bytearray, lambda data: data.decode("ascii")], ids=["bytes", "bytearray", "str"]
)
def test_pause_from_json_gives_an_equal_pause(make):
    again = Pause.from_json(make(PAUSE.to_json()), server="s")
    assert again == PAUSE
    assert again.requests == PAUSE.requests
    assert again.input_requests == PAUSE.input_requests
    assert (again.id, again.delay, again.request_state) == (PAUSE.id, PAUSE.delay, PAUSE.request_state)
    assert again.to_json() == PAUSE.to_json()
    answers = {"a": Answer("x", True, {"n": "Ada"})}
    assert json.dumps(again.resume(answers).params) == json.dumps(PAUSE.resume(answers).params)
    assert again.resume(answers) == PAUSE.resume(answers)


def test_call_from_json_gives_an_equal_call_with_its_answers():
    retry = PAUSE.resume({"a": Answer("x", True, {"n": "Ada"})})
    again = Call.from_json(retry.to_json(), server="s")
    assert again == retry
    assert json.dumps(again.params) == json.dumps(retry.params)


def test_to_json_keeps_the_count_that_pause_delay_grows_by():
    pause = Call("tools/call", {}).receive({"resultType": "input_required", "requestState": "s"})
    for delay in (0.05, 0.1, 0.2):
        assert pause.delay == delay
        pause = Pause.from_json(pause.to_json())
        call = Call.from_json(pause.resume().to_json())
        pause = call.receive({"resultType": "input_required", "requestState": "s"})


OTHER_PROCESS = """
import json, sys
from toolnexus_mrtr import Answer, Pause
pause = Pause.from_json(sys.stdin.buffer.read(), server="s")
(request,) = pause.requests.values()
call = pause.resume([Answer(request.id, True, {"n": "Ada"})])
print(json.dumps({"method": call.method, "params": call.params, "prompt": request.prompt}))
"""


def test_pause_from_json_goes_on_in_another_process():
    done = subprocess.run([sys.executable, "-c", OTHER_PROCESS], input=PAUSE.to_json(), capture_output=True, check=True)
    here = PAUSE.resume({"a": Answer("x", True, {"n": "Ada"})}).params
    assert done.stdout.decode("ascii").strip() == json.dumps({"method": "tools/call", "params": here, "prompt": "Who?"})


def test_from_json_tells_pauses_and_calls_apart():
    assert refusal(Pause.from_json, PAUSE.call.to_json(), server="s") == "stored_pause_invalid"
    assert refusal(Call.from_json, PAUSE.to_json(), server="s") == "stored_pause_invalid"


@pytest.mark.parametrize("server", [None, "", "S", "t"])
def test_from_json_refuses_a_pause_and_a_call_of_another_server(server):
    assert refusal(Pause.from_json, PAUSE.to_json(), server=server) == "wrong_server"
    assert refusal(Call.from_json, PAUSE.call.to_json(), server=server) == "wrong_server"


def test_from_json_gives_a_pause_without_a_server_back_only_without_one():
    pause = Call("tools/call", {}).receive({"resultType": "input_required", "requestState": "s"})
    assert refusal(Pause.from_json, pause.to_json(), server="s") == "wrong_server"
    assert Pause.from_json(pause.to_json()) == pause


@pytest.mark.parametrize("data", [None, {}, [], 5, memoryview(b"{}")], ids=lambda data: type(data).__name__)
def test_from_json_takes_only_bytes_bytearray_and_str(data):
    with pytest.raises(TypeError, match="^data must be bytes"):
        Pause.from_json(data)


def test_from_json_takes_only_a_str_as_server():
    with pytest.raises(TypeError, match="^server must be a str"):
        Pause.from_json(PAUSE.to_json(), server=5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"[" * 100_000,
        b'{"x":' * 100_000,
        b"[" * 5000 + b"]" * 5000,
        b"1" * 5000,
        b"NaN",
        b'{"format":"toolnexus-mrtr/2"}',
    ],
    ids=lambda data: f"{data[:6]!r}-{len(data)}",
)
def test_from_json_refuses_bytes_that_to_json_did_not_write(data):
    assert refusal(Pause.from_json, data) == "stored_pause_invalid"
    assert refusal(Call.from_json, data) == "stored_pause_invalid"


def changed(*path: str, to: Any) -> bytes:
    """Give the stored pause with one member changed."""
    stored = json.loads(PAUSE.to_json())
    box = stored
    for name in path[:-1]:
        box = box[name]
    box[path[-1]] = to
    return json.dumps(stored).encode()


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (["format"], "toolnexus-mrtr/1"),
        (["format"], None),
        (["more"], 1),
        (["result"], None),
        (["result"], []),
        (["result", "resultType"], "complete"),
        (["result", "resultType"], "task"),
        (["result", "requestState"], 5),
        (["result", "requestState"], "s" * 1_048_577),
        (["result", "inputRequests", "a", "method"], 5),
        (["result", "inputRequests", "a", "method"], "roots/list"),
        (["result", "inputRequests", "b"], {"mode": "url", "message": "m", "url": "javascript:alert(1)"}),
        (["result", "inputRequests", "b"], None),
        (["result", "x"], math.nan),
        (["result", "x"], math.inf),
        (["call", "method"], "tools/list"),
        (["call", "method"], None),
        (["call", "params"], []),
        (["call", "params", "x"], -math.inf),
        (["call", "capabilities"], {}),
        (["call", "capabilities"], []),
        (["call", "max_retries"], -1),
        (["call", "max_retries"], True),
        (["call", "max_retries"], 1.5),
        (["call", "result_types"], "task"),
        (["call", "result_types"], [5]),
        (["call", "limits"], {"key": 0}),
        (["call", "limits"], {"depth": 1000}),
        (["call", "limits"], {"depth": 2}),
        (["call", "limits"], {"keys": 1}),
        (["call", "limits"], {"key": True}),
        (["call", "id"], 5),
        (["call", "retry"], -1),
        (["call", "retry"], "0"),
        (["call", "idle"], -1),
        (["call", "more"], 1),
    ],
    ids=lambda value: "/".join(map(str, value)) if isinstance(value, list) else None,
)
def test_from_json_refuses_a_pause_with_a_bad_member(path, to):
    assert refusal(Pause.from_json, changed(*path, to=to), server="s") == "stored_pause_invalid"


@pytest.mark.parametrize("name", ["format", "call", "result"])
def test_from_json_refuses_a_pause_with_a_member_missing(name):
    stored = {member: value for member, value in STORED.items() if member != name}
    assert refusal(Pause.from_json, json.dumps(stored), server="s") == "stored_pause_invalid"


def test_from_json_refuses_a_number_beyond_every_float():
    data = PAUSE.to_json().replace(b"1e+300", b"1e999")
    assert refusal(Pause.from_json, data, server="s") == "stored_pause_invalid"


def outcome(data: bytes | str, server: str | None = "s") -> Pause | None:
    try:
        return Pause.from_json(data, server=server)
    except MrtrError as error:
        assert error.code in ("stored_pause_invalid", "wrong_server")
        assert_alone(error)
        return None


@given(data=st.one_of(st.binary(max_size=200), text, json_values.map(lambda value: json.dumps(value).encode())))
@settings(max_examples=200)
def test_from_json_refuses_any_bytes_and_any_json(data):
    assert outcome(data) is None


@given(cut=st.integers(0, 10**6), put=st.binary(max_size=8), length=st.integers(0, 12))
@settings(max_examples=200)
def test_from_json_refuses_changed_bytes_or_gives_a_sound_pause(cut, put, length):
    data = PAUSE.to_json()
    place = cut % (len(data) + 1)
    pause = outcome(data[:place] + put + data[place + length :])
    if pause is not None:
        assert Pause.from_json(pause.to_json(), server="s") == pause
        assert pause.call.params is not None


@given(place=st.sampled_from([place for place in places(STORED) if place]), value=json_values)
@settings(max_examples=400)
def test_from_json_refuses_a_changed_value_or_gives_a_sound_pause(place, value):
    stored = json.loads(PAUSE.to_json())
    box = stored
    for key in place[:-1]:
        box = box[key]
    box[place[-1]] = value
    pause = outcome(json.dumps(stored))
    if pause is not None:
        assert Pause.from_json(pause.to_json(), server="s") == pause
        assert all(
            request.id.startswith(f"elc-{pause.call.id}-{pause.call.retry}-") for request in pause.requests.values()
        )


def as_sent(value: Any) -> Any:
    """Give the value as JSON carries it: a pair of surrogates becomes one character."""
    return json.loads(json.dumps(value))


@given(params=json_objects, raw=results)
@settings(max_examples=200)
def test_to_json_and_from_json_keep_whatever_a_pause_holds(params, raw):
    try:
        pause = Call("tools/call", as_sent(params)).receive(as_sent(raw))
    except MrtrError:
        return
    if isinstance(pause, Pause):
        again = Pause.from_json(pause.to_json())
        assert again == pause
        assert json.dumps(again.call.params) == json.dumps(pause.call.params)
        assert again.requests == pause.requests
        assert again.request_state == pause.request_state


@pytest.mark.parametrize("declared", ["x", [], 0, 5, True, False, ""], ids=repr)
def test_from_json_refuses_stored_capabilities_other_than_an_object(declared):
    stored = json.loads(PAUSE.to_json())
    stored["call"]["params"]["_meta"] = {"io.modelcontextprotocol/clientCapabilities": declared}
    assert refusal(Pause.from_json, json.dumps(stored), server="s") == "stored_pause_invalid"
    del stored["result"]
    assert refusal(Call.from_json, json.dumps(stored), server="s") == "stored_pause_invalid"


@pytest.mark.parametrize("name", ["retry", "idle", "max_retries"])
def test_from_json_refuses_a_stored_count_beyond_every_use(name):
    stored = json.loads(PAUSE.to_json())
    stored["call"][name] = 10**4299
    assert refusal(Pause.from_json, json.dumps(stored), server="s") == "stored_pause_invalid"


def test_to_json_refuses_to_store_where_the_stack_has_no_room(monkeypatch):
    def too_deep(*_: Any, **__: Any) -> str:
        raise RecursionError

    monkeypatch.setattr(json, "dumps", too_deep)
    assert refusal(PAUSE.to_json) == "wrong_value"


@pytest.mark.parametrize("count", ["retry", "idle"])
def test_from_json_gives_back_what_the_last_count_that_it_takes_resumes_to(count):
    asked_nothing = Call("tools/call", {}, id="c").receive({"resultType": "input_required", "requestState": "s"})
    stored = json.loads(asked_nothing.to_json())
    stored["call"][count] = 2**53
    assert refusal(Pause.from_json, json.dumps(stored)) == "stored_pause_invalid"
    stored["call"][count] = 2**53 - 1
    call = Pause.from_json(json.dumps(stored)).resume()
    assert Call.from_json(call.to_json()) == call
