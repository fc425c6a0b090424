"""The command `vectors`: runs the vectors of the fixtures against this library or any other program."""

from toolnexus_mrtr.cli._vectors._command import run_vectors

__all__ = ("run_vectors",)
