"""What Bacula calls things, and that no text can be more than a text to it."""

from types import SimpleNamespace

import pytest

from backup_app.engines.bacula import names
from backup_app.exceptions import EngineError
from backup_app.models import Client, Fileset, Pool, Storage

from .support.parsing import parse

ENGINE = SimpleNamespace(prefix="bk-")
# Of all of these some way of writing them would include a file, run a program or end the text.
TRICKS = [
    "@/etc/passwd",
    "/srv/@|rm",
    '@|"sh -c id"',
    "|sh -c id",
    "\\|sh -c id",
    "<list",
    "\\<list",
    'a" } Job { Name = "b',
    "a\\",
    'a\\"',
    "\\\\",
    "a # b",
    "a; b",
    "{a}",
    "a, b",
    " a ",
    "%i ${x} %{y}",
    "é\udcff",
    "x" * 900,
]


RECORDS = [Client, Fileset, Pool]


def test_what_we_make_has_our_prefix_and_number():
    assert [names.of(ENGINE, model(pk=7)) for model in RECORDS] == [
        "bk-client-7",
        "bk-fileset-7",
        "bk-pool-7",
    ]
    assert names.for_client(ENGINE, "backup", Client(pk=7)) == "bk-backup-7"
    assert names.of(ENGINE, Storage(pk=7, name="disk")) == "disk"


def test_what_was_adopted_keeps_its_name():
    for model in [*RECORDS, Storage]:
        assert names.of(ENGINE, model(pk=7, name="x", engine_name="web1-fd")) == "web1-fd"


def test_an_adopted_client_is_backed_up_by_a_job_of_ours():
    assert names.for_client(ENGINE, "backup", Client(pk=7, engine_name="web1-fd")) == "bk-backup-7"


def test_each_command_line_has_a_job():
    lines = [["df", "-h"], ["df -h"], ["df", "-P"]]

    found = {names.command_job(ENGINE, line) for line in lines}

    assert len(found) == 3
    assert all(each.startswith("bk-command-") for each in found)
    assert names.command_job(ENGINE, ["df", "-h"]) in found


@pytest.mark.parametrize("name", ["a", "web1-fd", "A b:c.d_e", "x" * 127])
def test_a_name_that_bacula_takes_is_a_word(name, tmp_path):
    assert names.word(name) == name
    assert ("schedule", name) in parse(f'Schedule {{ Name = "{name}" }}\n', tmp_path)


@pytest.mark.parametrize("name", ["", "x" * 128, "ü", "a/b", "a@b", 'a"b', "a\nb", "a\\b", "a%b"])
def test_a_name_that_bacula_does_not_take_is_refused(name):
    with pytest.raises(EngineError) as refusal:
        names.word(name)

    assert repr(name) in refusal.value.message


def test_a_text_is_quoted_for_a_command():
    assert names.quoted("job 7, @|ü") == '"job 7, @|ü"'


@pytest.mark.parametrize("text", ['a" b', "a\\", "a\nb", "a\rb", "a\0b", "a\x7f", "\ud800"])
def test_a_text_that_could_end_its_quotation_in_a_command_is_refused(text):
    with pytest.raises(EngineError) as refusal:
        names.quoted(text)

    assert repr(text) in refusal.value.message


@pytest.mark.parametrize("text", TRICKS)
def test_a_text_in_the_configuration_is_read_as_it_is(text, tmp_path):
    quoted = names.in_config(text)

    options = "Options { Signature = SHA256 }"
    text_of_it = f"FileSet {{ Name = a\n Include {{ {options}\n File = {quoted}\n }} }}\n"
    read = parse(text_of_it, tmp_path)

    assert read["fileset", "a"]["Include"][0]["File"] == [text]
    assert list(read) == [("fileset", "a")]


@pytest.mark.parametrize("text", ["a\nb", "a\r", "a\0", "\x1b[2J", "\t", "\x7f", "\ud800"])
def test_a_text_that_cannot_be_in_the_configuration_is_refused(text):
    with pytest.raises(EngineError) as refusal:
        names.in_config(text)

    assert repr(text) in refusal.value.message


def test_a_text_that_is_too_long_for_the_configuration_is_refused():
    with pytest.raises(EngineError) as refusal:
        names.in_config("x" * 4097)

    assert refusal.value.message.endswith("it has more than 4096 bytes.")
