"""Writes at the same moment, each on a connection of its own, as only PostgreSQL can run them."""

from django.test import TransactionTestCase

from calendar_app.models import Category, Event, Tag, Venue
from tests.prerequisites import only_on
from tests.support.concurrency import call_together

from ...support.api_client import P, client_of
from ...support.factories import EventFactory, UserFactory, VenueFactory
from ...support.writing import NEW

NUMBER = 20


def at_once(request, number=NUMBER):
    """Return the status codes of request(client, n) for each n, all started together."""
    user = UserFactory(role="Editor")
    answers = call_together(lambda n: request(client_of(user), n), number)
    return [answer.status_code for answer in answers]


@only_on("postgresql")  # SQLite has one writer at a time.
class ConcurrentWritesTests(TransactionTestCase):
    serialized_rollback = True  # The groups are the work of a migration.

    def test_events_of_one_title_get_slugs_of_their_own(self):
        codes = at_once(lambda client, n: client.post(f"{P}/events", NEW))

        slugs = set(Event.objects.values_list("slug", flat=True))
        assert codes == [201] * NUMBER
        assert slugs == {"fair", *(f"fair-{n}" for n in range(2, NUMBER + 1))}

    def test_inline_venues_and_names_of_terms_are_made_once(self):
        fields = {"venue": {"venue": "Hall"}, "tags": "Free", "categories": ["Jazz"]}

        codes = at_once(lambda client, n: client.post(f"{P}/events", {**NEW, **fields}))

        assert codes == [201] * NUMBER
        assert [model.objects.count() for model in (Venue, Tag, Category)] == [1, 1, 1]
        assert Event.objects.filter(venues=Venue.objects.get()).count() == NUMBER
        assert (Tag.objects.get().count, Category.objects.get().count) == (NUMBER, NUMBER)

    def test_venues_of_one_name_are_one_venue(self):
        codes = at_once(lambda client, n: client.post(f"{P}/venues", {"venue": "Hall"}))

        assert codes == [201] * NUMBER
        assert Venue.objects.count() == 1

    def test_of_terms_with_one_name_one_is_made(self):
        codes = at_once(lambda client, n: client.post(f"{P}/tags", {"name": "Free"}))

        assert sorted(codes) == [201] + [400] * (NUMBER - 1)

    def test_changes_of_different_fields_all_last(self):
        event = EventFactory()
        names = ["title", "description", "excerpt", "cost", "website", "slug"]

        def change(client, n):
            value = "https://example.org/" if names[n] == "website" else f"new{n}"
            return client.patch(f"{P}/events/{event.pk}", {names[n]: value})

        codes = at_once(change, len(names))

        event.refresh_from_db()
        found = [getattr(event, name) for name in names]
        assert codes == [200] * len(names)
        assert found == ["new0", "new1", "new2", "new3", "https://example.org/", "new5"]

    def test_ends_that_do_not_fit_together_are_never_stored_together(self):
        event = EventFactory()
        ends = [{"start_date": "2027-03-01 10:50"}, {"end_date": "2027-03-01 10:40"}]

        codes = at_once(lambda client, n: client.patch(f"{P}/events/{event.pk}", ends[n]), 2)

        event.refresh_from_db()
        assert sorted(codes) == [200, 400]
        assert event.start_date <= event.end_date

    def test_a_venue_that_is_trashed_meanwhile_is_linked_or_refused(self):
        venue, other = VenueFactory(), client_of(role="Editor")

        def request(client, n):
            if n:
                return client.post(f"{P}/events", {**NEW, "venue": venue.pk})
            return other.delete(f"{P}/venues/{venue.pk}")

        codes = at_once(request, 2)

        assert codes[0] == 200
        assert codes[1] in {201, 400}
        assert not Event.objects.filter(venues=venue).exists()
