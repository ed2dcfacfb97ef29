"""Names that are part of the API's URLs."""

from ..exceptions import Invalid

MAX_LENGTH = 100


def cleaned(name: str, what: str) -> str:
    """Return a name without surrounding blanks; raises Invalid if it cannot be part of a URL."""
    name = name.strip()
    if not 1 <= len(name) <= MAX_LENGTH:
        raise Invalid({"name": [f"The name of a {what} has 1 to {MAX_LENGTH} characters."]})
    if "/" in name or not name.isprintable() or name in {".", ".."}:
        sentence = f"'{name}' cannot name a {what}: it must not contain '/' or control characters."
        raise Invalid({"name": [sentence]})
    return name
