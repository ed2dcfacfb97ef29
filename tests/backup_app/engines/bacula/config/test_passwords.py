"""The passwords of clients are made from a key, and never stored."""

import threading

import pytest

from backup_app.engines.bacula.config import passwords
from backup_app.engines.bacula.engine import BaculaEngine
from backup_app.exceptions import EngineError


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "backups")


@pytest.fixture
def engine():
    return BaculaEngine()


def test_a_password_stays_the_same(engine):
    password = passwords.client_password(engine, "bk-client-1")

    assert passwords.client_password(BaculaEngine(), "bk-client-1") == password
    assert len(password) == 43


def test_each_client_of_each_director_has_its_own(engine):
    other = BaculaEngine(director="other-dir")

    found = {passwords.client_password(each, name) for each in (engine, other) for name in "ab"}

    assert len(found) == 4


def test_another_key_makes_other_passwords(engine, settings, tmp_path):
    first = passwords.client_password(engine, "bk-client-1")
    settings.BACKUP_ROOT = str(tmp_path / "others")

    assert passwords.client_password(engine, "bk-client-1") != first


def test_the_key_is_for_this_user_alone(engine):
    passwords.client_password(engine, "bk-client-1")

    assert passwords.key_file().stat().st_mode & 0o777 == 0o600
    assert passwords.key_file().parent.stat().st_mode & 0o777 == 0o700
    assert list(passwords.key_file().parent.iterdir()) == [passwords.key_file()]


def test_a_key_that_others_can_read_is_not_used(engine):
    passwords.client_password(engine, "bk-client-1")
    passwords.key_file().chmod(0o640)

    with pytest.raises(EngineError) as refusal:
        passwords.client_password(engine, "bk-client-1")

    assert "can be read by others" in refusal.value.message


def test_a_key_that_was_cut_off_is_not_used(engine):
    passwords.client_password(engine, "bk-client-1")
    passwords.key_file().write_bytes(b"short")

    with pytest.raises(EngineError) as refusal:
        passwords.client_password(engine, "bk-client-1")

    assert "has 5 bytes, fewer than 32" in refusal.value.message


def test_a_key_that_cannot_be_made_is_named(engine, settings):
    settings.BACKUP_ROOT = "/dev/null/backups"

    with pytest.raises(EngineError) as refusal:
        passwords.client_password(engine, "bk-client-1")

    assert "'/dev/null/backups/keys/bacula' cannot be used" in refusal.value.message


def test_concurrent_first_uses_create_one_key(engine):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(passwords.client_password(engine, "a")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8
    assert len(set(found)) == 1
