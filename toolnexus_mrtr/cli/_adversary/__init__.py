"""The command `adversary`: a hostile server for any client, and a report on what that client did."""

from toolnexus_mrtr.cli._adversary._command import run_adversary

__all__ = ("run_adversary",)
