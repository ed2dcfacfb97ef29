from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import data


def mode(path):
    return path.stat().st_mode & 0o777


def test_the_folder_is_made_for_its_owner_alone(tmp_path):
    made = data.folder(tmp_path / "a" / "b")

    assert mode(made) == 0o700


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(ImproperlyConfigured, match=r"DATA_DIR is '.*file', which cannot be made"):
        data.folder(tmp_path / "file")


def test_the_key_is_random_and_kept(tmp_path):
    first = data.secret_key(tmp_path / "secret.key")

    assert data.secret_key(tmp_path / "secret.key") == first
    assert data.secret_key(tmp_path / "another.key") != first
    assert len(first) >= 50
    assert mode(tmp_path / "secret.key") == 0o600


def test_processes_that_start_together_share_one_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(data.secret_key, [tmp_path / "secret.key"] * 8))

    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_an_empty_key_is_refused(tmp_path):
    (tmp_path / "secret.key").touch()

    with pytest.raises(ImproperlyConfigured, match="is empty"):
        data.secret_key(tmp_path / "secret.key")


def test_a_folder_is_served_once_at_a_time(tmp_path):
    with (
        data.served_once(tmp_path),
        pytest.raises(ImproperlyConfigured, match="Another 'serve' has the data folder"),
        data.served_once(tmp_path),
    ):
        pass

    with data.served_once(tmp_path):
        assert mode(tmp_path / "serve.lock") == 0o600
