"""Forms: what a server asks a person to fill in, and whether an answer fits. Other modules import from here alone."""

from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._form import Form, coerce, normalize
from toolnexus_mrtr._forms._keywords import Choice
from toolnexus_mrtr._forms._lint import form_findings, link_findings

__all__ = ("Choice", "Field", "Form", "coerce", "form_findings", "link_findings", "normalize")
