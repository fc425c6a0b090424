"""Follow a recorded exchange: the library is given each response, and must send the next request as it was recorded."""

from vectors import json_text

from toolnexus_mrtr import Call, Done, MrtrError, Pause


def follow(steps):
    """Follow one recorded call with the answers that it holds, and give what its last response comes to.

    That is `Done`, an error, or `None` where the server answered with a JSON-RPC error, which is not for the library.
    """
    first = steps[0]["request"]
    call = Call(first["method"], first["params"])
    for place, step in enumerate(steps):
        request = step["request"]
        assert call.method == request["method"]
        assert json_text(call.params) == json_text(request["params"])
        assert call.headers == step["headers"]
        if place + 1 == len(steps):
            break
        pause = call.receive(step["response"]["result"])
        assert isinstance(pause, Pause)
        upcoming = steps[place + 1]["request"]
        if upcoming["method"] == "tasks/cancel":
            call = pause.cancel_task()
        else:
            call = pause.resume(upcoming["params"].get("inputResponses", {}))
    return outcome(call, steps[-1]["response"])


def outcome(call, response):
    if "result" not in response:
        return None
    try:
        end = call.receive(response["result"])
    except MrtrError as error:
        return error
    assert isinstance(end, Done)
    return end
