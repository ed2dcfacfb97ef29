"""Names that are part of the API's URLs."""

from ...exceptions import Invalid


def cleaned(name: str, what: str) -> str:
    """Return a name without surrounding blanks; raises Invalid if it cannot be part of a URL."""
    name = name.strip()
    if "/" in name or not name.isprintable() or name in {".", ".."}:
        sentence = f"'{name}' cannot name a {what}: it must not contain '/' or control characters."
        raise Invalid({"name": [sentence]})
    return name
