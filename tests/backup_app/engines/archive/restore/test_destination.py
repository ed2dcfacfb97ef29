import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.restore.destination import require_destination
from backup_app.exceptions import Forbidden, Invalid
from backup_app.jobs import control
from backup_app.models import Job

from ....support.factories import ClientFactory
from ....support.local_backups import back_up, local_client, local_roots

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    with local_roots(folder):
        yield folder


@pytest.mark.parametrize("path", [b"relative", b"", b"/a/../b", b"/..", b"/a\0b", b"../x"])
def test_a_relative_path_or_one_with_dots_is_invalid(path, root):
    with pytest.raises(Invalid, match="is not an absolute path without"):
        require_destination(ClientFactory(), path)


def test_a_path_over_4095_bytes_is_invalid(root):
    with pytest.raises(Invalid, match="longer than 4095 bytes"):
        require_destination(ClientFactory(), b"/" + b"a" * 4095)


def test_below_a_root_and_the_original_location_are_accepted(root):
    client = ClientFactory()

    for path in (bytes(root), bytes(root) + b"/new/\xff", b"/"):
        require_destination(client, path)


def test_elsewhere_on_this_machine_is_forbidden(root):
    other = root.with_name("root-of-another")

    for path in (b"/etc", bytes(root.parent), bytes(other)):
        with pytest.raises(Forbidden, match="is not below a folder that may be backed up"):
            require_destination(ClientFactory(), path)


def test_a_symlink_out_of_a_root_is_forbidden(root):
    (root / "link").symlink_to("/etc")

    with pytest.raises(Forbidden, match="is not below a folder that may be backed up"):
        require_destination(ClientFactory(), bytes(root / "link/cron.d"))


def test_a_root_may_be_named_by_a_symlink(root):
    link = root.with_name("link")
    link.symlink_to(root)

    with local_roots(link):
        for path in (bytes(link / "new"), bytes(root / "new")):
            require_destination(ClientFactory(), path)


def test_another_machine_has_no_roots(root):
    require_destination(ClientFactory(connection="ssh"), b"/etc")


def test_no_job_is_made_for_a_forbidden_destination(tmp_path):
    with local_roots(tmp_path):
        client = local_client(tmp_path)
        job = back_up(client)
        chosen = ArchiveEngine().select_paths(job, [b"/"])

        with pytest.raises(Forbidden):
            control.start_restore(job, client, chosen, path=b"/etc", by="ann")

    assert not Job.objects.filter(type="restore").exists()
