"""A small engine that copies folders, for tests of all that is around an engine."""

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path

from django.db import transaction
from django.test import override_settings

from backup_app.engines.archive.catalog.view import files_ending
from backup_app.engines.base import Engine
from backup_app.engines.values import Outcome, Problem, System
from backup_app.exceptions import EngineError, NotFound, WrongState
from backup_app.models import Entry, Folder, Job, JobSource, Volume

NAME = "tests.backup_app.support.folder_engine.FolderEngine"


def folder_engine():
    """Return settings by which the default engine is a FolderEngine."""
    return override_settings(BACKUP_ENGINES={"default": {"BACKEND": NAME}})


@dataclass
class FolderEngine(Engine):
    """Copies the files right in the fileset's folders to ``<storage>/volumes/job-<id>``.

    A backup that is not full copies what the newest backup lacks.
    """

    supports_databases = True

    def systems(self):
        return [System("unix", "Unix")]

    def backup(self, run):
        job = run.job
        base = _base(job)
        known = _view(base) if base else {}
        if base is None and job.level != Job.Level.FULL:
            job.level = Job.Level.FULL
            run.info("There is no full backup yet, so this one is full.")
        JobSource.objects.bulk_create(_sources(job, base))
        found = [path for path in _files(job) if _digest(path) != known.get(str(path))]
        run.expect(sum(path.stat().st_size for path in found))
        with _writing(job) as work:
            for number, path in enumerate(found, 1):
                self._copy(run, path, work / str(number))
                run.tick(number)
            volume = _volume(job)
            volume.parent.mkdir(parents=True, exist_ok=True)
            work.rename(volume)
        job.save(update_fields=["level"])
        size = sum(file.stat().st_size for file in volume.iterdir())
        Volume.objects.create(job=job, path=volume.name, size=size, tar_size=size, sha256=b"")
        return Outcome(files=len(found), bytes=size, stored_bytes=size)

    def restore(self, run):
        target = Path(run.job.request["path"])
        if str(target) == "/":
            raise EngineError("This engine restores to other folders only.")
        for entry in Entry.objects.filter(pk__in=run.job.request["files"]).order_by("pk"):
            place = target / entry.name.decode().lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            self._copy(run, _stored(entry), place, catalog=False)
            run.tick()
        return Outcome(files=len(run.job.request["files"]))

    def verify(self, run):
        for entry in Entry.objects.filter(job__in=run.job.parent.sources.all()):
            if sha256(_stored(entry).read_bytes()).digest() != entry.sha256:
                run.error(f"'{entry}' of job {entry.job_id} is damaged.")
            run.tick()
        return Outcome(files=run.job.parent.files)

    def discard(self, job):
        if job.type == Job.Type.BACKUP:
            job.entries.all().delete()
            Volume.objects.filter(job=job).delete()
            job.source_links.all().delete()
            for folder in (_work(job), _volume(job)):
                shutil.rmtree(folder, ignore_errors=True)

    def remove(self, job):
        volume = _volume(job)
        with transaction.atomic():
            job.delete()
        shutil.rmtree(volume, ignore_errors=True)

    def check_storage(self, storage, *, delete=False):
        known = {f"job-{pk}" for pk in storage.jobs.good().values_list("pk", flat=True)}
        for folder in sorted(Path(storage.path).glob("*/job-*")):
            if folder.name not in known:
                yield Problem(str(folder), "No job has this volume.")
                if delete:
                    shutil.rmtree(folder)

    def rebuild_catalog(self, storage, *, dry_run=False, heir=None):
        yield from storage.jobs.good().order_by("pk")

    def select_paths(self, job, paths):
        view = {entry.name: entry.pk for entry in _entries(job)}
        if lost := [path for path in paths if path not in view]:
            raise NotFound(f"There is no '{lost[0].decode()}' in job {job.pk}.")
        return Selected(files=[(view[path], path) for path in paths])

    def files_ending(self, job, endings):
        return files_ending(job, endings)

    def find_dump(self, job, name, kind="mysql"):
        if {"kind": kind, "name": name} not in job.fileset.databases:
            raise NotFound(f"Job {job.pk} has no dump of '{name}'.")

    def require_database(self, client, kind, name):
        if name == "absent":
            raise WrongState(f"There is no database '{name}' on client '{client}'.")

    def _copy(self, run, path, place, *, catalog=True):
        content = path.read_bytes()
        place.write_bytes(content)
        if catalog:
            _catalog(run.job, path, int(place.name), content)


@dataclass(frozen=True)
class Selected:
    nodes: tuple = ()
    files: tuple = ()


def _base(job):
    if job.level == Job.Level.FULL:
        return None
    good = job.client.jobs.backups().good().filter(fileset=job.fileset, engine=job.engine)
    return good.first()


def _sources(job, base):
    pks = [link.source_id for link in base.source_links.all()] if base else []
    return [JobSource(job=job, source_id=pk) for pk in [*pks, job.pk]]


def _entries(job):
    """Return the newest entry of each path."""
    entries = Entry.objects.filter(job__in=job.sources.all()).order_by("job_id")
    return {bytes(entry.name): entry for entry in entries}.values()


def _view(job):
    return {entry.name.decode(): bytes(entry.sha256) for entry in _entries(job)}


def _files(job):
    roots = [Path(root["path"]) for root in job.fileset.include]
    if lost := [root for root in roots if not root.is_dir()]:
        raise EngineError(f"There is no folder '{lost[0]}' on client '{job.client}'.")
    return sorted(path for root in roots for path in root.iterdir() if path.is_file())


def _digest(path):
    return sha256(path.read_bytes()).digest()


@contextmanager
def _writing(job):
    _work(job).mkdir(parents=True)
    yield _work(job)


def _work(job):
    return Path(job.storage.path) / "work" / f"job-{job.pk}"


def _volume(job):
    return Path(job.storage.path) / "volumes" / f"job-{job.pk}"


def _stored(entry):
    return _volume(entry.job) / str(entry.offset)


def _catalog(job, path, number, content):
    # The whole path is the name: browsing is not what is tested with this engine.
    root, _ = Folder.objects.get_or_create(
        client=job.client,
        path_hash=blake2b(b"/", digest_size=16).digest(),
        defaults={"name": b"", "path": b"/"},
    )
    Entry.objects.create(
        job=job,
        folder=root,
        name=str(path).encode(),
        kind=Entry.Kind.FILE,
        size=len(content),
        sha256=sha256(content).digest(),
        offset=number,
        length=len(content),
    )
