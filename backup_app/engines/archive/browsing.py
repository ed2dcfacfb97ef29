"""Looking through all backups of a client, instead of one."""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Exists, Max, OuterRef, Subquery

from ...exceptions import NotFound
from ...models import Entry, Folder, Job
from ...models.job import JobSource
from ..base import Node
from . import paths
from .view import View


def jobs_with_path(jobs, path: bytes):
    """Return those of a queryset of one client's jobs that are backups which contain a path."""
    path = paths.normal(path)
    folder, name = paths.split(path)
    newest = (
        Entry.objects.filter(
            folder__in=Folder.objects.filter(
                client=OuterRef(OuterRef("client")), path_hash=paths.digest(folder)
            ),
            name=name,
            job__lte=OuterRef("pk"),
            job__dependent_links__job=OuterRef("pk"),
        )
        .order_by("-job_id")
        .values("kind")[:1]
    )
    present = [kind for kind in Entry.Kind.values if kind != Entry.Kind.GONE]
    return jobs.good().backups().alias(there=Subquery(newest)).filter(there__in=present)


def client_tree(client, path: bytes) -> Sequence[Node]:
    """Return the folders in a path as the newest good backup of each fileset has them.

    A folder that several have is one node with the most that one has in it. Raises NotFound.
    """
    found: dict[bytes, Node] = {}
    known = False
    for job in newest_backups(client):
        view = View(job)
        try:
            nodes = view.subfolders(view.folder(path))
        except NotFound:
            continue
        known = True
        for node in nodes:
            found[node.name] = _merged(found[node.name], node) if node.name in found else node
    if not known:
        raise NotFound(f"No backup of client '{client}' has a folder '{paths.shown(path)}'.")
    return [found[name] for name in sorted(found)]


def newest_backups(client):
    """Return the newest good backup of each fileset of a client; those that have none are one."""
    newest = (
        Job.objects.filter(Exists(JobSource.objects.filter(job=OuterRef("pk"))), client=client)
        .good()
        .backups()
        .order_by()
        .values("fileset")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    return Job.objects.filter(pk__in=newest).order_by("pk")


def _merged(one: Node, other: Node) -> Node:
    return replace(
        other,
        size=max(one.size, other.size),
        files=max(one.files, other.files),
        has_children=one.has_children or other.has_children,
    )
