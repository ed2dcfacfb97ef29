"""Finds what an operator names on the command line; raises CommandError if it does not exist."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db.models import Q

from ..lib import addresses
from ..models import Client, Job, Storage


def account_named(email):
    """Return the account that logs in with an e-mail address."""
    accounts = get_user_model().objects.filter(email__iexact=email, is_active=True)
    return _only(accounts, f"account with the e-mail address '{email}'")


def clients_named(name=None, account=None):
    """Return the clients with a name or address, all without one; of one account if it is named."""
    clients = Client.objects.present().select_related("pool", "fileset", "account")
    if account:
        clients = clients.filter(account=account_named(account))
    if name:
        clients = clients.filter(Q(name=name) | Q(ip=addresses.normalized(name)))
        if not clients:
            raise CommandError(f"There is no client '{name}'.")
    return clients


def client_named(name, account=None):
    """Return the only client with a name or address."""
    found = clients_named(name, account)
    if len(found) > 1:
        raise CommandError(f"Several clients are named '{name}': choose one with --account EMAIL.")
    return found[0]


def own(records, name, what):
    """Return the only one of an account's records with a name; None without a name."""
    return _only(records.filter(name=name), f"{what} '{name}'") if name else None


def job_with_id(pk):
    """Return a job with what is shown of it."""
    related = "client", "fileset", "pool", "storage__zone"
    return _only(Job.objects.select_related(*related).filter(pk=pk), f"job {pk}")


def storages_named(names):
    """Return the storages with these names, all without names."""
    storages = Storage.objects.select_related("zone").order_by("name")
    if not names:
        return list(storages)
    return [_only(storages.filter(name=name), f"storage '{name}'") for name in names]


def _only(records, what):
    found = list(records[:2])
    if not found:
        raise CommandError(f"There is no {what}.")
    if len(found) > 1:
        raise CommandError(f"There is more than one {what}.")
    return found[0]
