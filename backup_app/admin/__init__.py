"""The backup service in the admin, where staff see all accounts: one file per noun."""

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
