"""Folders that several backups have, as every engine shows them."""

from dataclasses import replace

from .base import Node


def merged(one: Node, other: Node) -> Node:
    """Return the folder of the other backup with the most that one of the two has in it."""
    return replace(
        other,
        size=max(one.size, other.size),
        files=max(one.files, other.files),
        has_children=one.has_children or other.has_children,
    )
