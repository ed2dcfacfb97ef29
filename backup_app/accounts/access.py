"""The records that a caller may see.

Records of other accounts are unknown (404), never forbidden (403), which would reveal that they
exist; forbidden is what the caller's own account has, but has not granted to the subuser.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet

from ..exceptions import Forbidden, NotFound, WrongState
from ..lib import addresses
from ..models import Client, Fileset, Job, Pool, Storage, Subuser, Zone
from .callers import Caller

M = TypeVar("M", bound=Model)


def clients(caller: Caller) -> QuerySet[Client]:
    """Return the clients of the account, or those granted to the subuser."""
    found = Client.objects.present().filter(account=caller.account)
    if caller.limited_to:
        found = found.filter(grants__subuser=caller.limited_to)
    return found.select_related("pool__storage__zone", "fileset", "zone")


def client(caller: Caller, *, ip: str = "", name: str | None = None) -> Client:
    """Return one client by its address or name; raises NotFound and Forbidden."""
    if name is not None:
        wanted: dict[str, str | None] = {"name": name}
        what = f"named '{name}'"
    else:
        wanted, what = {"ip": addresses.normalized(ip)}, f"with the address '{ip}'"
    if None in wanted.values() or "\0" in what:
        raise NotFound(f"There is no client {what}.")
    return _seen(clients, caller, f"client {what}", **wanted)


def client_by_either(caller: Caller, text: str) -> Client:
    """Return one client by its address or, if the text is not an address, by its name."""
    return client(caller, ip=text) if addresses.normalized(text) else client(caller, name=text)


def jobs(caller: Caller) -> QuerySet[Job]:
    """Return the jobs of the clients that the caller may see."""
    seen = clients(caller).order_by().values("pk")
    found = Job.objects.filter(account=caller.account, client__in=seen)
    if caller.limited_to:
        # A restore shows files of its backup, so the client of that must be granted too; where the
        # backup has been removed since, only the subuser's own restores are shown.
        own = Q(parent=None, requested_by=caller.limited_to.login)
        found = found.filter(own | Q(type=Job.Type.BACKUP) | Q(parent__client__in=seen))
    return found.select_related("client", "fileset", "pool", "storage__zone")


def job(caller: Caller, job_id: int) -> Job:
    """Return one job; raises NotFound and Forbidden."""
    return _seen(jobs, caller, f"job {job_id}", pk=job_id)


def cancelable_job(caller: Caller, job_id: int) -> Job:
    """Return one job that the caller may cancel; raises NotFound and Forbidden."""
    found = job(caller, job_id)
    if found.is_open and found.engine_state.get("adopted"):
        raise Forbidden(
            f"Job {job_id} was started in {found.requested_by} by its operator, who may cancel it."
        )
    return found


def _seen(
    queryset_of: Callable[[Caller], QuerySet[M]], caller: Caller, what: str, **wanted: Any
) -> M:
    found = queryset_of(caller).filter(**wanted).first()
    if found:
        return found
    if caller.limited_to and queryset_of(caller.unlimited).filter(**wanted).exists():
        raise Forbidden(f"The {what} is not granted to '{caller.limited_to}'.")
    raise NotFound(f"There is no {what}.")


def readable_backup(caller: Caller, job_id: int) -> Job:
    """Return a backup that has content; raises WrongState for other jobs."""
    found = job(caller, job_id)
    if found.type != Job.Type.BACKUP:
        raise WrongState(f"Job {job_id} is a {found.type}, not a backup.")
    if not found.is_good:
        raise WrongState(f"Backup {job_id} is {found.status}, so it has no content.")
    return found


def subuser(caller: Caller, login: str) -> Subuser:
    """Return a subuser of the account; raises NotFound."""
    found = Subuser.objects.filter(account=caller.account, login=login).first()
    if found is None:
        raise NotFound(f"There is no subuser '{login}'.")
    return found


def on_behalf_of(caller: Caller, login: str) -> Subuser:
    """Return the subuser that a request acts for; a subuser may only name itself."""
    if caller.subuser:
        if caller.subuser.login != login:
            raise Forbidden(f"A subuser may not act for '{login}'.")
        return caller.subuser
    return subuser(caller, login)


def pools(caller: Caller) -> QuerySet[Pool]:
    """Return the pools of the account."""
    return Pool.objects.filter(account=caller.account).select_related("storage__zone")


def pool(caller: Caller, name: str) -> Pool:
    """Return a pool of the account; raises NotFound."""
    return _by_name(pools(caller), name, "pool")


def filesets(caller: Caller) -> QuerySet[Fileset]:
    """Return the filesets of the account."""
    return Fileset.objects.filter(account=caller.account)


def fileset(caller: Caller, name: str) -> Fileset:
    """Return a fileset of the account; raises NotFound."""
    return _by_name(filesets(caller), name, "fileset")


def storages(caller: Caller) -> QuerySet[Storage]:
    """Return all storages, which accounts share; of a subuser those of its clients."""
    found = Storage.objects.select_related("zone")
    if caller.limited_to:
        seen = clients(caller).order_by()
        return found.filter(pk__in=seen.values("pool__storage"))
    return found


def storage(caller: Caller, name: str) -> Storage:
    """Return a storage that the caller may see; raises NotFound."""
    return _by_name(storages(caller), name, "storage")


def zone(caller: Caller, name: str) -> Zone:
    """Return a zone, which accounts share; raises NotFound."""
    return _by_name(Zone.objects.all(), name, "zone")


def _by_name(queryset: QuerySet[M], name: str, what: str) -> M:
    found = queryset.filter(name=name).first() if "\0" not in name else None
    if found is None:
        raise NotFound(f"There is no {what} named '{name}'.")
    return found
