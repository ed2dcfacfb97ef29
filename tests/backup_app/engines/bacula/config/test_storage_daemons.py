"""The operator's file with storage daemons."""

import pytest

from backup_app.engines.bacula.config import storage_daemons
from backup_app.exceptions import InvalidEngine

LEAST = '[disk]\naddress = "sd.example.org"\npassword = "secret"\ndevice = "Changer"\n'


@pytest.fixture
def file(tmp_path):
    return tmp_path / "storages.toml"


def test_no_option_means_no_storages():
    assert storage_daemons.read(None) == {}


def test_what_is_not_given_is_usual(file):
    file.write_text(LEAST)

    assert storage_daemons.read(file) == {
        "disk": {
            "address": "sd.example.org",
            "port": 9103,
            "password": "secret",
            "device": "Changer",
            "media_type": "File",
            "autochanger": False,
            "maximum_concurrent_jobs": 10,
        }
    }


def test_there_may_be_several(file):
    file.write_text(LEAST + LEAST.replace("disk", "tape") + "autochanger = true\nport = 9203\n")

    found = storage_daemons.read(file)

    assert list(found) == ["disk", "tape"]
    assert (found["tape"]["autochanger"], found["tape"]["port"]) == (True, 9203)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", "is not valid TOML"),
        ('disk = "x"', "'disk' in the file storages '{file}' is not a table"),
        ("[disk]\n", "Storage 'disk' in the file storages '{file}' needs 'address'."),
        (LEAST + 'sort = "x"', "Storage 'disk' in the file storages '{file}' has 'sort'"),
        (LEAST + 'port = "x"', "'port' of storage 'disk' in the file storages '{file}' is not a"),
        (LEAST + "port = 0", "is not a number from 1 to 65535."),
        (LEAST + "port = true", "is not a number from 1 to 65535."),
        (LEAST + "autochanger = 1", "is not true or false."),
        (LEAST + "media_type = 7", "is not a text."),
        (LEAST.replace("disk", '"a/b"'), "'a/b' is not a valid name in Bacula"),
        (LEAST.replace("secret", "a\\nb"), "it contains a control character"),
    ],
)
def test_wrong_content_is_a_fault_of_the_settings(text, sentence, file):
    file.write_text(text)

    with pytest.raises(InvalidEngine) as refusal:
        storage_daemons.read(file)

    assert sentence.format(file=file) in str(refusal.value)


def test_a_file_that_is_not_there_is_a_fault_of_the_settings(file):
    with pytest.raises(InvalidEngine) as refusal:
        storage_daemons.read(file)

    assert f"'{file}' cannot be read: No such file" in str(refusal.value)
