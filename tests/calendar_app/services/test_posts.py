import datetime as dt

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from calendar_app.exceptions import Gone, NotFound
from calendar_app.models import Event, Status
from calendar_app.services import posts, revision

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

NEW_YEAR = dt.datetime(2030, 1, 1)
TOMORROW = timezone.now() + dt.timedelta(days=1)


def test_equal_titles_get_numbered_slugs():
    slugs = [EventFactory(title="Summer fête").slug for _ in range(3)]

    assert slugs == ["summer-fete", "summer-fete-2", "summer-fete-3"]


def test_a_slug_stays_when_the_title_changes():
    event = EventFactory(title="Before")

    event.title = "After"
    posts.save(event)

    assert event.slug == "before"


def test_a_trashed_slug_is_free_and_a_restored_one_gives_way():
    first = EventFactory(title="Fair")
    posts.trash(first)
    second = EventFactory(title="Fair")

    posts.restore(first, UserFactory(role="Editor"))

    assert (first.slug, second.slug) == ("fair-2", "fair")
    assert first.status == Status.PUBLISH


def test_trashing_twice_is_refused():
    event = EventFactory()
    posts.trash(event)

    with pytest.raises(Gone) as refusal:
        posts.trash(event)

    assert refusal.value.code == "event-is-in-trash"


def test_what_others_wrote_meanwhile_is_kept():
    event, stale = EventFactory(), Event.objects.get()
    event.description = "New"
    posts.save(event)

    posts.trash(stale)

    event.refresh_from_db()
    assert (event.description, event.status) == ("New", Status.TRASH)


def test_a_trash_that_came_first_is_told():
    event, stale = EventFactory(), Event.objects.get()
    posts.trash(event)

    with pytest.raises(Gone):
        posts.trash(stale)


def test_restoring_what_is_not_in_the_trash_changes_nothing():
    event = EventFactory(status=Status.PRIVATE)

    posts.restore(event, UserFactory(role="Editor"))

    assert event.status == Status.PRIVATE


def test_a_deleted_record_cannot_be_trashed():
    event, stale = EventFactory(), Event.objects.get()
    event.delete()

    with pytest.raises(NotFound):
        posts.trash(stale)


@pytest.mark.parametrize(
    ("factory", "name"), [(VenueFactory, "venues"), (OrganizerFactory, "organizers")]
)
def test_trashing_a_venue_or_organizer_unlinks_it(factory, name):
    record = factory()
    event = EventFactory(**{name: [record]})

    posts.trash(record)

    assert not getattr(event, name).exists()


def test_contributors_cannot_publish():
    contributor = UserFactory(role="Contributor")
    event = Event(title="x", status=Status.PUBLISH, author=contributor)

    posts.settle_status(event, contributor)

    assert event.status == Status.PENDING


def test_a_publication_date_to_come_schedules():
    author = UserFactory(role="Author")
    event = EventFactory.build(status=Status.PUBLISH, author=author, date_utc=TOMORROW)
    event.date = NEW_YEAR

    posts.settle_status(event, author)
    posts.save(event)

    task = DBTaskResult.objects.get()
    assert event.status == Status.FUTURE
    assert (task.run_after, task.args_kwargs["args"]) == (event.date_utc, ["event", event.pk])


def test_a_scheduled_event_is_published_when_it_is_due_and_not_before():
    category = CategoryFactory()
    event = EventFactory(
        status=Status.FUTURE, date_utc=TOMORROW, date=NEW_YEAR, categories=[category]
    )

    early = posts.publish_if_due(Event, event.pk)
    due = posts.publish_if_due(Event, event.pk, now=TOMORROW)

    event.refresh_from_db()
    category.refresh_from_db()
    assert (early, due, event.status, category.count) == (False, True, Status.PUBLISH, 1)


def test_counts_follow_status_and_terms():
    category = CategoryFactory()
    event = EventFactory(categories=[category])
    counts = []

    for step in (lambda: None, lambda: posts.trash(event), lambda: event.delete()):
        step()
        category.refresh_from_db()
        counts.append(category.count)

    assert counts == [1, 0, 0]


def test_each_write_moves_the_revision_on_once():
    before = revision.current().stamp

    EventFactory()

    assert revision.current().stamp == before + 1


def test_a_plain_save_moves_the_revision_on_as_well():
    venue = VenueFactory()
    before = revision.current().stamp

    venue.save()

    assert revision.current().stamp == before + 1
