"""Forms: what a server asks a person to fill in, and whether an answer fits. Other modules import from here alone.

In the order of the work: `_schema` copies and checks what a server sent, `_constraints` reads from it what is enforced
of each field, `_fields` lists the fields for a user interface, `_parsing` turns typed text into values, `_checking`
checks values, and `_form` has the public class. jsonschema does a small part of the checking alone: `_checking` says
which, and why no more.
"""

from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._form import Form, coerce, normalize
from toolnexus_mrtr._forms._keywords import Choice
from toolnexus_mrtr._forms._lint import form_findings, message_findings

__all__ = ("Choice", "Field", "Form", "coerce", "form_findings", "message_findings", "normalize")
