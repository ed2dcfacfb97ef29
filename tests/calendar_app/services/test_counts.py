import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings

from calendar_app.models import Category, Tag
from calendar_app.services import counts, events

from ..support.factories import CategoryFactory, EventFactory, TagFactory
from ..support.random_writes import WRITES, Calendar

pytestmark = pytest.mark.django_db


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(writes=WRITES)
def test_the_counts_after_any_writes_are_those_of_counting_anew(db, writes):
    calendar = Calendar()

    for write in writes:
        calendar.write(*write)

    assert counts.recount() == 0


def test_counting_anew_corrects_what_is_wrong(capsys):
    event = EventFactory(categories=[CategoryFactory()], tags=[TagFactory()])
    Category.objects.update(count=7)
    Tag.objects.update(count=0)

    call_command("recount_terms")
    call_command("recount_terms")

    assert (event.categories.get().count, event.tags.get().count) == (1, 1)
    assert capsys.readouterr().out.splitlines() == [
        "Corrected 2 counts.",
        "All counts were right.",
    ]


def test_a_count_that_is_too_low_does_not_make_a_write_fail():
    event = EventFactory(categories=[CategoryFactory()])
    Category.objects.update(count=0)

    events.save(event, categories=[])

    assert Category.objects.get().count == 0


def test_a_save_that_changes_no_links_reads_none(django_assert_max_num_queries):
    event = EventFactory(categories=[CategoryFactory()])
    event.title = "Another"

    with django_assert_max_num_queries(8) as done:
        events.save(event)

    assert not [query for query in done.captured_queries if "categories" in query["sql"]]
