"""What a caller may see.

Another account's things are unknown (404), never forbidden; what the account has and did not grant
to whom the caller is limited to is forbidden (403).
"""

from django.db.models import Q

from ..exceptions import Forbidden, NotFound, WrongState
from ..lib import addresses
from ..models import Client, Fileset, Job, Pool, Storage, Subuser, Zone


def clients(caller):
    """Return the clients of the account, or those granted to whom the caller is limited to."""
    found = Client.objects.present().filter(account=caller.account)
    if caller.limited_to:
        found = found.filter(grants__subuser=caller.limited_to)
    return found.select_related("pool__storage__zone", "fileset", "zone")


def client(caller, *, ip=None, name=None):
    """Return one client by its address or name; raises NotFound and Forbidden."""
    if name is not None:
        wanted, what = {"name": name}, f"named '{name}'"
    else:
        wanted, what = {"ip": addresses.normalized(ip)}, f"with the address '{ip}'"
    if None in wanted.values() or "\0" in what:
        raise NotFound(f"There is no client {what}.")
    return _seen(clients, caller, f"client {what}", **wanted)


def client_by_either(caller, text):
    """Return one client by its address or, for what is no address, by its name."""
    return client(caller, ip=text) if addresses.normalized(text) else client(caller, name=text)


def jobs(caller):
    """Return the jobs of the clients that the caller sees, with what their records show."""
    seen = clients(caller).order_by().values("pk")
    found = Job.objects.filter(account=caller.account, client__in=seen)
    if caller.limited_to:
        # A restore tells of the backup that it took from, also when it went to another client, and
        # when that backup has been removed since.
        own = Q(parent=None, requested_by=caller.limited_to.login)
        found = found.filter(own | Q(type=Job.Type.BACKUP) | Q(parent__client__in=seen))
    return found.select_related("client", "fileset", "pool", "storage__zone")


def job(caller, job_id):
    """Return one job; raises NotFound and Forbidden."""
    return _seen(jobs, caller, f"job {job_id}", pk=job_id)


def _seen(queryset_of, caller, what, **wanted):
    found = queryset_of(caller).filter(**wanted).first()
    if found:
        return found
    if caller.limited_to and queryset_of(caller.unlimited).filter(**wanted).exists():
        raise Forbidden(f"The {what} is not granted to '{caller.limited_to}'.")
    raise NotFound(f"There is no {what}.")


def readable_backup(caller, job_id):
    """Return a backup whose view can be read; raises WrongState for other jobs."""
    found = job(caller, job_id)
    if found.type != Job.Type.BACKUP:
        raise WrongState(f"Job {job_id} is a {found.type}, not a backup.")
    if not found.is_good:
        raise WrongState(f"Backup {job_id} is {found.status}, so nothing of it can be read.")
    return found


def subuser(caller, login):
    found = None
    if "\0" not in login:
        found = Subuser.objects.filter(account=caller.account, login=login).first()
    if found is None:
        raise NotFound(f"There is no subuser '{login}'.")
    return found


def on_behalf_of(caller, login):
    """Return who a request is made for; a subuser may name nobody but itself."""
    if caller.subuser:
        if caller.subuser.login != login:
            raise Forbidden(f"A subuser may not act for '{login}'.")
        return caller.subuser
    return subuser(caller, login)


def pools(caller):
    return Pool.objects.filter(account=caller.account).select_related("storage__zone")


def pool(caller, name):
    return _by_name(pools(caller), name, "pool")


def filesets(caller):
    return Fileset.objects.filter(account=caller.account)


def fileset(caller, name):
    return _by_name(filesets(caller), name, "fileset")


def storages(caller):
    """Return what the operator set up for all accounts, or what the seen clients use of it."""
    found = Storage.objects.select_related("zone")
    if caller.limited_to:
        seen = clients(caller).order_by()
        return found.filter(pk__in=seen.values("pool__storage"))
    return found


def storage(caller, name):
    return _by_name(storages(caller), name, "storage")


def zone(caller, name):
    """Return a zone, which the operator set up for all accounts; raises NotFound."""
    return _by_name(Zone.objects.all(), name, "zone")


def _by_name(queryset, name, what):
    found = queryset.filter(name=name).first() if "\0" not in name else None
    if found is None:
        raise NotFound(f"There is no {what} named '{name}'.")
    return found
