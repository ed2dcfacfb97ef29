"""Trees of records that have a foreign key ``parent`` to their own model."""

from typing import Any


def is_within(record: Any, top: Any) -> bool:
    """Return whether record is top or one of its descendants; None is not."""
    if record is None or record.parent_id is None or top.pk is None:
        return record is not None and record.pk == top.pk
    # All in one query, since a tree may have thousands of levels.
    rows = type(record).objects.exclude(parent=None).order_by()
    parents = dict(rows.values_list("pk", "parent_id"))
    pk, seen = record.pk, set()
    while pk is not None and pk not in seen:
        if pk == top.pk:
            return True
        seen.add(pk)
        pk = parents.get(pk)
    return False
