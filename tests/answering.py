"""A program that lets a person answer the paused result in a file, and prints the responses that would be sent."""

import json
import sys
from pathlib import Path

from toolnexus_mrtr import Call
from toolnexus_mrtr.cli._call._terminal import TerminalAsker
from toolnexus_mrtr.cli._errors import BadInput

if __name__ == "__main__":
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    pause = call.receive(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    try:
        print(json.dumps(pause.resume(TerminalAsker().answer(pause)).params["inputResponses"]))  # noqa: T201 - it is its result
    except KeyboardInterrupt:
        sys.exit(130)
    except BadInput as error:
        sys.exit(str(error))
