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
FOUND_FIELDS = ["store_path", "pst_path", "pst_file_id", "pst_size", "pst_mtime", "job"]


def harvest(job: Job) -> int:
    """Note the mailboxes that a good backup brought; return how many it found. May be repeated.

    Of several PST files of a mailbox the one that was changed last counts.
    """
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in conf.mailbox_patterns]
    rows = {}
    for entry in _candidates(job):
        path = _path(entry)
        if name := _mailbox(path, patterns):
            row = rows.get(name) or _row(job, name)
            rows[name] = row
            _note(row, entry, path, job)
    Mailbox.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["client", "mailbox"],
        update_fields=FOUND_FIELDS,
    )
    return len(rows)


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
    for pattern in patterns:
        if found := pattern.search(path):
            return found["mailbox"].lower()
    return None


def _row(job, name):
    known = Mailbox.objects.filter(client=job.client, mailbox=name).first()
    return known or Mailbox(client=job.client, mailbox=name)


def _note(row, entry, path, job):
    if path.lower().endswith(STORE):
        row.store_path = path
        row.job = row.job or job
        return
    changed = dt.datetime.fromtimestamp(entry.mtime_ns // 10**9, dt.UTC)
    # The same file in a newer backup counts even if its time was set back; and of a backup that
    # was removed there is nothing to read.
    if row.pst_mtime is None or row.job is None or path == row.pst_path or changed >= row.pst_mtime:
        row.pst_path, row.pst_file_id = path, entry.pk
        row.pst_size, row.pst_mtime, row.job = entry.size, changed, job
