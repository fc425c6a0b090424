"""An `MCPServer` of the Python SDK whose tools get their parameters from resolvers, which ask the client."""

import argparse
from importlib.metadata import version
from typing import Annotated, Literal

from loopback import serve
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

server = MCPServer("resolver-server", version=version("mcp"))


class Trip(BaseModel):
    city: str = Field(min_length=2, max_length=40)
    nights: int = Field(ge=1, le=30)
    budget: float = Field(default=0.5, ge=0, multiple_of=0.25)
    season: Literal["summer", "winter"] = "summer"
    meals: list[Literal["breakfast", "dinner"]] = Field(default_factory=list, max_length=2)
    note: str | None = None


class Consent(BaseModel):
    sure: bool


def ask_trip(for_whom: str) -> Elicit[Trip]:
    return Elicit(f"Where to, {for_whom}?", Trip)


def ask_consent(trip: Annotated[Trip, Resolve(ask_trip)]) -> Elicit[Consent]:
    return Elicit(f"Book {trip.city}?", Consent)


def ask_model(for_whom: str) -> Sample:
    said = SamplingMessage(role="user", content=TextContent(text=f"A motto for {for_whom}"))
    return Sample([said], max_tokens=20)


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def book(
    for_whom: str,
    trip: Annotated[Trip, Resolve(ask_trip)],
    consent: Annotated[Consent, Resolve(ask_consent)],
    motto: Annotated[CreateMessageResult, Resolve(ask_model)],
    roots: Annotated[ListRootsResult, Resolve(ask_roots)],
) -> dict:
    """Book a trip: two rounds, since the second question needs the answer to the first."""
    return {
        "for_whom": for_whom,
        "trip": trip.model_dump(mode="json"),
        "sure": consent.sure,
        "motto": motto.content.text,
        "roots": [str(root.uri) for root in roots.roots],
    }


@server.tool()
def outcome(for_whom: str, trip: Annotated[ElicitationResult[Trip], Resolve(ask_trip)]) -> dict:
    """Say what became of the question."""
    return {"for_whom": for_whom, "action": trip.action}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stdio", action="store_true")
    if parser.parse_args().stdio:
        server.run()
    else:
        serve(server.streamable_http_app())
