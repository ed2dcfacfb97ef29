"""``manifest.py``: beside each volume there is all that the catalog knows of it."""

import subprocess
from pathlib import Path

import orjson
import pytest
import zstandard

from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.engines.archive.storage.manifest import COLUMNS, MAX_LINE, ManifestReader
from backup_app.exceptions import EngineError
from backup_app.models import Entry
from tests.prerequisites import need_zstd

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
    need_zstd()
    manifest = f"{volume_of(job)}.manifest"
    plain = subprocess.run(["zstd", "-dc", manifest], capture_output=True, check=True).stdout
    return [orjson.loads(line) for line in plain.splitlines()]


def test_each_entry_has_a_line(tree):
    job = back_up(local_client(tree.parent))

    head, *entries = lines(job)

    assert head["columns"] == COLUMNS
    assert entries == [as_line(entry) for entry in Entry.objects.filter(job=job).order_by("id")]


def test_a_name_like_the_end_of_a_line_stays_within_its_own(tree):
    (tree / '1],["').write_bytes(b"")
    job = back_up(local_client(tree.parent))

    _, *entries = lines(job)

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


DAMAGES = [
    (lambda head, rows: head.update(format=2), r"its format is 2, not 1\.$"),
    (lambda head, rows: head.update(pool=None), r"its head is incomplete\.$"),
    (
        lambda head, rows: head["job"].pop("sources"),
        r"its list of sources is incomplete \(KeyError",
    ),
    (lambda head, rows: head["job"].update(volumes=["one", "two"]), "its list of sources is"),
    (lambda head, rows: rows.append(b"{\n"), r"is damaged: .*: line 1 column"),
    (lambda head, rows: rows.append({}), r"a line is not a list\.$"),
    (lambda head, rows: rows[0].pop(), r"a line is not an entry \("),
    (lambda head, rows: rows.append(bytes(MAX_LINE + 1)), r"a line is longer than 1048576 bytes"),
    (lambda head, rows: rows.append(b"[]"), r"its last line has no end\.$"),
    (lambda head, rows: rows.pop(), r"it ends too early\.$"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_a_damaged_manifest_is_refused(tree, damage, words):
    job = back_up(local_client(tree.parent))
    path = manifest_path(volume_of(job))
    head, *rows = lines(job)
    damage(head, rows)
    plain = [row if isinstance(row, bytes) else orjson.dumps(row) + b"\n" for row in rows]
    frames = orjson.dumps(head) + b"\n", b"".join(plain)
    path.write_bytes(b"".join(map(zstandard.compress, frames)))

    with pytest.raises(EngineError, match=words):
        read_whole(ManifestReader(path))


def read_whole(manifest):
    return manifest.sources, list(manifest.rows())
