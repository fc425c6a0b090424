"""The mapping of toolnexus 0.21.0 to and from its host contract, as a program that answers vectors line by line."""

import dataclasses
import json
import sys
from types import SimpleNamespace
from typing import Any

from toolnexus.mcp_source import answer_to_elicit_result, elicitation_to_request
from toolnexus.types import Answer


def to_request(params: dict[str, Any], id: str) -> dict[str, Any]:
    """toolnexus is handed the params by its SDK, and always mints an id of its own."""
    asked = params.get("params", params) if "method" in params else params
    request = elicitation_to_request(SimpleNamespace(**asked))
    members = dataclasses.asdict(dataclasses.replace(request, id=id))
    return {name: value for name, value in members.items() if value is not None}


def to_result(answer: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The mapping back looks at the answer alone, never at the request."""
    names = {field.name for field in dataclasses.fields(Answer)}
    given = Answer(**{"id": "", **{name: value for name, value in answer.items() if name in names}})
    return answer_to_elicit_result(given).model_dump(mode="json", exclude_none=True)


OPERATIONS = {"elicitation_to_request": to_request, "answer_to_elicit_result": to_result}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        outcome = {"expect": OPERATIONS[asked["operation"]](**asked["input"])}
    except Exception as error:  # noqa: BLE001 - toolnexus has no errors of its own here
        outcome = {"error": {"code": type(error).__name__, "at": ""}}
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()
