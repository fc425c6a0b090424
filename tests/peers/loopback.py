"""Serve an ASGI application on loopback, and say where on standard output."""

import socket
from typing import Any

import uvicorn


def listen(port: int = 0) -> socket.socket:
    """Listen on a port of loopback, by default one of the system's choice."""
    return socket.create_server(("127.0.0.1", port))


def origin_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def serve(app: Any, listener: socket.socket | None = None, path: str = "/mcp") -> None:
    listener = listener or listen()
    print(origin_of(listener) + path, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
