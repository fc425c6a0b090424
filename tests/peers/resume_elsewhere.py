"""Go on from a stored pause in a process of its own: the pause comes on standard input, the server's url as argument.

Prints the final raw result. What was stored for another server than "the travel agency" is not sent anywhere.
"""

import json
import sys

from low_level_client import Http, complete

from toolnexus_mrtr import Answer, Pause


def answers(pause):
    values = {"size": {"size": 0.5}, "sure": {"sure": True}}
    return {key: Answer(request.id, ok=True, data=values[key]) for key, request in pause.requests.items()}


if __name__ == "__main__":
    pause = Pause.from_json(sys.stdin.buffer.read(), server="the travel agency")
    with Http(sys.argv[1]) as server:
        print(json.dumps(complete(server.send, pause.resume(answers(pause)), answers)))
