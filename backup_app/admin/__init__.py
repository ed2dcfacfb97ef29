"""The backup service's admin, where staff see all accounts: a module per model."""

from . import api_key, audit, client, fileset, job, mailbox, pool, storage, subuser, zone

__all__ = [
    "api_key",
    "audit",
    "client",
    "fileset",
    "job",
    "mailbox",
    "pool",
    "storage",
    "subuser",
    "zone",
]
