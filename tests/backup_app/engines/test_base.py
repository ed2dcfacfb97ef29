"""What an engine that implements only what it must answers to the rest."""

import pytest

from backup_app.engines.base import Engine
from backup_app.engines.shared.job_parts import fileset_of
from backup_app.exceptions import EngineError
from backup_app.models import Job, Storage


def test_what_an_engine_need_not_have_is_empty():
    engine, storage = Engine(), Storage()

    answers = [
        *(engine.faults(), engine.worker_faults()),
        *(engine.check_storage(storage), engine.rebuild_catalog(storage)),
        *(engine.inventory(), engine.job_history({}), engine.find_jobs({}, [1])),
        *(engine.count_jobs(), engine.job_log(Job())),
    ]

    assert [list(answer) for answer in answers] == [[]] * 9
    assert (engine.storage_fault(storage), engine.disk_usage(storage)) == ("", None)
    assert engine.existing_jobs([1, 2]) == {1, 2}  # No job is taken for one that was purged.
    assert engine.may_be_slow_to_plan(Job())


def test_a_job_whose_fileset_was_deleted_is_named():
    with pytest.raises(EngineError, match=r"^Job 5 has no fileset\.$"):
        fileset_of(Job(pk=5))
