"""`vectors`: the vectors of the fixtures, run against this library or any other program."""

from toolnexus_mrtr.cli._vectors._command import vectors

__all__ = ("vectors",)
