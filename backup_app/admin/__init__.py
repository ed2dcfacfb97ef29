"""The backup service's admin, a module per model. Staff see the accounts that they were given."""

from . import (  # noqa: F401 - each registers what it shows
    account_access,
    alert_delivery,
    alert_rule,
    api_key,
    audit,
    client,
    fileset,
    job,
    mailbox,
    maintenance,
    pool,
    storage,
    subuser,
    zone,
)
