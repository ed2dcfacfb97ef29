"""Pages of long lists."""


def page(queryset, *, offset: int = 0, limit: int | None = None) -> tuple[list, int]:
    """Return a part of the rows, or all from ``offset`` on, and how many there are altogether."""
    rows = list(queryset[offset:] if limit is None else queryset[offset:][:limit])
    whole = not offset and (limit is None or len(rows) < limit)
    return rows, len(rows) if whole else queryset.count()
