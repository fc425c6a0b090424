"""The command `demo`: a small server over stdio, and a call of one of its tools."""

from toolnexus_mrtr.cli._demo._command import run_demo

__all__ = ("run_demo",)
