"""Records below other records of their kind, by a foreign key ``parent``."""


def is_within(record, top):
    """Say whether record is top or stands below it; None is within nothing."""
    if record is None or record.parent_id is None or top.pk is None:
        return record is not None and record.pk == top.pk
    # At once, since a tree may have thousands of levels.
    rows = type(record).objects.exclude(parent=None).order_by()
    parents = dict(rows.values_list("pk", "parent_id"))
    pk, seen = record.pk, set()
    while pk is not None and pk not in seen:
        if pk == top.pk:
            return True
        seen.add(pk)
        pk = parents.get(pk)
    return False
