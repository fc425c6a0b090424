"""Serve an ASGI application on a port of the system's choice, and say where on standard output."""

import socket

import uvicorn


def serve(app):
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
