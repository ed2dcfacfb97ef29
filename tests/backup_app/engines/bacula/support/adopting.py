"""Jobs of an installation that was there before this service, forged in its catalog."""

import datetime as dt
import secrets

from backup_app.models import Job, JobSource

from ....support.commands import command
from ....support.factories import ClientFactory, FilesetFactory, PoolFactory
from .forged_jobs import execute, forged_job

BEGIN = dt.datetime(2026, 3, 1, 2)
CLIENT = """
Client {{ Name = "{name}"; Address = "{address}"; FDPort = 9103
  Catalog = MyCatalog; Password = "x" }}
"""
FILESET = """
FileSet {{
  Name = "{name}"
  Include {{
    Options {{ compression = GZIP5; onefs = no }}
    File = "/srv"
    File = "C:/Users"
  }}
  Exclude {{ File = "/srv/cache" }}
}}
"""
POOL = 'Pool {{ Name = "{name}"; Pool Type = Backup; Volume Retention = {retention} }}\n'


def adopted_client(zone, **fields):
    """Return a client that Bacula calls by a name of its own, and nobody else."""
    fields = {"engine_name": f"fd-{secrets.token_hex(4)}", "connection": "agent"} | fields
    return ClientFactory(pool__storage__zone=zone, **fields)


def configured_client(operator):
    """Let the operator configure a client with the address 192.0.2.7; return its name."""
    name = unique("fd")
    operator(CLIENT.format(name=name, address="192.0.2.7"))
    return name


def add_fileset_and_pool(client):
    """Give a client's account the fileset "all" and the pool "Default" of Bacula; return it."""
    FilesetFactory(account=client.account, engine_name="all")
    PoolFactory(account=client.account, engine_name="Default", storage=client.pool.storage)
    return client


def history(client, levels, *, start=BEGIN, **values):
    """Forge a backup of a client for each letter, a day apart; return their numbers."""
    return [
        backup(client, level, started=start + dt.timedelta(days=day), **values)
        for day, level in enumerate(levels)
    ]


def backup(client, level="F", *, started=BEGIN, minutes=5, **values):
    """Forge a backup that took some minutes; its number."""
    times = {
        "schedtime": started,
        "starttime": started,
        "endtime": started + dt.timedelta(minutes=minutes),
    }
    names = {"name": f"job-{client.engine_name}", "fileset": "all", "pool": "Default"}
    counts = {"jobfiles": 3, "jobbytes": 100, "readbytes": 300}
    values = times | counts | names | values
    return forged_job(client=client.engine_name, level=level, **values)


def running(client, **values):
    """Forge a backup that runs; its number."""
    return backup(client, jobstatus="R", endtime=None, jobfiles=0, **values)


def chains():
    """Return the numbers in Bacula of what each backup consists of, by its own."""
    links = JobSource.objects.order_by("job_id", "source_id")
    found = {}
    for job, source in links.values_list("job__engine_job_id", "source__engine_job_id"):
        found.setdefault(job, []).append(source)
    return found


def numbers():
    return list(Job.objects.order_by("pk").values_list("engine_job_id", flat=True))


def forget(*job_ids):
    execute("DELETE FROM job WHERE jobid = ANY(%s)", list(job_ids))


def unique(what):
    return f"{what}-{secrets.token_hex(4)}"


def sync(*words):
    return command("sync_bacula", "--account=kim@example.org", *words)


def named(machine):
    return ClientFactory.build(engine_name=machine)
