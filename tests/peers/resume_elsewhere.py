"""Go on from a stored pause in a process of its own: the pause comes on standard input, the server's url as argument.

Prints the first call that it sent, the methods of all of them, and the final raw result. What was stored for another
server than "the travel agency" is not sent anywhere.
"""

import json
import sys

from low_level_client import Http, complete
from peers import SCRIPT

from toolnexus_mrtr import Pause


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
    methods = []
    with Http(sys.argv[1]) as server:

        def send(method, params):
            methods.append(method)
            return server.send(method, params)

        result = complete(send, call, answers)
    print(json.dumps({"call": call.to_json().decode(), "methods": methods, "result": result}))
