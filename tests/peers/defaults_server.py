"""An `MCPServer` of the Python SDK whose form has defaults, and whose tool says what it received of the form."""

from importlib.metadata import version
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

server = MCPServer("defaults-server", version=version("mcp"))


class Order(BaseModel):
    note: str = "Ring twice"
    notices: list[Literal["mail", "sms"]] = Field(default=["mail"])
    tip: float = 1.5
    name: str = "Ada"


def ask_order() -> Elicit[Order]:
    return Elicit("Your order, please", Order)


@server.tool()
def order(order: Annotated[Order, Resolve(ask_order)]) -> dict:
    """Give back the members that came, and the order that the server makes of them."""
    return {"received": order.model_dump(exclude_unset=True), "order": order.model_dump()}


if __name__ == "__main__":
    server.run()
