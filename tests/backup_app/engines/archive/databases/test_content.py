"""The content of a dump in a volume, before any of it is loaded."""

import pytest

from backup_app.engines.archive.databases.load import Content
from backup_app.engines.values import no_tick
from backup_app.exceptions import EngineError

from ....support.local_backups import volume_of

pytestmark = pytest.mark.django_db


def test_what_is_no_tar_there_is_reported(job):
    entry = job.entries.get(name=b"file")
    Content(entry).check(no_tick)
    entry.offset, entry.length = entry.offset + 512, entry.length - 512

    with pytest.raises(EngineError, match=f"^The volume '{volume_of(job)}' is damaged: "):
        Content(entry).check(no_tick)
