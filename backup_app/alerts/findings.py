"""What was seen of a subject: a problem, or that all is well."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import NoReverseMatch, reverse

from ..conf import conf
from ..models import Client, Job, MaintenancePlan, Storage


@dataclass(frozen=True)
class Finding:
    """An event of AlertEvent, or "" while all is well, and what is told about it.

    The title is a sentence; it has to make sense where a problem has just ended, too.
    """

    subject: str
    event: str
    title: str
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    client: Client | None = None
    storage: Storage | None = None
    backup: Job | None = None
    maintenance: MaintenancePlan | None = None


def about_client(client: Client) -> dict[str, Any]:
    """Return what messages have of a client; ``account`` must be loaded."""
    return {
        "account": client.account.get_username(),
        "client": {"id": client.pk, "name": client.name, "ip": client.ip},
    }


def link(model: str, pk: int) -> dict[str, str]:
    """Return the address of a record's page in the admin, if BACKUP_SITE_URL says where that is."""
    if not conf.SITE_URL:
        return {}
    try:
        path = reverse(f"admin:backup_app_{model}_change", args=[pk])
    except NoReverseMatch:  # a project without the admin
        return {}
    return {"url": f"{conf.SITE_URL.rstrip('/')}{path}"}
