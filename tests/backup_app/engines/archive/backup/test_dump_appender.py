"""``appending.py``: files that are none of the client's become members of its volume."""

import hashlib
import subprocess

import pytest

from backup_app.engines.archive.backup.dump_appender import DumpAppender
from backup_app.engines.archive.storage.volume import VolumeWriter
from backup_app.models import Folder
from tests.prerequisites import need_zstd

from ....support.factories import ClientFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("size", [0, 1, 512, 3_000_000])
def test_an_appended_file_comes_out_of_the_volume(tmp_path, size):
    need_zstd()
    content = b"x" * size
    (tmp_path / "dump").write_bytes(content)
    client, added = ClientFactory(), []
    with VolumeWriter(tmp_path / "v", frame_bytes=65536, level=1) as volume:
        appender = DumpAppender(client, volume, lambda *both: added.append(both), lambda size: None)
        appender.add_file("/.databases/mysql/größe.sql".encode(), tmp_path / "dump")
        appender.add_file(b"/.databases/mysql/b.sql", tmp_path / "dump")
        volume.finish()

    subprocess.run(["tar", "--zstd", "-xpf", tmp_path / "v", "-C", tmp_path], check=True)

    assert (tmp_path / ".databases/mysql/größe.sql").read_bytes() == content
    assert (tmp_path / ".databases/mysql").stat().st_mode & 0o777 == 0o700
    paths = [member.path.decode() for member, _ in added]
    assert paths == [
        "/.databases",
        "/.databases/mysql",
        "/.databases/mysql/größe.sql",
        "/.databases/mysql/b.sql",
    ]
    assert added[-1][0].sha256 == hashlib.sha256(content).digest()
    ends = [member.offset + member.length for member, _ in added]
    assert [member.offset for member, _ in added] == [0, *ends[:-1]]
    assert volume.tar_size == ends[-1]
    folder = Folder.objects.get(path=b"/.databases/mysql")
    assert [place.folder for _, place in added][-1] == folder.pk
    assert folder.parent.parent.path == b"/"
