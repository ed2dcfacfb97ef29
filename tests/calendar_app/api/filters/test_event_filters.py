import datetime as dt
from urllib.parse import quote

import pytest

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.models import Event
from calendar_app.services import posts

from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from ...support.filtering import filtered, listed, refused

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def editor():
    return UserFactory(role="Editor")


@pytest.fixture
def author():
    return UserFactory(role="Author")


def titles(query="", user=None):
    return listed(EventFilterSet, query, user)


def errors(query="", user=None):
    return refused(EventFilterSet, query, user)


def at(text):
    return dt.datetime.fromisoformat(text)


def event_at(start, end=None, **fields):
    """Store an event from start to end, or of one hour, that is called after its start."""
    end = at(end) if end else at(start) + dt.timedelta(hours=1)
    return EventFactory(title=start, start_date=at(start), end_date=end, **fields)


class TestWindow:
    def test_lasts_from_the_start_of_yesterday_to_24_months_ahead(self):
        event_at("2027-02-27 23:59:59")
        event_at("2027-02-28 00:00:00")
        event_at("2029-03-01 22:00", end="2029-03-01 23:59:59")
        event_at("2029-03-01 23:00", end="2029-03-02 00:00:00")

        assert titles() == ["2027-02-28 00:00:00", "2029-03-01 22:00"]

    def test_counts_days_in_the_zone_of_the_site(self, settings):
        settings.CALENDAR_TIME_ZONE = "Pacific/Auckland"  # UTC+13: it is March 2nd already
        event_at("2027-02-28 23:59", timezone="Pacific/Auckland")
        event_at("2027-03-01 00:00", timezone="Pacific/Auckland")

        assert titles() == ["2027-03-01 00:00"]

    def test_length_is_a_setting(self, settings):
        settings.CALENDAR_WINDOW_MONTHS = 1
        event_at("2027-04-01 12:00")
        event_at("2027-04-02 12:00")

        assert titles() == ["2027-04-01 12:00"]

    @pytest.mark.parametrize(
        "query",
        [
            "starts_before=9999-12-31",
            "starts_after=1000-01-01",
            "ends_before=9999-12-31",
            "ends_after=1000-01-01",
            "modified_after=1000-01-01",
        ],
    )
    def test_does_not_apply_when_another_bound_is_given(self, query):
        event_at("1999-01-01 10:00")
        event_at("2099-01-01 10:00")

        assert titles(query) == ["1999-01-01 10:00", "2099-01-01 10:00"]

    def test_applies_beside_another_bound_when_given_explicitly(self):
        event_at("1999-01-01 10:00")
        event_at("2027-03-05 10:00")
        event_at("2099-01-01 10:00")

        found = titles("starts_before=2098-01-01&start_date=2027-01-01")

        assert found == ["2027-03-05 10:00"]

    def test_keeps_the_other_default_when_one_end_is_given(self):
        event_at("1999-01-01 10:00")
        event_at("2099-01-01 10:00")

        assert titles("start_date=1990-01-01") == ["1999-01-01 10:00"]
        assert titles("end_date=2100-01-01") == ["2099-01-01 10:00"]

    @pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
    def test_may_cover_all_of_time_in_every_zone(self, settings, zone):
        settings.CALENDAR_TIME_ZONE = zone
        event_at("1999-01-01 10:00")
        event_at("9999-12-30 10:00")

        query = "start_date=0000-01-01&end_date=9999-12-31&ends_after=0001-01-01"

        assert titles(query) == ["1999-01-01 10:00", "9999-12-30 10:00"]

    def test_that_ends_before_it_starts_is_refused_naming_both(self):
        found = errors("start_date=2027-03-02&end_date=2027-03-01")

        sentence = "end_date '2027-03-01' is before start_date '2027-03-02'."
        assert found == {"start_date": sentence, "end_date": sentence}

    def test_may_be_one_day(self):
        event_at("2027-03-01 10:00")

        assert titles("start_date=2027-03-01&end_date=2027-03-01") == ["2027-03-01 10:00"]


class TestDates:
    @pytest.fixture(autouse=True)
    def events(self):
        event_at("2027-03-10 10:00", end="2027-03-10 11:00")
        event_at("2027-03-11 10:00", end="2027-03-11 11:00")
        event_at("2027-03-12 10:00", end="2027-03-12 11:00")

    @pytest.mark.parametrize(
        ("query", "days"),
        [
            ("start_date=2027-03-11 10:30", [11, 12]),
            ("end_date=2027-03-11 10:30", [10, 11]),
            ("starts_before=2027-03-11", [10, 11]),
            ("starts_after=2027-03-11", [12]),
            ("ends_before=2027-03-11", [10, 11]),
            ("ends_after=2027-03-11", [12]),
        ],
    )
    def test_mean_whole_days(self, query, days):
        assert titles(query) == [f"2027-03-{day} 10:00" for day in days]

    @pytest.mark.parametrize(
        ("query", "days"),
        [
            ("start_date=2027-03-11 10:00", [11, 12]),
            ("start_date=2027-03-11 10:00:01", [12]),
            ("end_date=2027-03-11 11:00", [10, 11]),
            ("end_date=2027-03-11 10:59:59", [10]),
            ("starts_before=2027-03-11 10:00", [10]),
            ("starts_before=2027-03-11 10:00:01", [10, 11]),
            ("starts_after=2027-03-11 10:00", [12]),
            ("starts_after=2027-03-11 09:59:59", [11, 12]),
            ("ends_before=2027-03-11 11:00", [10]),
            ("ends_before=2027-03-11 11:00:01", [10, 11]),
            ("ends_after=2027-03-11 11:00", [12]),
            ("ends_after=2027-03-11 10:59:59", [11, 12]),
        ],
    )
    def test_are_taken_to_the_second_when_strict(self, query, days):
        assert titles(f"strict_dates=true&{query}") == [f"2027-03-{day} 10:00" for day in days]

    def test_are_in_the_zone_of_the_site(self, settings):
        settings.CALENDAR_TIME_ZONE = "America/New_York"

        found = titles("strict_dates=1&start_date=2027-03-11 05:00:01")  # 10:00:01 UTC

        assert found == ["2027-03-12 10:00"]

    def test_keep_their_offset(self, settings):
        settings.CALENDAR_TIME_ZONE = "America/New_York"
        query = "strict_dates=1&start_date=" + quote("2027-03-11T12:00:01+02:00")

        assert titles(query) == ["2027-03-12 10:00"]

    def test_with_an_offset_are_a_whole_day_there(self):
        query = "start_date=" + quote("2027-03-11T23:00+14:00")  # begins on the 10th at 10:00 UTC

        assert titles(query)[0] == "2027-03-10 10:00"

    def test_may_be_phrases(self):
        assert titles("start_date=tomorrow&end_date=" + quote("+10 days")) == [
            "2027-03-10 10:00",
            "2027-03-11 10:00",
        ]

    def test_find_what_overlaps(self):
        event_at("2027-03-01 08:00", end="2027-03-20 10:00")

        found = titles("ends_after=2027-03-10 12:00&starts_before=2027-03-11 12:00")

        assert found == ["2027-03-01 08:00", "2027-03-11 10:00"]

    @pytest.mark.parametrize(
        "name",
        [
            "start_date",
            "end_date",
            "starts_before",
            "starts_after",
            "ends_before",
            "ends_after",
            "modified_after",
        ],
    )
    def test_that_do_not_exist_are_refused(self, name):
        found = errors(f"{name}=2027-02-30")

        assert list(found) == [name]
        assert found[name].startswith(f"{name} cannot be read: '2027-02-30' is not a date")


class TestModifiedAfter:
    def test_finds_what_was_changed_since(self, time_machine):
        old = event_at("2020-01-01 10:00")
        time_machine.move_to(NOW + dt.timedelta(hours=1))
        event_at("2020-01-02 10:00")

        assert titles(f"modified_after={int(NOW.timestamp())}") == ["2020-01-02 10:00"]
        assert titles("modified_after=2027-03-01T11:59:59Z")[0] == str(old)


class TestSearch:
    @pytest.mark.parametrize(
        "query", ["jazz night", "NIGHT JAZZ", "ja ni", "jazz%20%20night", "jazz jazz night"]
    )
    def test_finds_every_word_in_any_place(self, query):
        EventFactory(title="Jazz at the river", description="<p>A late night</p>")
        EventFactory(title="Jazz brunch")

        assert titles(f"search={query}") == ["Jazz at the river"]

    @pytest.mark.parametrize("field", ["title", "description", "excerpt"])
    def test_looks_into(self, field):
        EventFactory(**{"title": "Other", field: "A Needle here"})
        EventFactory(website="https://needle.example")

        assert len(titles("search=needle")) == 1

    @pytest.mark.parametrize("word", ["école", "École", "ÉCOLE"])
    @pytest.mark.parametrize("title", ["école", "École", "ÉCOLE"])
    def test_ignores_case_beyond_ascii(self, word, title):
        EventFactory(title=title)

        assert titles(f"search={quote(word)}") == [title]

    @pytest.mark.parametrize("word", ["%", "_", "\\", "50%", "a_b"])
    def test_takes_wildcards_as_they_are(self, word):
        EventFactory(title="plain 50 a-b")

        assert titles(f"search={quote(word)}") == []

    def test_finds_an_ampersand_in_html(self):
        EventFactory(title="Concert", description="<p>R&amp;B</p>")

        assert titles("search=r%26b") == ["Concert"]

    def test_does_not_look_into_a_protected_event(self, editor, author):
        EventFactory(title="Secret", password="open", author=author)
        EventFactory(title="Draft secret", status="draft")

        assert titles("search=secret") == []
        assert titles("search=secret", UserFactory(role="Author")) == []
        assert titles("search=secret", author) == ["Secret"]
        assert titles("search=secret", editor) == ["Secret", "Draft secret"]

    def test_is_limited(self, settings):
        settings.CALENDAR_MAX_SEARCH_LENGTH = 50

        assert errors("search=" + "x" * 51) == {
            "search": "search accepts at most 50 characters, not 51."
        }
        assert errors("search=" + "+".join("abcdefghijklmnopqrstu")) == {
            "search": "search accepts at most 20 words, not 21."
        }


class TestTerms:
    @pytest.mark.parametrize(
        ("factory", "name"), [(CategoryFactory, "categories"), (TagFactory, "tags")]
    )
    @pytest.mark.parametrize(
        "form",
        ["{name}={a},{b}", "{name}={a}&{name}={b}", "{name}={a},+{slug}", "{name}={slug},{b},{b}"],
    )
    def test_any_of_them_is_enough_and_repeats_no_event(self, factory, name, form):
        a, b, c = factory(name="One"), factory(name="Two"), factory(name="Three")
        EventFactory(title="A and B", **{name: [a, b]})
        EventFactory(title="B", **{name: [b]})
        EventFactory(title="C", **{name: [c]})

        found = titles(
            form.format(name=name, a=a.pk, b=b.pk, slug=b.slug if "{a}" in form else a.slug)
        )

        assert found == ["A and B", "B"]

    def test_both_kinds_are_needed_when_both_are_given(self):
        category, tag = CategoryFactory(), TagFactory()
        EventFactory(title="Both", categories=[category], tags=[tag])
        EventFactory(title="One", categories=[category])

        assert titles(f"categories={category.pk}&tags={tag.slug}") == ["Both"]

    def test_a_category_has_the_events_of_those_below(self):
        top = CategoryFactory(name="Music")
        middle = CategoryFactory(name="Jazz", parent=top)
        EventFactory(title="Deep", categories=[CategoryFactory(name="Bebop", parent=middle)])
        EventFactory(title="Other", categories=[CategoryFactory(name="Food")])

        assert titles("categories=music") == ["Deep"]

    def test_digits_are_a_slug_when_they_are_no_id(self):
        EventFactory(title="In the year", tags=[TagFactory(name="2027", slug="2027")])

        assert titles("tags=2027") == ["In the year"]

    @pytest.mark.parametrize(
        "value", ["99999", "nothing", "-1", "1e3", "9" * 30, "\u0661\u0662", "a'b"]
    )
    @pytest.mark.parametrize(("name", "noun"), [("categories", "category"), ("tags", "tag")])
    def test_an_unknown_one_is_refused(self, name, noun, value):
        assert errors(f"{name}={quote(value)}") == {
            name: f"{name} refers to the {noun} '{value}', which does not exist."
        }

    def test_do_not_reveal_a_protected_event(self, editor):
        tag, category = TagFactory(), CategoryFactory()
        EventFactory(title="Secret", password="open", tags=[tag], categories=[category])

        assert titles(f"tags={tag.pk}") == titles(f"categories={category.pk}") == []
        assert titles() == ["Secret"]
        assert titles(f"tags={tag.pk}", editor) == ["Secret"]


@pytest.mark.parametrize(
    ("factory", "name", "field"),
    [(VenueFactory, "venue", "venues"), (OrganizerFactory, "organizer", "organizers")],
)
class TestVenueAndOrganizer:
    @pytest.mark.parametrize("form", ["{0}={1},{2}", "{0}={1}&{0}={2}"])
    def test_any_of_them_is_enough_and_repeats_no_event(self, factory, name, field, form):
        a, b, c = factory.create_batch(3)
        EventFactory(title="A and B", **{field: [a, b]})
        EventFactory(title="B", **{field: [b]})
        EventFactory(title="C", **{field: [c]})

        assert titles(form.format(name, a.pk, b.pk)) == ["A and B", "B"]

    def test_an_unknown_one_is_refused(self, factory, name, field):
        known = factory()

        assert errors(f"{name}={known.pk},999") == {
            name: f"{name} refers to the {name} '999', which does not exist."
        }

    @pytest.mark.parametrize(
        "value", ["hall", "-1", "1.0", "1e3", "\u0661\u0662", "9223372036854775808"]
    )
    def test_an_invalid_id_is_refused(self, factory, name, field, value):
        assert errors(f"{name}={quote(value)}") == {
            name: f"{name} accepts {name} IDs, not '{value}'."
        }

    def test_one_that_the_caller_may_not_see_is_unknown(self, factory, name, field, editor):
        draft = factory(status="draft")
        EventFactory(title="There", **{field: [draft]})

        assert list(errors(f"{name}={draft.pk}")) == [name]
        assert titles(f"{name}={draft.pk}", editor) == ["There"]

    def test_does_not_reveal_a_protected_event(self, factory, name, field):
        record = factory()
        EventFactory(password="open", **{field: [record]})

        assert titles(f"{name}={record.pk}") == []


class TestBooleans:
    @pytest.mark.parametrize("name", ["featured", "ticketed"])
    @pytest.mark.parametrize(
        ("value", "found"),
        [("true", "On"), ("1", "On"), ("YES", "On"), ("false", "Off"), ("0", "Off"), ("No", "Off")],
    )
    def test_filter_events(self, name, value, found):
        EventFactory(title="On", **{name: True})
        EventFactory(title="Off")

        assert titles(f"{name}={value}") == [found]

    @pytest.mark.parametrize(
        "name", ["featured", "ticketed", "geoloc", "hide_from_listings", "strict_dates"]
    )
    @pytest.mark.parametrize("value", ["maybe", "2", "on", "null"])
    def test_refuse_invalid_values(self, name, value):
        assert errors(f"{name}={value}") == {
            name: f"{name} must be true, false, 1, 0, yes or no, not '{value}'."
        }


class TestStatus:
    @pytest.fixture(autouse=True)
    def events(self, author):
        for status in ("publish", "future", "draft", "pending", "private"):
            EventFactory(title=f"own {status}", status=status, author=author)
            EventFactory(title=f"other {status}", status=status)
        posts.trash(EventFactory(title="own trash", author=author))
        posts.trash(EventFactory(title="other trash"))

    def test_left_out_is_what_the_caller_may_read(self, author, editor):
        own = [f"own {status}" for status in ("future", "draft", "pending", "private")]

        assert set(titles()) == {"own publish", "other publish"}
        assert set(titles(user=UserFactory())) == {"own publish", "other publish"}
        assert set(titles(user=author)) == {"own publish", "other publish", *own}
        assert len(titles(user=editor)) == 10

    @pytest.mark.parametrize("status", ["draft", "future", "pending", "private", "trash"])
    def test_is_publish_for_the_public(self, status):
        sentence = f"You may not list records with the status '{status}', only with publish."

        assert set(titles("status=publish")) == {"own publish", "other publish"}
        assert errors(f"status={status}") == {"status": sentence}
        assert errors(f"status=publish,{status}") == {"status": sentence}

    def test_finds_their_own_for_an_author_and_all_for_an_editor(self, author, editor):
        assert titles("status=draft", author) == ["own draft"]
        published = {"own draft", "own publish", "other publish"}
        assert set(titles("status=draft,publish", author)) == published
        assert set(titles("status=draft&status=private", editor)) == {
            *("own draft", "other draft", "own private", "other private")
        }
        assert titles("status=trash", author) == ["own trash"]
        assert set(titles("status=trash", editor)) == {"own trash", "other trash"}

    def test_that_is_unknown_is_refused(self, editor):
        assert errors("status=lost", editor) == {
            "status": "status must be one of publish, future, draft, pending, private, trash, "
            "not 'lost'."
        }


class TestHidden:
    @pytest.fixture(autouse=True)
    def events(self, author):
        EventFactory(title="Listed")
        EventFactory(title="Hidden", hide_from_listings=True)
        EventFactory(title="Own hidden", hide_from_listings=True, author=author)

    def test_events_are_left_out(self, editor, author):
        assert titles() == titles(user=author) == titles(user=editor) == ["Listed"]
        assert titles("hide_from_listings=false", editor) == ["Listed"]

    def test_events_are_listed_on_request_for_who_may_edit_them(self, editor, author):
        assert titles("hide_from_listings=true", editor) == ["Hidden", "Own hidden"]
        assert titles("hide_from_listings=true", author) == ["Own hidden"]
        assert titles("hide_from_listings=true") == []

    def test_events_are_left_out_by_include(self):
        ids = ",".join(str(event.pk) for event in Event.objects.all())

        assert titles(f"include={ids}") == ["Listed"]


class TestInclude:
    def test_gives_the_events_by_id_whatever_their_dates(self):
        late = event_at("2099-01-01 10:00")
        early = event_at("1999-01-01 10:00")
        EventFactory()

        found = titles(f"include={early.pk},{late.pk}&start_date=2027-01-01&ends_before=today")

        assert found == [str(late), str(early)]

    def test_ignores_a_window_that_ends_before_it_starts(self):
        event = EventFactory()

        query = f"include={event.pk}&start_date=2027-03-02&end_date=2027-03-01"

        assert titles(query) == [event.title]

    def test_leaves_out_the_unknown_the_trashed_and_the_unreadable(self, editor):
        known, draft, gone = EventFactory(), EventFactory(status="draft"), EventFactory()
        posts.trash(gone)
        query = f"include={known.pk}&include={draft.pk}&include={gone.pk},{gone.pk + 99}"

        assert titles(query) == [known.title]
        assert titles(query, editor) == [known.title, draft.title]

    @pytest.mark.parametrize(
        "value", ["abc", "-1", "1.5", "1e3", "\u0661", "0x1", "9" * 19, "9" * 5000]
    )
    def test_refuses_an_invalid_id(self, value):
        found = errors(f"include={quote(value)}")

        assert list(found) == ["include"]
        assert found["include"].startswith("include accepts event IDs, not ")
        assert len(found["include"]) < 120

    def test_takes_the_largest_id(self):
        assert titles(f"include={2**63 - 1}") == []

    def test_refuses_too_many(self):
        ids = ",".join(str(number) for number in range(1, 10_001))

        assert errors(f"include={ids}") == {
            "include": "include accepts at most 1000 values, not 10000."
        }


class TestParent:
    def test_finds_the_events_below(self):
        parent = EventFactory()
        EventFactory(title="Child", parent=parent)

        assert titles(f"post_parent={parent.pk}") == ["Child"]

    @pytest.mark.parametrize("value", ["0", "999"])
    def test_that_is_unknown_is_refused(self, value):
        assert errors(f"post_parent={value}") == {
            "post_parent": f"post_parent refers to the event '{value}', which does not exist."
        }

    def test_that_the_caller_may_not_see_is_unknown(self, editor):
        parent = EventFactory(status="draft")

        assert list(errors(f"post_parent={parent.pk}")) == ["post_parent"]
        assert titles(f"post_parent={parent.pk}", editor) == []


class TestPlace:
    @pytest.fixture(autouse=True)
    def events(self):
        paris = VenueFactory(geo_lat=48.8566, geo_lng=2.3522)
        versailles = VenueFactory(geo_lat=48.8049, geo_lng=2.1204)  # 18 km off
        EventFactory(title="Paris", venues=[paris])
        EventFactory(title="Versailles", venues=[versailles, paris])
        EventFactory(title="Orleans", venues=[VenueFactory(geo_lat=47.9029, geo_lng=1.9093)])
        EventFactory(title="Nowhere", venues=[VenueFactory()])
        EventFactory(title="Online")

    def test_may_be_known_or_not(self):
        assert titles("geoloc=true") == ["Paris", "Versailles", "Orleans"]
        assert titles("geoloc=false") == ["Nowhere", "Online"]

    def test_may_be_near(self):
        assert titles("geoloc_lat=48.80&geoloc_lng=2.12") == ["Paris", "Versailles"]
        assert titles("geoloc_lat=48.80&geoloc_lng=2.12&geoloc_radius=2") == ["Versailles"]
        assert titles("geoloc_lat=48.80&geoloc_lng=2.12&geoloc_radius=200") == [
            "Paris",
            "Versailles",
            "Orleans",
        ]

    def test_is_as_near_as_the_setting_says(self, settings):
        settings.CALENDAR_GEOLOC_RADIUS_KM = 5

        assert titles("geoloc_lat=48.80&geoloc_lng=2.12") == ["Versailles"]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("geoloc_lat=48", {"geoloc_lat": "geoloc_lat requires geoloc_lng."}),
            ("geoloc_lng=2", {"geoloc_lng": "geoloc_lng requires geoloc_lat."}),
            (
                "geoloc_radius=2",
                {
                    "geoloc_radius": "geoloc_radius requires geoloc_lat. "
                    "geoloc_radius requires geoloc_lng."
                },
            ),
        ],
    )
    def test_needs_both_coordinates(self, query, found):
        assert errors(query) == found

    def test_is_not_asked_for_by_a_default(self):
        assert len(titles("geoloc_radius=25")) == 5

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("geoloc_lat", "90.1"),
            ("geoloc_lat", "north"),
            ("geoloc_lng", "-181"),
            ("geoloc_lng", "nan"),
            ("geoloc_lng", "inf"),
            ("geoloc_lng", "1e999"),
            ("geoloc_lng", "\u0661"),
            ("geoloc_radius", "-1"),
            ("geoloc_radius", "20017"),
        ],
    )
    def test_must_be_on_earth(self, name, value):
        point = {"geoloc_lat": "1", "geoloc_lng": "1"} | {name: quote(value)}
        found = errors("&".join(f"{key}={text}" for key, text in point.items()))

        assert list(found) == [name]
        assert found[name].startswith(f"{name} must be a number from ")

    def test_of_a_protected_event_is_not_revealed(self):
        Event.objects.update(password="hash")

        assert titles("geoloc=true") == titles("geoloc=false") == []
        assert titles("geoloc_lat=48.80&geoloc_lng=2.12") == []

    def test_of_an_invisible_venue_does_not_count(self):
        EventFactory(title="D", venues=[VenueFactory(geo_lat=0, geo_lng=0, status="draft")])

        assert "D" not in titles("geoloc=true")
        assert titles("geoloc_lat=0&geoloc_lng=0") == []


def test_events_sort_by_start_then_id():
    event_at("2027-03-03 10:00")
    event_at("2027-03-02 10:00", status="publish")
    first = EventFactory(title="A", start_date=at("2027-03-02 10:00"))

    assert titles() == ["2027-03-02 10:00", first.title, "2027-03-03 10:00"]


@pytest.mark.parametrize("query", ["fbclid=x", "&", "page=x&per_page=0", "category=1", "order=x"])
def test_unknown_parameters_are_ignored(query):
    event = EventFactory()

    assert titles(query) == [event.title]


@pytest.mark.parametrize("role", [None, "Author", "Editor"])
def test_queries_do_not_grow_with_the_values(django_assert_num_queries, role):
    user = UserFactory(role=role)
    for number in (1, 3):
        tags, categories = TagFactory.create_batch(number), CategoryFactory.create_batch(number)
        venues, organizers = (
            VenueFactory.create_batch(number),
            OrganizerFactory.create_batch(number),
        )
        EventFactory.create_batch(
            number, tags=tags, categories=categories, venues=venues, organizers=organizers
        )
        lists = {"tags": tags, "categories": categories, "venue": venues, "organizer": organizers}
        query = "&".join(
            f"{name}={','.join(str(record.pk) for record in found)}"
            for name, found in lists.items()
        )
        user = type(user).objects.get(pk=user.pk)

        # Two for the rights, one for each list, the tree, the longest event, and the events.
        with django_assert_num_queries(2 + 4 + 1 + 1 + 1):
            assert len(titles(f"{query}&search=event&ends_after=2020-01-01", user)) == number


def test_only_the_filters_that_are_asked_for_are_built():
    assert set(filtered(EventFilterSet, "featured=1").filters) == {
        "start_date",
        "end_date",
        "featured",
        "status",
        "hide_from_listings",
    }


def test_an_end_near_the_first_year_is_compared():
    EventFactory(title="Fair")

    assert listed(EventFilterSet, "ends_after=0001-01-01&strict_dates=1") == ["Fair"]
