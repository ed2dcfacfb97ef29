"""Which files with passwords are used."""

import pytest

from backup_app.engines.archive.databases.credentials import credentials_file, credentials_folder
from backup_app.exceptions import EngineError

from ....support.factories import ClientFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.BACKUP_CREDENTIALS_DIR = str(tmp_path)


def make_file(path):
    path.parent.mkdir(exist_ok=True)
    path.touch(0o600)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: (folder / "my.cnf").mkdir(parents=True), "are not a file"),
        (make_file, "cannot be read: Not a directory"),
    ],
)
def test_what_is_no_file_is_reported(make, words):
    client = ClientFactory()
    folder = credentials_folder(client)
    make(folder)

    with pytest.raises(EngineError) as refused:
        credentials_file(client, "my.cnf")

    assert str(refused.value) == f"The credentials '{folder}/my.cnf' {words}."


def test_a_file_for_the_service_alone_is_used():
    client = ClientFactory()
    path = credentials_folder(client) / "my.cnf"

    assert credentials_file(client, "my.cnf") is None
    make_file(path)
    assert credentials_file(client, "my.cnf") == path
