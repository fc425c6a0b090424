"""Go on from a stored pause in a process of its own: the pause comes on standard input, the server's url as argument.

Prints what it sent first, stored, and the final raw result. What was stored for another server than "the travel agency"
is not sent anywhere.
"""

import json
import sys
from pathlib import Path

from low_level_client import Http, complete

from toolnexus_mrtr import Pause


SCRIPT = json.loads(Path(__file__).with_name("script.json").read_bytes())


def fill_in(request):
    """Answer for the person that script.json describes."""
    if request.kind == "authorization":
        return request.accept()
    return request.accept({name: SCRIPT["entered"][name] for name in request.data["schema"]["properties"]})


def answers(pause):
    return {key: fill_in(request) for key, request in pause.requests.items()}


if __name__ == "__main__":
    pause = Pause.from_json(sys.stdin.buffer.read(), server="the travel agency")
    call = pause.resume(answers(pause))
    with Http(sys.argv[1]) as server:
        result = complete(server.send, call, answers)
    print(json.dumps({"sent": call.to_json().decode(), "result": result}))
