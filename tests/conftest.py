"""One profile for hypothesis: repeatable, and without deadlines, since machines are noisy."""

from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

#: They need environments of their own: tests/peers/run.py makes them.
collect_ignore = ["peers"]
