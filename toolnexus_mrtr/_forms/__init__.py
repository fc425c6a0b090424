"""Forms: what a server asks a person to fill in, and whether an answer fits. Other modules import from here alone.

To be read in this order: `_form` has the public class; `_schema` copies and checks what a server sent, by the table of
keywords in `_keywords`; `_outline` reads from it what is enforced of each field; `_fields` lists the fields for a
user interface, with a guess of `_secrets`; `_parsing` turns what a person entered into values, and values into strings;
`_checking` checks values, with the formats of `_formats`; `_lint` lists what is unwise. jsonschema does a small part of
the checking: `_checking` says which, and why no more.
"""

from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._form import Form, coerce, normalize
from toolnexus_mrtr._forms._formats import is_uri
from toolnexus_mrtr._forms._keywords import Choice
from toolnexus_mrtr._forms._lint import form_findings, form_message_findings

__all__ = ("Choice", "Field", "Form", "coerce", "form_findings", "form_message_findings", "is_uri", "normalize")
