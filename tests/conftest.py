"""One profile for hypothesis: repeatable, and without deadlines, since machines are noisy."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

# What these assert is explained as what tests assert.
pytest.register_assert_rewrite("wire_values")

#: They need environments of their own: tests/peers/run.py makes them; tests/fuzz/run.py is a command.
collect_ignore = ["peers", "fuzz"]
