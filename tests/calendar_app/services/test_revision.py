from contextlib import suppress

import pytest

from calendar_app.models import Tag
from calendar_app.services import revision

from ..support.api_client import P, client_of
from ..support.factories import CategoryFactory, TagFactory, UserFactory

pytestmark = pytest.mark.django_db

EVENT = {"title": "Fair", "start_date": "2030-03-01 10:00", "end_date": "2030-03-01 12:00"}


def test_a_write_counts_once_however_deep_it_is_nested():
    revision.increment()
    before = revision.current().stamp

    with revision.writing(), revision.writing():
        TagFactory()

    assert revision.current().stamp == before + 1


def test_an_error_that_the_outer_block_catches_undoes_all_of_it():
    with pytest.raises(ValueError, match="inside"):
        write_around_an_error()

    assert not Tag.objects.exists()


def test_a_block_after_one_that_failed_is_stored():
    with pytest.raises(ValueError, match="inside"):
        write_around_an_error()

    with revision.writing():
        TagFactory()

    assert Tag.objects.exists()


@revision.writing()
def write_around_an_error():
    TagFactory()
    with suppress(ValueError), revision.writing():
        raise ValueError("inside")


def test_an_event_takes_few_queries_to_write(django_assert_max_num_queries):
    client = client_of(UserFactory(role="Editor"))
    names = {
        "categories": [CategoryFactory().name for _ in range(2)],
        "tags": [TagFactory().name for _ in range(3)],
        "venue": {"venue": "Hall"},
        "organizer": {"organizer": "Ann"},
    }
    made = client.post(f"{P}/events", EVENT | names)

    with django_assert_max_num_queries(18):
        client.post(f"{P}/events", EVENT | names | {"title": "Ball"})
    with django_assert_max_num_queries(10):  # two of which begin and end the transaction
        client.patch(f"{P}/events/{made.json()['id']}", {"title": "Fête"})


def test_a_record_is_current_until_another_write():
    tag = revision.with_revision(Tag.objects.filter(pk=TagFactory().pk)).get()
    assert not revision.is_current(tag)

    with revision.writing():
        assert revision.is_current(tag)
    with revision.writing():
        assert not revision.is_current(tag)
        assert not revision.is_current(Tag.objects.get())
