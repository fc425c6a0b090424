"""Tasks, recorded now by a client without the library, are followed as those in the repository are."""

import json

from following import follow
from record_tasks import CALLS, NOT_BY_FASTMCP, record


def test_what_is_recorded_now_is_followed_to_its_end(tmp_path):
    record(tmp_path)
    recorded = sorted(tmp_path.rglob("*.json"))
    assert len(recorded) == 3 * len(CALLS) - len(NOT_BY_FASTMCP)
    for path in recorded:
        follow(json.loads(path.read_bytes()))
