"""The service beside a throwaway Bacula, and what it has that do."""

import os
import time
from pathlib import Path

import django

from tests.backup_app.engines.bacula.support.installation import SERVER, Installation

POLL = 0.02  # seconds


def set_up(folder: Path, installation: Installation) -> None:
    """Make this process the service, with a database of its own below a folder."""
    url = "postgres://{user}@{host}:{port}/".format(**SERVER) + installation.database
    options = {f"BACULA_{key.upper()}": str(value) for key, value in installation.options().items()}
    os.environ |= options | {
        "BACULA_CATALOG_URL": url,
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ENV_FILE": os.devnull,
        "LOG_LEVEL": "ERROR",
    }
    del os.environ["BACULA_CATALOG"]
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def make_client(installation: Installation):
    """Return a client whose machine is the installation's first; its own folder is backed up."""
    from django.contrib.auth import get_user_model

    from backup_app.models import Client, Fileset, Pool, Storage, Zone

    account = get_user_model().objects.create(username="benchmark")
    zone = Zone.objects.create(name="bacula", engine="bacula")
    storage = Storage.objects.create(name="File1", zone=zone, engine_name="File1")
    pool = Pool.objects.create(account=account, name="pool", storage=storage)
    include = [{"path": str(installation.own)}]
    fileset = Fileset.objects.create(account=account, name="own", include=include)
    return Client.objects.create(
        account=account, name="one", ip="192.0.2.1", zone=zone, pool=pool, fileset=fileset,
        connection="agent", engine_name=installation.one.name,
    )  # fmt: skip


def back_up(client, level: str):
    """Return the job of a backup that has ended well."""
    from backup_app.jobs import control

    return _done(control.start_backup(client, level=level, by="benchmark"))


def back_up_by_worker(client, level: str):
    """Return the job of a backup that was followed as often as a worker does."""
    from backup_app.jobs import control, execute, resume

    job, follower = control.start_backup(client, level=level, by="benchmark"), resume.Follower()
    execute.run(job.pk)
    job.refresh_from_db()
    while job.is_open:
        time.sleep(resume.OFTEN)
        follower.look()
        job.refresh_from_db()
    return _good(job)


def as_run_command(job) -> str:
    """Return the console's command for the same as a backup."""
    from backup_app.engines import get_engine
    from backup_app.engines.bacula.config import provisioning

    uses = job.fileset, job.pool, job.storage
    names = provisioning.prepare_backup(get_engine(job.engine), job.client, *uses)
    words = " ".join(f'{kind}="{name}"' for kind, name in names.items())
    return f"run {words} level={job.level} yes"


def restore(backup, folder: Path, to: Path) -> None:
    """Restore a folder of a backup below another."""
    from backup_app.engines import get_engine
    from backup_app.jobs import control

    selection = get_engine(backup.engine).select_paths(backup, [bytes(folder)])
    path = bytes(to)
    _done(control.start_restore(backup, backup.client, selection, path=path, by="benchmark"))


def _done(job):
    """Do a job as the worker does, but look after it all the time."""
    from backup_app.jobs import execute

    execute.run(job.pk)
    job.refresh_from_db()
    while job.is_open:
        time.sleep(POLL)
        execute.resume(job.pk)
        job.refresh_from_db()
    return _good(job)


def _good(job):
    if not job.is_good:
        raise SystemExit(f"The {job.type} is {job.status}: {job.message}")
    return job
