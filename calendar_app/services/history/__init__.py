"""The history of the calendar: what each write does to a record, by whom and through what.

It is told from what was ``stored`` before; ``lost_links`` keeps what a deletion takes from others.
"""

from .changes import (
    LINKS,
    after_delete,
    after_save,
    comparing,
    label,
    note_links,
    note_made,
    note_parent,
    prune,
    state,
)

__all__ = [
    "LINKS",
    "after_delete",
    "after_save",
    "comparing",
    "label",
    "note_links",
    "note_made",
    "note_parent",
    "prune",
    "state",
]
