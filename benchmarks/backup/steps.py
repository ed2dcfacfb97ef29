"""What is measured, on the engine's own code paths: ``python -m benchmarks.backup.steps STEP``."""

import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import django

from .measuring import Step, processor

LISTINGS = 50


def main():
    django.setup()
    _load()
    step, folder = Step[sys.argv[1]], Path(sys.argv[2])
    steps = {
        Step.PREPARE: prepare,
        Step.FULL: lambda _: back_up("Full"),
        Step.UNCHANGED: lambda _: back_up("Incremental"),
        Step.LISTING: list_folder,
        Step.ONE_FILE: restore_one,
    }
    begin = processor()
    seconds = steps[step](folder)
    sys.stdout.write(json.dumps([seconds, processor() - begin]))


def _load():
    """Import what a worker has imported long before a job."""
    from backup_app.jobs import control, execute  # noqa: F401

    _engine()


def prepare(folder):
    """Make the database, and a client that backs up the tree."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from backup_app.models import Client, Fileset, Pool, Storage, Zone

    call_command("migrate", verbosity=0)
    Client.objects.all().delete()
    (folder / "storage").mkdir()
    account, _ = get_user_model().objects.get_or_create(username="benchmark")
    zone = Zone.objects.create(name=f"zone{folder.name.lower()}")
    storage = Storage.objects.create(name=zone.name, zone=zone, path=str(folder / "storage"))
    pool = Pool.objects.create(account=account, name=zone.name, storage=storage)
    include = [{"path": str(folder / "tree")}]
    fileset = Fileset.objects.create(account=account, name=zone.name, include=include)
    Client.objects.create(
        account=account, name="tree", ip="192.0.2.1", zone=zone, pool=pool, fileset=fileset,
        connection="local",
    )  # fmt: skip
    return 0


def back_up(level):
    from backup_app.jobs import control
    from backup_app.models import Client

    return _done(control.start_backup(Client.objects.get(), level=level, by="benchmark"))


def list_folder(folder):
    """Return the median seconds of listing different folders of 100 files."""
    engine, job = _engine(), _newest()
    wanted = sorted((folder / "tree").glob("*/*"))[:LISTINGS]
    seconds = []
    for path in wanted:
        begin = perf_counter()
        engine.list_folder(job, bytes(path), limit=500)
        seconds.append(perf_counter() - begin)
    return median(seconds)


def restore_one(folder):
    """Restore the file in the middle of the tree, elsewhere."""
    from backup_app.jobs import control

    job = _newest()
    files = sorted((folder / "tree").glob("*/*"))
    path = next(iter(files[len(files) // 2].iterdir()))
    selection = _engine().select_paths(job, [bytes(path)])
    to = bytes(folder / "restored")
    return _done(control.start_restore(job, job.client, selection, path=to, by="benchmark"))


def _engine():
    from backup_app.engines import get_engine

    return get_engine("default")


def _newest():
    from backup_app.models import Job

    return Job.objects.backups().good().first()


def _done(job):
    """Run a job as the worker does; return the seconds that it took."""
    from backup_app.jobs import execute

    begin = perf_counter()
    execute.run(job.pk)
    seconds = perf_counter() - begin
    job.refresh_from_db()
    if not job.is_good:
        raise SystemExit(job.message)
    return seconds


if __name__ == "__main__":
    main()
