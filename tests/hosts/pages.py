"""How pages are made: what a server sent is shown as text, and with everything visible that would hide in it."""

from pathlib import Path
from typing import Any

import jinja2
from questions import postable
from starlette.responses import HTMLResponse

from toolnexus_mrtr import printable

PAGES = Path(__file__).parent / "pages"


def visible(text: str) -> str:
    """Make every character of a text visible; its lines stay lines."""
    return "\n".join(map(printable, text.split("\n")))


# Every text in a page goes through `visible`, but for the content of boxes, which stays as it is: `|e` marks it.
templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(PAGES),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: visible(value) if type(value) is str else value,
)
templates.filters["visible"] = visible
templates.tests["postable"] = lambda text: postable(text) == text


def render(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(templates.get_template(name).render(status=status, **values), status)
