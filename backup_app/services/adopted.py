"""What the engine keeps of adopted things, which cannot be changed here."""

from ..exceptions import WrongState
from ..models.adoptable import Adoptable


def require_as_kept(record: Adoptable | None, values: dict) -> None:
    """Raise WrongState for values that would change what the engine keeps of an adopted record."""
    given = [name for name in kept_fields(record) if name in values]
    changed = [name for name in given if values[name] != getattr(record, name)]
    if changed:
        kind = record._meta.verbose_name.capitalize()
        raise WrongState(
            f"{kind} '{record}' was adopted: {_listed(changed)} kept in its engine's configuration,"
            " and can be changed only there."
        )


def kept_fields(record: Adoptable | None) -> tuple[str, ...]:
    """Return the fields of a record that the engine keeps; none unless it was adopted."""
    return record.engine_fields if getattr(record, "is_adopted", False) else ()


def _listed(names):
    *first, last = [f"'{name}'" for name in names]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed} {'are' if first else 'is'}"
