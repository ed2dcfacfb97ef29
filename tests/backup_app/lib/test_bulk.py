"""``bulk.py``: rows go in as they are."""

import pytest
from django.db import IntegrityError, connection, transaction

from backup_app.lib.bulk import PARAMETERS, commit_later, insert_rows
from backup_app.models import Folder
from tests.prerequisites import only_on

from ..support.factories import ClientFactory

pytestmark = pytest.mark.django_db
ATTNAMES = ["client_id", "parent_id", "name", "path", "path_hash"]


def test_rows_of_any_bytes_are_inserted():
    client = ClientFactory()
    rows = [
        (client.pk, None, bytes(range(1, 256)), b"\\N\t\n\\", b"1"),
        (client.pk, None, b"", b"", b"\0"),
    ]

    insert_rows(Folder, ATTNAMES, rows)

    assert list(Folder.objects.values_list(*ATTNAMES)) == rows


@pytest.mark.parametrize("count", [PARAMETERS // len(ATTNAMES), PARAMETERS])
def test_any_number_of_rows_is_inserted_in_order(count):
    client = ClientFactory()
    rows = [(client.pk, None, b"%d" % n, b"/%d" % n, b"%d" % n) for n in range(count)]

    insert_rows(Folder, ATTNAMES, iter(rows))

    assert list(Folder.objects.order_by("id").values_list(*ATTNAMES)) == rows


def test_no_rows_are_no_trouble():
    insert_rows(Folder, ATTNAMES, [])

    assert Folder.objects.count() == 0


def test_a_wrong_row_leaves_none():
    client = ClientFactory()
    rows = [(client.pk, None, b"a", b"/a", b"1"), (client.pk, None, b"b", b"/b", b"1")]

    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(Folder, ATTNAMES, rows)

    assert Folder.objects.count() == 0


@only_on("postgresql")
@pytest.mark.django_db(transaction=True)
def test_only_the_commit_of_this_transaction_does_not_wait():
    def waits():
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone() == ("on",)

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # whatever the role has
    with transaction.atomic():
        commit_later()
        assert not waits()

    assert waits()
