"""What a server on the Python SDK receives of a form that a person was shown with its defaults, and then cleared."""

import json

import pytest
from low_level_client import META, complete
from peers import Peer, connected, python

from toolnexus_mrtr import Answer, Call, Form

PEER = Peer("Python `mcp`, `MCPServer` with defaults", "stdio", python("defaults_server.py"))

DEFAULTS = {"note": "Ring twice", "notices": ["mail"], "tip": 1.5, "name": "Ada"}


def ordered(**entered):
    """What the server has of a form that was shown with its defaults, in which a person entered this."""

    def answers(pause):
        (request,) = pause.requests.values()
        form = Form.of(request.data["schema"])
        prefilled = form.defaults()
        assert prefilled == DEFAULTS
        content, errors = form.parse(form.to_strings(prefilled) | entered, prefilled=prefilled)
        assert errors == ()
        return [Answer(request.id, ok=True, data=content)]

    call = Call("tools/call", {"name": "order", "arguments": {}, "_meta": META})
    with connected(PEER) as server:
        (content,) = complete(server.send, call, answers)["content"]
    return json.loads(content["text"])


def test_a_server_receives_the_defaults_that_a_person_left_as_they_stood():
    assert ordered() == {"received": DEFAULTS, "order": DEFAULTS}


@pytest.mark.parametrize(
    ("entered", "cleared"),
    [
        ({"note": ""}, {"note": ""}),
        ({"notices": []}, {"notices": []}),
        ({"note": "", "notices": []}, {"note": "", "notices": []}),
    ],
    ids=["text", "list of choices", "both"],
)
def test_a_server_receives_a_text_and_a_list_that_were_cleared_as_empty(entered, cleared):
    assert ordered(**entered) == {"received": DEFAULTS | cleared, "order": DEFAULTS | cleared}


def test_a_server_receives_no_number_where_it_was_cleared():
    left = {name: value for name, value in DEFAULTS.items() if name != "tip"}
    # The wire has no empty number: a server that fills in its own defaults does so here.
    assert ordered(tip="") == {"received": left, "order": DEFAULTS}


def test_a_server_receives_everything_that_was_cleared_at_once():
    received = {"note": "", "notices": [], "name": ""}
    assert ordered(note="", notices=[], tip="", name="") == {"received": received, "order": received | {"tip": 1.5}}
