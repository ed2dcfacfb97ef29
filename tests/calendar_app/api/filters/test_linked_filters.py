import datetime as dt
from urllib.parse import quote

import pytest

from calendar_app.api.filters.linked import OrganizerFilterSet, VenueFilterSet
from calendar_app.services import posts

from ...support.factories import EventFactory, OrganizerFactory, UserFactory, VenueFactory
from ...support.filtering import listed, refused

NOW = dt.datetime(2027, 3, 1, 12, 0, 30, tzinfo=dt.UTC)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize(
        ("filterset", "factory", "field"),
        [
            (VenueFilterSet, VenueFactory, "venues"),
            (OrganizerFilterSet, OrganizerFactory, "organizers"),
        ],
        ids=["venues", "organizers"],
    ),
]


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(NOW, tick=False)


def make(factory, *names):
    return [factory(name=name) for name in names]


def test_the_newest_come_first(filterset, factory, field, time_machine):
    make(factory, "Oldest", "Old")
    time_machine.move_to(NOW + dt.timedelta(days=1))
    make(factory, "New")

    assert listed(filterset) == ["New", "Old", "Oldest"]


class TestSearch:
    @pytest.mark.parametrize("column", ["name", "description", "excerpt", "phone", "website"])
    def test_looks_into(self, filterset, factory, field, column):
        found = factory(**{column: "https://needle.example"})
        factory()

        assert listed(filterset, "search=needle") == [found.name]

    def test_needs_every_word(self, filterset, factory, field):
        factory(name="Grand Hall", description="in the old town")
        factory(name="Grand Opera")

        assert listed(filterset, "search=OLD+grand") == ["Grand Hall"]


class TestEvent:
    def test_finds_what_is_linked_to_it(self, filterset, factory, field):
        a, b, _ = make(factory, "A", "B", "C")
        event = EventFactory(**{field: [a, b]})
        EventFactory(**{field: [a]})

        assert listed(filterset, f"event={event.pk}") == ["B", "A"]

    @pytest.mark.parametrize(
        ("values", "sentence"),
        [
            (["0", "999", str(2**63 - 1)], "event refers to the event '{}', which does not exist."),
            (
                ["x", "-1", "1e3", "1,2", " 1", "\u0661", str(2**63)],
                "event accepts event IDs, not '{}'.",
            ),
        ],
    )
    def test_that_is_not_the_id_of_one_is_refused(
        self, filterset, factory, field, values, sentence
    ):
        for value in values:
            assert refused(filterset, f"event={quote(value)}") == {"event": sentence.format(value)}

    def test_that_the_caller_may_not_see_is_unknown(self, filterset, factory, field):
        event = EventFactory(status="draft", **{field: make(factory, "A")})

        assert list(refused(filterset, f"event={event.pk}")) == ["event"]
        assert listed(filterset, f"event={event.pk}", UserFactory(role="Editor")) == ["A"]

    def test_that_is_protected_does_not_reveal_its_links(self, filterset, factory, field):
        author = UserFactory(role="Author")
        event = EventFactory(password="open", author=author, **{field: make(factory, "A")})

        assert listed(filterset, f"event={event.pk}") == []
        assert listed(filterset, f"event={event.pk}", author) == ["A"]


@pytest.mark.parametrize("query", ["has_events=true", "only_with_upcoming=true"])
@pytest.mark.parametrize("kept", [{"password": "open"}, {"hide_from_listings": True}])
def test_a_hidden_or_protected_event_is_not_revealed(filterset, factory, field, query, kept):
    start = dt.datetime(2099, 1, 1)
    EventFactory(start_date=start, **kept, **{field: make(factory, "A")})

    assert listed(filterset, query) == []
    assert listed(filterset, query, UserFactory(role="Editor")) == ["A"]


class TestHasEvents:
    @pytest.fixture(autouse=True)
    def records(self, factory, field):
        used, drafted, _ = make(factory, "Used", "Drafted", "Unused")
        EventFactory(**{field: [used]})
        EventFactory(**{field: [used]})
        EventFactory(status="draft", **{field: [drafted]})

    def test_asks_for_a_published_event_or_for_none(self, filterset, factory, field):
        assert listed(filterset, "has_events=yes") == ["Used"]
        assert listed(filterset, "has_events=no") == ["Unused", "Drafted"]


class TestUpcoming:
    @pytest.fixture
    def record(self, factory):
        return factory(name="Here")

    def event(self, field, record, end, **fields):
        end = dt.datetime.fromisoformat(end)
        return EventFactory(
            start_date=end - dt.timedelta(days=400), end_date=end, **{field: [record]}, **fields
        )

    # It is 12:00:30, which counts as 12:00: answers can be cached for a minute.
    @pytest.mark.parametrize(
        ("end", "found"), [("12:01", ["Here"]), ("12:00:00", ["Here"]), ("11:59:59", [])]
    )
    def test_asks_for_an_event_that_has_not_ended(
        self, filterset, factory, field, record, end, found
    ):
        factory()
        self.event(field, record, f"2027-03-01 {end}")

        assert listed(filterset, "only_with_upcoming=1") == found

    def test_counts_the_events_that_the_caller_may_see(self, filterset, factory, field, record):
        author = UserFactory(role="Author")
        self.event(field, record, "2027-03-02 12:00", status="draft", author=author)

        assert listed(filterset, "only_with_upcoming=1") == []
        assert listed(filterset, "only_with_upcoming=1", author) == ["Here"]

    @pytest.mark.parametrize("query", ["", "only_with_upcoming=false"])
    def test_asks_for_nothing_by_default(self, filterset, factory, field, record, query):
        assert listed(filterset, query) == ["Here"]


class TestStatus:
    @pytest.fixture
    def author(self):
        return UserFactory(role="Author")

    @pytest.fixture(autouse=True)
    def records(self, factory, author):
        factory(name="Published")
        factory(name="Draft", status="draft")
        factory(name="Own draft", status="draft", author=author)
        posts.trash(factory(name="Gone"))

    def test_left_out_is_what_the_caller_may_read(self, filterset, factory, field, author):
        editor = UserFactory(role="Editor")

        assert listed(filterset) == ["Published"]
        assert listed(filterset, "", author) == ["Own draft", "Published"]
        assert listed(filterset, "", editor) == ["Own draft", "Draft", "Published"]

    def test_is_publish_for_the_public(self, filterset, factory, field):
        assert listed(filterset, "status=publish") == ["Published"]
        assert list(refused(filterset, "status=draft")) == ["status"]
        assert list(refused(filterset, "status=lost")) == ["status"]

    def test_may_be_any_for_an_editor(self, filterset, factory, field, author):
        editor = UserFactory(role="Editor")

        assert listed(filterset, "status=draft", author) == ["Own draft"]
        assert listed(filterset, "status=draft,trash", editor) == ["Gone", "Own draft", "Draft"]


def test_unknown_parameters_are_ignored(filterset, factory, field):
    factory(name="A")

    assert listed(filterset, "fbclid=1&start_date=x&include=y&") == ["A"]


def test_all_filters_together_take_two_queries(
    filterset, factory, field, django_assert_num_queries
):
    event = EventFactory(
        start_date=dt.datetime(2027, 4, 1), **{field: make(factory, "Hall 1", "Hall 2")}
    )
    query = f"search=hall&event={event.pk}&has_events=1&only_with_upcoming=1&status=publish"

    with django_assert_num_queries(2):
        assert listed(filterset, query) == ["Hall 2", "Hall 1"]
