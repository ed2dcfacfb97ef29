"""Finding mailboxes in backups: PST files, each of one mail address, and mail stores."""

import datetime as dt
import re
from itertools import product

from django.db.models import F
from django.db.models.functions import Length, Substr

from .conf import conf
from .fields import BytesField
from .models import Entry, Job, Mailbox

SUFFIXES = ".pst", ".edb"
STORE = ".edb"
LONGEST_NAME = Mailbox._meta.get_field("mailbox").max_length
LONGEST_PATH = Mailbox._meta.get_field("pst_path").max_length
FOUND_FIELDS = ["store_path", "pst_path", "pst_file_id", "pst_size", "pst_mtime", "job"]


def harvest(job: Job) -> int:
    """Note the mailboxes that a good backup brought; return how many it found. May be repeated.

    Of several PST files of a mailbox the one that was changed last counts.
    """
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in conf.mailbox_patterns]
    rows = {row.mailbox: row for row in Mailbox.objects.filter(client=job.client)}
    found = set()
    for entry in _candidates(job):
        path = _path(entry)
        if name := _mailbox(path, patterns):
            row = rows.setdefault(name, Mailbox(client=job.client, mailbox=name))
            _note(row, entry, path, job)
            found.add(name)
    Mailbox.objects.bulk_create(
        [rows[name] for name in found],
        update_conflicts=True,
        unique_fields=["client", "mailbox"],
        update_fields=FOUND_FIELDS,
    )
    return len(found)


def _candidates(job):
    """Yield the entries of PST files and stores; the names of all others stay in the database."""
    endings = Substr("name", Length("name") - 3, output_field=BytesField())
    entries = Entry.objects.filter(job=job, kind=Entry.Kind.FILE).annotate(ending=endings)
    spellings = [spelling for suffix in SUFFIXES for spelling in _spellings(suffix)]
    return entries.filter(ending__in=spellings).annotate(parent=F("folder__path")).iterator()


def _spellings(suffix):
    letters = [{letter.lower(), letter.upper()} for letter in suffix]
    return ["".join(letters).encode() for letters in product(*letters)]


def _path(entry):
    return b"/".join([bytes(entry.parent).rstrip(b"/"), bytes(entry.name)]).decode(errors="replace")


def _mailbox(path, patterns):
    """Return the mailbox that a path is of, None for none and for what has no room."""
    if len(path) > LONGEST_PATH:
        return None
    names = (found["mailbox"].lower() for pattern in patterns if (found := pattern.search(path)))
    return next((name for name in names if len(name) <= LONGEST_NAME), None)


def _note(row, entry, path, job):
    if path.lower().endswith(STORE):
        row.store_path = path
        row.job_id = row.job_id or job.pk
        return
    changed = dt.datetime.fromtimestamp(entry.mtime_ns // 10**9, dt.UTC)
    # The same file in a newer backup counts even if its time was set back; and of a backup that
    # was removed there is nothing to read.
    if (
        row.pst_mtime is None
        or row.job_id is None
        or path == row.pst_path
        or changed >= row.pst_mtime
    ):
        row.pst_path, row.pst_file_id = path, entry.pk
        row.pst_size, row.pst_mtime, row.job = entry.size, changed, job
