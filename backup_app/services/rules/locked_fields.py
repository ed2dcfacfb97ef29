"""Adopted records, some of whose fields only the engine can change, in its configuration."""

from typing import Any

from ...exceptions import WrongState
from ...models.adoptable import Adoptable


def require_unchanged(record: Adoptable | None, values: dict[str, Any]) -> None:
    """Raise WrongState for values that would change a locked field of a record."""
    given = [name for name in locked_fields(record) if name in values]
    changed = [name for name in given if values[name] != getattr(record, name)]
    if record and changed:
        kind = str(record._meta.verbose_name).capitalize()
        raise WrongState(
            f"{kind} '{record}' was adopted: {_listed(changed)} defined by its engine's"
            " configuration, and can be changed only there."
        )


def locked_fields(record: Adoptable | None) -> tuple[str, ...]:
    """Return the fields of a record that only its engine can change; none if not adopted."""
    is_adopted = getattr(record, "is_adopted", False)  # not every model has it
    return record.engine_fields if record and is_adopted else ()


def _listed(names: list[str]) -> str:
    *first, last = [f"'{name}'" for name in names]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed} {'are' if first else 'is'}"
