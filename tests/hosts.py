"""What hosts of others look like."""

import dataclasses


@dataclasses.dataclass
class HostAnswer:
    """What a toolnexus host answers with."""

    id: str
    ok: bool
    data: dict | None = None
    reason: str | None = None
