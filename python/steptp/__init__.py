"""Verified steps on tensor programs.

The verbs of the command line are functions here: `read` and `fmt`. A program is a `Program`; inputs that cannot be
used raise `DiagnosticError`, which carries the messages as data.
"""

from ._errors import Diagnostic, DiagnosticError, DiagnosticWarning, SteptpError
from ._signature import Variable, from_json as _signature_from_json
from ._steptp import Program
from ._verbs import fmt, read

Program.__module__ = "steptp"
Program.signature = property(  # type: ignore[assignment, misc]
    lambda self: _signature_from_json(self._signature_json), doc="The known variables, in order."
)

__all__ = ["Diagnostic", "DiagnosticError", "DiagnosticWarning", "Program", "SteptpError", "Variable", "fmt", "read"]
__version__ = "0.1.0"
