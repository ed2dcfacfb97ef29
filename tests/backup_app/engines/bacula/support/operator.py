"""What an operator does with the jobs of the throwaway Bacula, for tests."""

from django.db import connections

from .forged_jobs import schema


def backed_up(bacula, director, level="Full", client="one-fd", job="operator-backup") -> int:
    """Run a backup to its good end; return its JobId."""
    job_id = director.run(job, client=client, level=level, comment="test")
    assert bacula.wait(job_id) == "T"
    return job_id


def restore_to(director, where, wanted, client="one-fd") -> int:
    """Begin to restore something of one-fd to a folder; return the JobId."""
    return director.restore(
        wanted,
        job="operator-restore",
        source="one-fd",
        client=client,
        where=str(where),
        comment="test",
    )


def file_ids(job_id, *names) -> list[int]:
    """Return the FileIds of names in a job, in their order."""
    query = f"SELECT fileid FROM file f {schema().join('f')} WHERE n.name = %s AND jobid = %s"  # noqa: S608
    with connections["bacula"].cursor() as cursor:
        return [cursor.execute(query, [name, job_id]).fetchone()[0] for name in names]


def log_of(bacula, job_id) -> str:
    query = f"SELECT logtext FROM log WHERE jobid = {int(job_id)} ORDER BY logid"  # noqa: S608
    return "\n".join("\t".join(row) for row in bacula.query(query))


def at_work(director, job_id, client="one-fd"):
    """Return the progress of a job once it has some."""
    progress = director.running(client).get(job_id)
    return progress and progress.size and progress
