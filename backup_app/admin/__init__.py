"""The backup service's admin, where staff see all accounts: a module per model."""

from . import (  # noqa: F401 - each registers what it shows
    api_key,
    audit,
    client,
    fileset,
    job,
    mailbox,
    pool,
    storage,
    subuser,
    zone,
)
