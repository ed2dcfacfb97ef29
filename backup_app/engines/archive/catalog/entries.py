"""Entries of the catalog, by the thousand."""

from ....models import Entry, Job

ENTRY = (
    "job_id folder_id node_id name kind size mtime_ns ctime_ns inode mode owner group target"
    " sha256 offset length"
).split()


def delete_entries(job: Job, count: int = 20_000) -> None:
    """Delete the entries of a job, so many at once that others can write in between."""
    while ids := list(
        Entry.objects.filter(job=job).order_by("id").values_list("pk", flat=True)[:count]
    ):
        Entry.objects.filter(job=job, pk__lte=ids[-1]).delete()
