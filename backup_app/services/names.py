"""The names of things that stand in the paths of the API."""

from ..exceptions import Invalid

LONGEST = 100


def cleaned(name: str, what: str) -> str:
    """Return a name without blanks at its ends; raises Invalid for what cannot be in a path."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST:
        raise Invalid({"name": [f"The name of a {what} has 1 to {LONGEST} characters."]})
    if "/" in name or not name.isprintable() or name in {".", ".."}:
        sentence = f"'{name}' is no name of a {what}: it may have no '/' and no control characters."
        raise Invalid({"name": [sentence]})
    return name
