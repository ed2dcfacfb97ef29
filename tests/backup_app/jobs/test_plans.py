"""Plans of restores and the choice of what is replaced, by the verbs that all callers share."""

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.values import Selection
from backup_app.exceptions import Invalid, TooLarge, WrongState
from backup_app.jobs import control, execute
from backup_app.models import Job

from ..support.factories import JobFactory
from ..support.folder_engine import folder_engine
from ..support.local_backups import back_up, local_client, local_roots

pytestmark = pytest.mark.django_db


@pytest.fixture
def backup(tmp_path):
    with local_roots(tmp_path):
        client = local_client(tmp_path)
        (tmp_path / "tree/file").write_text("first")
        yield back_up(client)


def chosen(backup, tmp_path):
    return ArchiveEngine().select_paths(backup, [bytes(tmp_path / "tree")])


def test_the_report_of_a_restore_is_kept_with_the_job(backup, tmp_path):
    (tmp_path / "tree/file").unlink()
    selection = chosen(backup, tmp_path)
    plan = control.plan_restore(backup, backup.client, selection).as_json()
    job = control.start_restore(backup, backup.client, selection, by="test")

    execute.run(job.pk)

    job.refresh_from_db()
    assert job.report == {
        "placed": plan["placed"], "left": {}, "paths": [], "more_paths": 0, "refused": 0
    }  # fmt: skip
    assert plan["placed"]["new"] == {"entries": 1, "bytes": 5}


def test_an_unknown_choice_is_named(backup, tmp_path):
    selection = chosen(backup, tmp_path)

    for verb in (control.plan_restore, control.start_restore):
        with pytest.raises(Invalid, match="Unknown choice 'x' for existing files"):
            verb(backup, backup.client, selection, existing="x", **by(verb))
    assert not Job.objects.filter(type="restore").exists()


def by(verb):
    return {"by": "test"} if verb == control.start_restore else {}


def test_a_plan_that_takes_too_long_is_given_up(backup, tmp_path):
    with pytest.raises(TooLarge, match="takes longer than 0 seconds"):
        control.plan_restore(backup, backup.client, chosen(backup, tmp_path), seconds=1e-9)


def test_an_engine_that_cannot_plan_or_keep_says_so(db):
    with folder_engine():
        backup = JobFactory(status="completed")
        selection = Selection(nodes=[(1, b"/")])
        with pytest.raises(WrongState, match="cannot say in advance what a restore does"):
            control.plan_restore(backup, backup.client, selection)
        with pytest.raises(WrongState, match="always replaces files"):
            control.start_restore(backup, backup.client, selection, existing="keep", by="test")
