"""Types of the compiled part."""

from ._errors import Diagnostic
from ._signature import Variable

class Program:
    """A program and its signature. Immutable; equal where nests and signature are, whatever the name."""

    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> list[Variable]:
        """The known variables, in order."""
    @property
    def hash(self) -> str:
        """16 hexadecimal digits, the same on every machine."""
    @property
    def extended(self) -> bool:
        """Whether it uses a guard or an extension function."""
    def to_text(self, profile: str = "paper", *, header: bool = True) -> str:
        """The canonical text; without `header`, the nests alone."""
    def to_json(self, profile: str = "paper") -> str:
        """The program as one JSON record, which `read` takes."""
    @property
    def _signature_json(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def read_text(content: bytes, signature: str | None) -> tuple[Program, list[Diagnostic], bytes]: ...
def read_file(path: str, signature: str | None) -> tuple[Program, list[Diagnostic], bytes]: ...
