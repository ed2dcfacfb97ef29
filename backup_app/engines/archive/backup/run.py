"""The steps of a backup: choose a base, scan, read, dump databases, catalog, finish."""

import os
import sqlite3
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Protocol

from django.db import transaction

from ....conf import conf
from ....exceptions import EngineError
from ....lib import paths
from ....lib.bulk import batches, delete_in_batches
from ....lib.formatting import counted
from ....models import Entry, Job, JobSource, Volume
from ...shared.dumps import DUMPS
from ...shared.job_parts import fileset_of, storage_of
from ...values import Outcome, Run
from ..catalog import folders
from ..catalog.view import View
from ..databases import dump
from ..storage import layout, manifest, space
from ..storage.labels import storage_folder
from ..storage.tar_reader import Member
from ..storage.volume import VolumeWriter
from ..transport.machines import Machine, machine_for
from . import catalog_writer, chain
from .dump_appender import DumpAppender
from .progress import Progress
from .scan import Scan, include_path
from .second_pass import SecondPass
from .tar_source import TarSource
from .workspace import ToStore, Workspace

GONE = 900  # paths in one query for their folders; SQLite before 3.32 allows 999 parameters
DELETED_AT_ONCE = 20_000  # entries of a transaction, which no other rows refer to


class Options(Protocol):
    """The options of the engine that backups use."""

    frame_bytes: int
    compression: int
    threads: int


def back_up(engine: Options, run: Run) -> Outcome:
    """Back up what ``run.job`` says; see ``Engine.backup``."""
    storage = storage_of(run.job)
    machine = machine_for(run.job.client)
    limit = space.limit_for(run.job)
    limit.require(1)
    layout.require_new(run.job)
    try:
        folder = layout.make_work_folder(run.job)
        with ExitStack() as stack:
            outcome = Backup(engine, run, machine, folder, limit, stack).run()
        layout.remove_work_folder(run.job)
    except OSError as e:
        raise EngineError(f"The storage '{storage}' cannot be used: {e.strerror}.") from e
    except sqlite3.Error as e:
        raise EngineError(
            f"The storage '{storage}' cannot be used for temporary files: {e}."
        ) from e
    return outcome


def discard(job: Job) -> None:
    """Remove the rows and files of a backup that did not succeed; do nothing to a good one."""
    job = Job.objects.select_related("storage", "client").get(pk=job.pk)
    if job.is_good or job.type != Job.Type.BACKUP:
        return
    try:
        layout.remove_files(job)
    finally:
        delete_in_batches(Entry.objects.filter(job=job).order_by("id"), DELETED_AT_ONCE)
    with transaction.atomic():
        Volume.objects.filter(job=job).delete()
        JobSource.objects.filter(job=job).delete()
    folders.delete_unused_folders(job.client)


class Backup:
    """A running backup in its work folder; ``stack`` closes what it opens."""

    def __init__(
        self,
        engine: Options,
        run: Run,
        machine: Machine,
        folder: Path,
        limit: space.Limit,
        stack: ExitStack,
    ):
        self.job, self.fileset, self.client = run.job, fileset_of(run.job), run.job.client
        self.job_run, self.machine, self.folder = run, machine, folder
        self.progress = Progress(run)
        self.workspace = stack.enter_context(Workspace(folder / "workspace.sqlite3"))
        self.volume = stack.enter_context(
            VolumeWriter(
                folder / "volume",
                frame_bytes=engine.frame_bytes,
                level=self.fileset.options.get("compression", engine.compression),
                threads=engine.threads,
                limit=limit,
                tick=self.progress.tick,
            )
        )
        self.manifest = stack.enter_context(manifest.ManifestWriter(folder / "lines"))
        self.catalog = catalog_writer.CatalogWriter(self.job, self.manifest)

    def run(self) -> Outcome:
        base = self._choose_base()
        if base:
            known = chain.known_rows(base, self.progress.tick)
            self.workspace.build_on(known, partial(folders.folder_ids_by_hash, self.client))
        unread = self._list()
        catalog_writer.make_folders(self.client, self.workspace)
        replaced = self._read()
        self._dump_databases()
        if base:
            self._catalog_gone_below(base, replaced)
            self._catalog_gone(unread)
        self.catalog.finish()
        return self._finish(base)

    def _choose_base(self) -> Job | None:
        """Return the backup to build on; without one the level becomes Full."""
        job, level = self.job, self.job.level
        base = chain.find_base(job)
        if base and (fault := next(chain.volume_faults(base.sources.all()), "")):
            self.progress.warn(fault)
            base = None
        if base is None and level != Job.Level.FULL:
            job.level = Job.Level.FULL
            self.job_run.info(f"There is no backup for this {level} to build on: it becomes Full.")
        elif base:
            self.job_run.info(f"This {level} builds on backup {base.pk} ({base.level}).")
        job.parent = base
        job.save(update_fields=["level", "parent"])
        return base

    def _list(self) -> list[bytes]:
        """Scan the paths of the fileset; return the folders that could not be read."""
        includes, refused = self._includes()
        scan = Scan(
            self.machine,
            self.workspace,
            complain=self.progress.warn,
            warn=self.job_run.warning,
            tick=self.progress.tick,
        )
        scan.run(
            includes,
            excludes=self.fileset.exclude,
            left_out=self._left_out(),
            one_filesystem=self.fileset.options.get("one_filesystem", False),
        )
        count, size = self.workspace.totals()
        self.job_run.expect(size)
        self.job_run.info(
            f"{counted(count, 'new or changed entry', 'new or changed entries')} with"
            f" {counted(size, 'byte')} of content."
        )
        return [*scan.unread, *refused]

    def _includes(self) -> tuple[list[bytes], list[bytes]]:
        """Return the paths of the fileset that may be read, and those that may not.

        The owner of a folder above a path can make it lead anywhere; the other paths are backed
        up nevertheless. Raises EngineError if none may be read.
        """
        includes, refusals = [], {}
        for path in (include_path(each["path"]) for each in self.fileset.include):
            try:
                self.machine.require_allowed(path)
            except EngineError as e:
                refusals[path] = e
            else:
                includes.append(path)
        for refusal in refusals.values():
            if not includes:
                raise refusal
            self.progress.warn(str(refusal))
        return includes, list(refusals)

    def _read(self) -> list[bytes]:
        """Store the scanned files; return the folders that were replaced by something else."""
        source = TarSource(self.machine, self.workspace, self.volume, self.catalog, self.progress)
        source.run(self.folder / "names")
        second_pass = SecondPass(source)
        second_pass.run(self.folder / "requests")
        return second_pass.replaced

    def _left_out(self) -> list[bytes]:
        """Return paths to leave out: the dumps', and our own files, which grow during a backup."""
        if not self.machine.local:
            return [DUMPS.encode()]
        return [
            DUMPS.encode(),
            *(os.path.realpath(bytes(path)) for path in (self._storage, conf.root)),
        ]

    def _dump_databases(self) -> None:
        if not self.fileset.databases:
            return
        spool = self.folder / "spool"
        spool.mkdir(mode=0o700)
        appender = DumpAppender(self.client, self.volume, self._appended, self.progress.add_bytes)
        for path, spooled in dump.dump_members(self.job_run, self.machine, self.fileset, spool):
            appender.add_file(path, spooled)
            spooled.unlink(missing_ok=True)

    def _appended(self, member: Member, place: ToStore) -> None:
        self.catalog.add(member, place)
        self.progress.count(member)
        self.workspace.keep(place.folder, place.name)

    def _catalog_gone_below(self, base: Job, replaced: list[bytes]) -> None:
        """Catalog the content of replaced folders as gone."""
        view = View(base)
        for path in replaced:
            for some in batches(folders.folders_below(self.client, path)):
                rows = view.at(folder__in=some).values_list("folder", "folder__path", "name")
                for folder, folder_path, name in rows:
                    self.workspace.keep(folder, name)
                    self.catalog.add_gone(folder, folder_path, name)
                self.progress.tick()

    def _catalog_gone(self, unread: list[bytes]) -> None:
        if paths.ROOT in unread:
            self.job_run.info(
                "Deleted files were not searched for: not everything could be listed."
            )
            return
        for path in unread:
            self._keep(path)
        for some in batches(self.workspace.gone(), GONE):
            names = folders.folder_paths({folder for folder, _ in some})
            for folder, name in some:
                self.catalog.add_gone(folder, names[folder], name)
            self.progress.tick()

    def _keep(self, path: bytes) -> None:
        """Do not count the known content of an unread path as gone."""
        self.workspace.keep_folders(folders.folders_below(self.client, path))
        while path != paths.ROOT:
            folder, name = paths.split(path)
            for parent in folders.folder_ids_by_hash(self.client, [paths.digest(folder)]).values():
                self.workspace.keep(parent, name)
            path = folder

    def _finish(self, base: Job | None) -> Outcome:
        """Rename the volume and then its manifest to their final names, and record them.

        In this order a volume with a manifest is complete, and a row has its files.
        """
        digest = self.volume.finish()
        sources = chain.sources(self.job, base)
        name = layout.volume_name(self.job)
        values = {"path": name, "size": self.volume.size, "tar_size": self.volume.tar_size}
        volumes = Volume.objects.filter(job__in=sources).order_by("job")
        named = dict([*volumes.values_list("path", "job"), (name, self.job.pk)])
        head = manifest.head(self.job, values | {"sha256": digest.hex()}, named)
        whole = self.manifest.finish(head)
        self.progress.tick()
        final = self._storage / name
        layout.put(self.folder / "volume", final)
        layout.put(whole, layout.manifest_path(final))
        with transaction.atomic():
            Volume.objects.create(job=self.job, sha256=digest, **values)
            chain.link_sources(self.job, sources)
        outcome = self.progress.outcome
        outcome.stored_bytes = self.volume.size
        return outcome

    @property
    def _storage(self) -> Path:
        return storage_folder(storage_of(self.job))
