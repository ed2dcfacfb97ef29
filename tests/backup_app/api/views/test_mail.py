"""Operations 15, 16 and 17 as a caller sees them."""

from datetime import UTC, datetime

import pytest

from backup_app.models import Mailbox

from ...support.api_client import client_of, queries_of
from ...support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2030, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def machine():
    return ClientFactory(name="mx1")


@pytest.fixture
def asked(machine):
    api = client_of(machine.account)
    return lambda what, **options: api.post(f"/api/msexchange/{machine.ip}/{what}", options)


@pytest.fixture
def alice(machine):
    return Mailbox.objects.create(
        client=machine,
        mailbox="alice@example.org",
        pst_path="/mail/Alice@example.org.pst",
        pst_file_id=7,
        pst_size=100,
        pst_mtime=NOON,
        job=JobFactory(client=machine, status="completed"),
    )


@pytest.fixture
def bob(machine):
    path = "/store/bob@example.org/1.edb"
    return Mailbox.objects.create(client=machine, mailbox="bob@example.org", store_path=path)


@pytest.mark.parametrize(
    "mailbox", ["alice@example.org", "ALICE@Example.org", " alice@example.org"]
)
def test_the_pst_file_of_a_mailbox(asked, alice, mailbox):
    answer = asked("getemail", mailbox=mailbox)

    assert answer.status_code == 200
    assert answer.json() == {
        "mailbox": "alice@example.org",
        "file": "/mail/Alice@example.org.pst",
        "file_id": 7,
        "job_id": alice.job_id,
        "size": 100,
        "mtime": "2030-01-15 12:00:00",
    }


def test_a_form_asks_as_json_does(machine, alice):
    answer = client_of(machine.account).post(
        f"/api/msexchange/{machine.ip}/getemail/",
        "mailbox=Alice%40example.org",
        content_type="application/x-www-form-urlencoded",
    )

    assert answer.json()["file_id"] == 7


def test_a_mailbox_without_a_pst_file_has_none(asked, bob):
    answer = asked("getemail", mailbox="bob@example.org")

    assert answer.status_code == 404
    assert (
        answer.json()["error"] == "No backup of client 'mx1' has a PST file of 'bob@example.org'."
    )


def test_the_store_of_a_mailbox(asked, bob):
    answer = asked("path", mailbox="Bob@example.org")

    assert answer.status_code == 200
    assert answer.json() == {"mailbox": "bob@example.org", "path": "/store/bob@example.org/1.edb"}


def test_a_mailbox_of_which_only_a_pst_file_is_known_has_no_store(asked, alice):
    answer = asked("path", mailbox="alice@example.org")

    assert answer.status_code == 404
    assert (
        answer.json()["error"] == "No mail store of 'alice@example.org' is known on client 'mx1'."
    )


@pytest.mark.parametrize("what", ["getemail", "path"])
def test_an_unknown_mailbox_is_named(asked, machine, what):
    other = ClientFactory(account=machine.account)
    Mailbox.objects.create(client=other, mailbox="eve@example.org", store_path="/x", pst_path="/x")

    answer = asked(what, mailbox="Eve@example.org")

    assert answer.status_code == 404
    assert answer.json()["error"] == "There is no mailbox 'eve@example.org' on client 'mx1'."


@pytest.mark.parametrize("what", ["getemail", "path", "search"])
@pytest.mark.parametrize("value", ["", " ", None, ["a"], {"a": "b"}, "a\0b", "a" * 255])
def test_an_invalid_address_is_refused(asked, what, value):
    name = "search" if what == "search" else "mailbox"

    answer = asked(what, **{name: value})

    assert (answer.status_code, list(answer.json()["fields"])) == (400, [name])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("EXAMPLE", ["alice@example.org", "bob@example.org"]),
        ("lic", ["alice@example.org"]),
        ("@", ["alice@example.org", "bob@example.org"]),
        ("%", []),
        ("_", []),
    ],
)
def test_search_for_a_part_in_any_case(asked, alice, bob, text, found):
    assert asked("search", search=text).json() == {"mailboxes": found}


def test_search_in_letters_beyond_ascii(asked, machine):
    Mailbox.objects.create(client=machine, mailbox="jürgen@example.org")

    assert asked("search", search="JÜR").json() == {"mailboxes": ["jürgen@example.org"]}


def test_a_search_finds_a_hundred_at_most(asked, machine):
    boxes = [Mailbox(client=machine, mailbox=f"{n:03}@example.org") for n in range(101)]
    Mailbox.objects.bulk_create(boxes)

    found = asked("search", search="example").json()["mailboxes"]

    assert found == [box.mailbox for box in boxes[:100]]


def test_a_search_takes_the_same_queries_for_one_and_for_three(asked, machine, alice):
    one = queries_of(lambda: asked("search", search="a"))
    for name in "xyz":
        Mailbox.objects.create(client=machine, mailbox=f"{name}@example.org")

    assert queries_of(lambda: asked("search", search="a")) == one
