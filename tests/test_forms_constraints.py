"""The example that explains how constraints are read out of a schema: it is true."""

import doctest

from toolnexus_mrtr._forms import _outline


def test_the_worked_example_of_the_constraints_is_true():
    failed, attempted = doctest.testmod(_outline)
    assert failed == 0
    assert attempted > 0
