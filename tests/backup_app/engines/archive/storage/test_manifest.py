"""``manifest.py``: beside each volume there is all that the catalog knows of it."""

import subprocess
from pathlib import Path

import orjson
import pytest

from backup_app.engines.archive.storage.manifest import COLUMNS
from backup_app.models import Entry

from ....support.forged_volumes import as_line
from ....support.local_backups import back_up, local_client, local_roots, volume_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/file").write_bytes(b"content")
    (tmp_path / "tree/\udcff\n").symlink_to("gr\udcf6\udcdfe")
    with local_roots(tmp_path):
        yield tmp_path / "tree"


def lines(job) -> list:
    """Return what the manifest of a job says, read by the plain tools."""
    manifest = f"{volume_of(job)}.manifest"
    plain = subprocess.run(["zstd", "-dc", manifest], capture_output=True, check=True).stdout
    return [orjson.loads(line) for line in plain.splitlines()]


def test_each_entry_has_a_line(tree):
    job = back_up(local_client(tree.parent))

    head, *entries = lines(job)

    assert head["columns"] == COLUMNS
    assert entries == [as_line(entry) for entry in Entry.objects.filter(job=job).order_by("id")]


def test_what_is_gone_has_a_line(tree):
    client = local_client(tree.parent)
    back_up(client)
    (tree / "file").unlink()

    job = back_up(client, "Incremental")

    gone = [f"{tree}/file", "-", 0, 0, 0, 0, 0, "", "", "", None, 0, 0]
    assert gone in lines(job)
    entries = Entry.objects.filter(job=job).order_by("id")
    assert lines(job)[1:] == [as_line(entry) for entry in entries]


def test_the_first_line_says_where_it_comes_from(tree):
    client = local_client(tree.parent, name="web")
    full = back_up(client)

    job = back_up(client, "Incremental")
    head = lines(job)[0]

    assert head["format"] == 1
    assert head["job"]["sources"] == [full.pk, job.pk]
    assert (head["job"]["id"], head["job"]["level"]) == (job.pk, "Incremental")
    assert (head["client"]["name"], head["account"]["email"]) == ("web", client.account.email)
    assert head["fileset"]["include"] == [{"path": str(tree)}]
    assert head["pool"]["name"] == client.pool.name
    assert head["volume"] == {
        "path": job.volume.path,
        "size": job.volume.size,
        "tar_size": job.volume.tar_size,
        "sha256": job.volume.sha256.hex(),
    }


def test_it_lies_beside_its_volume(tree):
    job = back_up(local_client(tree.parent))

    folder = Path(job.storage.path) / f"volumes/{job.client_id}"

    assert sorted(path.name for path in folder.iterdir()) == [
        f"job-{job.pk}.tar.zst",
        f"job-{job.pk}.tar.zst.manifest",
    ]
