"""`adversary`: a hostile server for any client, and the report on what that client did."""

from toolnexus_mrtr.cli._adversary._command import adversary

__all__ = ("adversary",)
