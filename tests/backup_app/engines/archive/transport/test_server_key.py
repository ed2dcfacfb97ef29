from concurrent.futures import ThreadPoolExecutor

import pytest

from backup_app.engines.archive.transport import server_key
from backup_app.exceptions import EngineError

pytestmark = pytest.mark.usefixtures("backup_root")


def test_key_is_made_when_first_needed_and_stays(backup_root):
    first = server_key.private_key()

    assert first == backup_root / "keys" / "id_ed25519"
    assert first.read_text().startswith("-----BEGIN OPENSSH PRIVATE KEY-----")
    assert server_key.private_key().read_bytes() == first.read_bytes()


def test_nobody_else_can_read_the_key():
    path = server_key.private_key()

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_only_the_key_itself_is_left():
    path = server_key.private_key()

    assert list(path.parent.iterdir()) == [path]


def test_concurrent_callers_get_the_same_key():
    with ThreadPoolExecutor(4) as pool:
        keys = list(pool.map(lambda _: server_key.private_key().read_bytes(), range(4)))

    assert len(set(keys)) == 1


def test_public_key_is_one_line_of_type_key_and_comment():
    kind, key, comment = server_key.public_key().split(" ")

    assert kind == "ssh-ed25519"
    assert key.startswith("AAAA")
    assert comment.startswith("backup@")


def test_fingerprint_is_the_one_that_ssh_shows():
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

    assert server_key.fingerprint(key) == "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"


def test_fingerprint_of_nonsense_is_refused():
    with pytest.raises(EngineError, match=r"^ssh-keygen failed: .*is not a public key file"):
        server_key.fingerprint("nonsense")


def test_missing_ssh_keygen_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(EngineError) as refusal:
        server_key.private_key()

    assert refusal.value.message == "This server has no 'ssh-keygen': install openssh-client."
