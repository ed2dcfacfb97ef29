"""A fileset means the same to Bacula as to the archive engine: each stores the same files."""

import os
from pathlib import Path

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.config import provisioning
from backup_app.models import Entry

from ....support.local_backups import back_up, local_client, local_roots
from ..support.forged_jobs import schema

NAMES = [
    b"a", b"ab", b"x.tmp", b".cache", b"node_modules", b"@|touch made", b"|touch made", b"<list",
    b"\\|id", b"with blank", b"blank ", b"line\nbreak", b"\xff\xfe.tmp", b"a*b", b"[a]", b"ue.TMP",
    "ü".encode(), b"it's", b'"quoted"', b"%i ${HOME}", b"back\\slash", b"#", b";",
]  # fmt: skip
FILESETS = {
    "all": (["r"], []),
    "names": (["r"], ["*.tmp", "node_modules", "a*b", "[a-c]?", "with blank"]),
    "paths": (["r"], ["{root}/r/a/*", "*/ab/a", "{root}/r/[.a]*/.cache", "/r", "blank /a"]),
    "tricks": (
        ["r"],
        ["@|*", "|touch made", "<*", "\\[a]", 'it\'s/"quoted"', "ü/ü", "#", "*break"],
    ),
    "nested": (["r", "r/a", "r/a/ab", "r/node_modules", "r/x.tmp/a"], ["*.tmp", "ab"]),
    "tricky folders": (["r/@|touch made", "r/|touch made", "r/<list", "r/%i ${{HOME}}"], ["a"]),
    "one file": (["r/a/x.tmp", "r/\\|id"], ["ab"]),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Return a folder with a tree of names, in which each folder has files of all these names."""
    root = tmp_path_factory.mktemp("same")
    for name in map(os.fsdecode, NAMES):
        (root / "r" / name).mkdir(parents=True)
        for other in map(os.fsdecode, NAMES):
            (root / "r" / name / other).write_text("content")
    (root / "r" / "link").symlink_to("a")
    os.link(root / "r" / "a" / "a", root / "r" / "hard")
    os.mkfifo(root / "r" / "fifo")
    return root


def stored_by_bacula(bacula, bacula_client, fileset):
    engine, client = get_engine(), bacula_client(*fileset["include"])
    client.fileset.exclude = fileset["exclude"]
    uses = client.fileset, client.pool, client.pool.storage
    found = provisioning.prepare_backup(engine, client, *uses)
    with engine.director() as director:
        job_id = director.run(found["job"], client=found["client"], level="Full", comment="test")
    assert bacula.wait(job_id) == "T"
    rows = bacula.query(
        "SELECT encode(convert_to(path || n.name, 'SQL_ASCII'), 'hex') FROM file f "  # noqa: S608
        f"JOIN path USING (pathid) {schema().join('f')} WHERE jobid = {job_id}"
    )
    paths = [bytes.fromhex(row[0]).rstrip(b"/") for row in rows]
    assert len(paths) == len(set(paths)), "Something is stored twice."
    return set(paths)


def stored_by_archive(root, folder, fileset):
    folder.mkdir()
    with local_roots(root):
        client = local_client(
            folder, include=fileset["include"], fileset={"exclude": fileset["exclude"]}
        )
        job = back_up(client)
    entries = Entry.objects.filter(job=job).select_related("folder")
    paths = {bytes(each.folder.path).rstrip(b"/") + b"/" + bytes(each.name) for each in entries}
    return {path.rstrip(b"/") for path in paths}


@pytest.mark.parametrize("name", FILESETS)
def test_both_engines_store_the_same(bacula, bacula_client, root, tmp_path, name):
    includes, excludes = FILESETS[name]
    fileset = {
        "include": [f"{root}/{path.format()}" for path in includes],
        "exclude": [pattern.format(root=root) for pattern in excludes],
    }

    stored = stored_by_bacula(bacula, bacula_client, fileset)
    archived = stored_by_archive(root, tmp_path / "archive", fileset)

    # An archive has the folders that lead to what was chosen as well.
    chosen = {Path(path) for path in fileset["include"]}
    leading = {os.fsencode(above) for path in chosen for above in path.parents} - {
        os.fsencode(path) for path in chosen
    }
    assert stored - leading == archived - leading - {b""}
    assert stored
    assert not list(root.rglob("made"))
    assert not (bacula.folder / "made").exists()
