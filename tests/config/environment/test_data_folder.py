import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import data_folder
from tests.prerequisites import as_root

from ..test_settings import run


def mode(path):
    return path.stat().st_mode & 0o777


def is_open(path, folder):
    """Say whether others who may enter the folder get at a file somewhere in it."""
    between = list(path.parents)[: list(path.parents).index(folder)]
    return mode(path) & 0o077 and all(mode(step) & 0o011 for step in between)


def test_the_folder_is_made_for_its_owner_alone(tmp_path):
    made = data_folder.folder(tmp_path / "a" / "b")

    assert mode(made) == 0o700


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(
        ImproperlyConfigured, match=r"DATA_DIR is '.*file', which cannot be created"
    ):
        data_folder.folder(tmp_path / "file")


def test_the_key_is_random_and_kept(tmp_path):
    first = data_folder.secret_key(tmp_path / "secret.key")

    assert data_folder.secret_key(tmp_path / "secret.key") == first
    assert data_folder.secret_key(tmp_path / "another.key") != first
    assert len(first) >= 50
    assert mode(tmp_path / "secret.key") == 0o600


def test_processes_that_start_together_share_one_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(data_folder.secret_key, [tmp_path / "secret.key"] * 8))

    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_an_empty_key_is_refused(tmp_path):
    (tmp_path / "secret.key").touch()

    with pytest.raises(ImproperlyConfigured, match="is empty"):
        data_folder.secret_key(tmp_path / "secret.key")


def test_a_key_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "secret.key").mkdir()

    with pytest.raises(ImproperlyConfigured, match="cannot be read: Is a directory"):
        data_folder.secret_key(tmp_path / "secret.key")


def test_a_folder_is_served_once_at_a_time(tmp_path):
    with (
        data_folder.served_once(tmp_path),
        pytest.raises(ImproperlyConfigured, match="Another 'serve' is using the data folder"),
        data_folder.served_once(tmp_path),
    ):
        pass

    with data_folder.served_once(tmp_path):
        assert mode(tmp_path / "serve.lock") == 0o600


WORK = ["worker", "--batch", "--no-startup-delay", "--interval=1"]


class TestOpenFolder:
    """A data folder that anyone may enter, and a service that keeps nobody out by its umask."""

    def test_what_is_written_is_for_its_owner_alone(self, tmp_path):
        tmp_path.chmod(0o777)

        for command in (["migrate"], ["setup_demo"], ["run_backup", "demo"], WORK):
            done = run(tmp_path, *command, umask=0)
            assert done.returncode == 0, done.stderr

        written = [path for path in tmp_path.rglob("*") if path.is_file()]
        ours = [path for path in written if data_folder.DEMO_FILES not in path.parts]
        assert {path.suffix for path in ours} >= {".sqlite3", ".key", ".env", ".jpg", ".zst"}
        assert [path for path in ours if is_open(path, tmp_path)] == []

    def test_what_was_open_is_closed(self, tmp_path):
        tmp_path.chmod(0o777)
        files = [tmp_path / name for name in ("secret.key", "demo.env", "db.sqlite3-wal")]
        for path in files:
            path.touch(0o666)
        (tmp_path / "media").mkdir(0o755)

        data_folder.folder(tmp_path)

        assert {mode(path) for path in files} == {0o600}
        assert mode(tmp_path / "media") == 0o700
        assert mode(tmp_path) == 0o777

    @as_root
    def test_files_of_another_user_are_left_alone(self, tmp_path):
        """Root might be made to close any file, by a hard link with one of our names."""
        path = tmp_path / "secret.key"
        path.touch()
        path.chmod(0o644)
        os.chown(path, 65534, 65534)

        data_folder.folder(tmp_path)

        assert mode(path) == 0o644

    def test_symlinks_are_not_followed(self, tmp_path):
        elsewhere = tmp_path / "elsewhere"
        elsewhere.touch()
        elsewhere.chmod(0o644)
        (tmp_path / "secret.key").symlink_to(elsewhere)

        data_folder.folder(tmp_path)

        assert mode(elsewhere) == 0o644
