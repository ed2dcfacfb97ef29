"""The embedded engine: volumes that ``tar --zstd`` opens, and a catalog in the database."""

from .engine import ArchiveEngine

__all__ = ["ArchiveEngine"]
