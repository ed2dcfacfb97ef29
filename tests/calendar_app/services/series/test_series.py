"""What each verb does to the events of a series."""

import datetime as dt

import pytest
import time_machine

from calendar_app.models import Category, Event, Series, Tombstone
from calendar_app.services import counts, posts, series
from calendar_app.services.series import Rule, Scope
from calendar_app.values.recurrence import RuleError

from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

MONDAY = dt.datetime(2027, 3, 1, 19)
DAY = dt.timedelta(days=1)
WEEK = 7 * DAY
PARIS = "Europe/Paris"


@pytest.fixture(autouse=True)
def now():
    with time_machine.travel("2027-02-01T12:00:00Z", tick=False) as traveller:
        yield traveller


def choir(rrule="FREQ=WEEKLY;COUNT=4", rdates=(), exdates=(), **fields):
    """Store a series of events of two hours from a Monday on, and return its events."""
    fields = {"title": "Choir", "start_date": MONDAY, "timezone": PARIS} | fields
    fields.setdefault("end_date", fields["start_date"] + dt.timedelta(hours=2))
    names = ("venues", "organizers", "categories", "tags")
    links = {name: fields.pop(name) for name in names if name in fields}
    password = fields.pop("password", "")
    event = Event(**fields)
    event.set_password(password)
    series.create(event, Rule(rrule, tuple(rdates), tuple(exdates)), **links)
    return events()


def events():
    return list(Event.objects.untrashed().order_by("start_utc"))


def starts():
    return [event.start_date for event in events()]


def change(event, scope, rule=None, links=None, **fields):
    """Change a stored event, as a form does."""
    event = Event.objects.get(pk=event.pk)
    for name, value in fields.items():
        setattr(event, name, value)
    event.clean()
    series.save(event, scope, rule=rule, **(links or {}))
    return events()


class TestCreate:
    def test_makes_an_event_of_each_date_the_first_the_parent_of_the_others(self):
        first, *others = choir()

        assert starts() == [MONDAY + n * WEEK for n in range(4)]
        assert [event.parent for event in others] == [first] * 3
        assert first.parent is None
        assert [event.slug for event in [first, *others]] == [
            "choir",
            "choir-2027-03-08",
            "choir-2027-03-15",
            "choir-2027-03-22",
        ]

    def test_gives_each_event_what_the_first_has(self):
        links = {
            "venues": [VenueFactory(), VenueFactory()],
            "organizers": [OrganizerFactory()],
            "categories": [CategoryFactory()],
            "tags": [TagFactory(), TagFactory()],
        }
        author = UserFactory()

        choir(author=author, cost="$5", custom_fields={"a": 1}, password="x", **links)

        for event in events():
            assert (event.author, event.cost, event.custom_fields) == (author, "$5", {"a": 1})
            assert event.check_password("x")
            assert list(event.venues.order_by("event_links__position")) == links["venues"]
            assert {*event.tags.all()} == {*links["tags"]}
            assert event.organizers.count() == event.categories.count() == 1

    def test_counts_its_events(self):
        category, tag = CategoryFactory(), TagFactory()

        choir(categories=[category], tags=[tag])

        assert Category.objects.get().count == 4
        assert counts.recount() == 0

    def test_makes_a_series_of_an_event_that_exists(self):
        event = EventFactory(title="Choir", start_date=MONDAY, tags=[TagFactory()])

        series.create(event, Rule("FREQ=DAILY;COUNT=3"))

        assert events()[0].pk == event.pk
        assert len(events()) == 3
        assert counts.recount() == 0

    def test_gives_free_slugs(self):
        for _ in range(2):
            choir()

        slugs = list(Event.objects.order_by("pk").values_list("slug", flat=True))
        assert slugs[4:6] == ["choir-2", "choir-2027-03-08-2"]

    def test_has_the_added_and_lacks_the_excluded_dates(self):
        choir(rdates=[MONDAY + DAY], exdates=[MONDAY + WEEK])

        assert starts() == [MONDAY, MONDAY + DAY, MONDAY + 2 * WEEK, MONDAY + 3 * WEEK]

    def test_keeps_local_time_when_clocks_are_changed(self):
        found = choir()

        assert [event.start_utc.hour for event in found] == [18] * 4
        found = choir("FREQ=WEEKLY;COUNT=6", title="Later")
        assert [event.start_utc.hour for event in found if event.title == "Later"][-2:] == [17, 17]
        assert {event.start_date.time() for event in found} == {dt.time(19)}

    def test_moves_the_date_in_a_gap_of_the_clocks_past_it(self):
        # Clocks in Paris go from 2:00 to 3:00 on 28 March 2027.
        start = dt.datetime(2027, 3, 27, 2, 30)

        found = choir("FREQ=DAILY;COUNT=3", start_date=start, end_date=start.replace(hour=3))

        assert [(event.start_date.hour, event.start_date.minute) for event in found] == [
            (2, 30),
            (3, 30),
            (2, 30),
        ]
        assert found[1].original_start == dt.datetime(2027, 3, 28, 2, 30)
        assert {event.duration for event in found} == {3600}

    def test_of_whole_days_stays_so(self):
        found = choir("FREQ=DAILY;COUNT=2", all_day=True)

        assert [event.start_date for event in found] == [
            dt.datetime(2027, 3, day) for day in (1, 2)
        ]
        assert found[1].end_date == dt.datetime(2027, 3, 2, 23, 59, 59)

    @pytest.mark.parametrize(
        ("rule", "problem"),
        [
            (Rule("FREQ=WEEKLY;BYDAY=TU"), "Monday 1 March 2027 is not a date of the rule, whose"),
            (Rule("FREQ=DAILY;UNTIL=20270201"), "The rule ends before its first date, Monday 1"),
            (Rule("FREQ=DAILY;COUNT=1001"), "The rule makes more than 1000 dates"),
            (
                Rule("FREQ=DAILY;COUNT=3", exdates=(MONDAY + WEEK,)),
                "Monday 8 March 2027, 19:00, is excluded, but is not a date of the series",
            ),
            (Rule("FREQ=DAILY;COUNT=3", exdates=(MONDAY,)), "is the first date and cannot be"),
            (Rule("FREQ=HOURLY"), "has no FREQ of DAILY, WEEKLY, MONTHLY, YEARLY"),
        ],
    )
    def test_refuses_a_rule_that_cannot_be_and_stores_nothing(self, rule, problem, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 2000

        with pytest.raises(RuleError, match=problem):
            choir(*rule)

        assert not Event.objects.exists()
        assert not Series.objects.exists()

    def test_of_a_year_of_days_takes_few_queries(self, django_assert_max_num_queries):
        links = {
            "venues": [VenueFactory()],
            "organizers": [OrganizerFactory()],
            "categories": [CategoryFactory()],
            "tags": [TagFactory()],
        }

        with django_assert_max_num_queries(60):
            choir("FREQ=DAILY;COUNT=365", **links)

        assert Event.objects.count() == 365


class TestExtend:
    def test_adds_what_comes_within_the_horizon(self, now, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 60
        venue = VenueFactory()
        first, *others = choir("FREQ=WEEKLY", venues=[venue], categories=[CategoryFactory()])
        made = len(others) + 1
        assert series.extend_due() == 0

        now.move_to("2027-05-01T12:00:00Z")

        assert series.extend_due() == 9
        found = events()
        assert starts() == [MONDAY + n * WEEK for n in range(made + 9)]
        assert {event.parent for event in found[1:]} == {first}
        assert found[-1].venues.get() == venue
        assert Category.objects.get().count == made + 9
        assert series.extend_due() == 0

    def test_leaves_out_what_was_cancelled_and_what_was_changed_alone(self, now, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 20
        found = choir("FREQ=WEEKLY")
        series.cancel(found[1])
        change(found[2], Scope.ONE, title="Concert")

        now.move_to("2027-03-25T12:00:00Z")
        series.extend_due()

        assert starts() == [MONDAY + n * WEEK for n in (0, 2, 3, 4, 5, 6)]
        assert [event.title for event in events()] == ["Choir", "Concert", *["Choir"] * 4]

    def test_ends_with_the_rule(self, now, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 10
        choir("FREQ=WEEKLY;COUNT=3")
        assert len(events()) == 2

        now.move_to("2027-05-01T12:00:00Z")

        assert series.extend_due() == 1
        assert Series.objects.get().extend_at is None

    def test_stops_when_all_events_are_in_the_trash(self, now, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 10
        for event in choir("FREQ=WEEKLY"):
            posts.trash(event)

        now.move_to("2027-05-01T12:00:00Z")

        assert series.extend_due() == 0
        assert not Series.objects.filter(extend_at__isnull=False).exists()


class TestSaveOne:
    def test_changes_only_that_event(self):
        found = choir()

        change(
            found[1],
            Scope.ONE,
            title="Concert",
            start_date=MONDAY + 8 * DAY,
            end_date=MONDAY + 9 * DAY,
        )

        assert [event.title for event in events()] == ["Choir", "Concert", "Choir", "Choir"]
        assert [event.is_override for event in events()] == [False, True, False, False]
        assert events()[1].original_start == MONDAY + WEEK


class TestSaveAll:
    def test_gives_all_what_changed_and_leaves_the_rest(self):
        found = choir()
        change(found[1], Scope.ONE, title="Concert")

        found = change(found[2], Scope.ALL, title="Big choir", cost="$9")

        assert [event.title for event in found] == [
            "Big choir",
            "Concert",
            "Big choir",
            "Big choir",
        ]
        assert {event.cost for event in found} == {"$9"}
        assert not Series.objects.exclude(rrule="FREQ=WEEKLY;COUNT=4").exists()

    def test_moves_all_to_another_time_but_those_moved_alone(self):
        found = choir()
        moved = MONDAY + 8 * DAY
        change(found[1], Scope.ONE, start_date=moved, end_date=moved + dt.timedelta(hours=2))
        late = MONDAY.replace(hour=20)

        found = change(found[0], Scope.ALL, start_date=late, end_date=late + dt.timedelta(hours=3))

        assert starts() == [late, moved, late + 2 * WEEK, late + 3 * WEEK]
        assert [event.duration // 3600 for event in found] == [3, 2, 3, 3]
        assert Series.objects.get().start == late
        assert found[1].original_start == late + WEEK

    def test_moves_all_to_another_day_of_the_week(self):
        found = choir()
        ids = [event.pk for event in found]

        found = change(
            found[2],
            Scope.ALL,
            start_date=MONDAY + 2 * WEEK + DAY,
            end_date=MONDAY + 2 * WEEK + DAY + dt.timedelta(hours=2),
        )

        assert starts() == [MONDAY + DAY + n * WEEK for n in range(4)]
        assert [event.pk for event in found] == ids

    def test_refuses_a_day_that_the_rule_does_not_have(self):
        found = choir("FREQ=WEEKLY;BYDAY=MO;COUNT=4")

        with pytest.raises(RuleError, match="Tuesday 2 March 2027 is not a date of the rule"):
            change(found[0], Scope.ALL, start_date=MONDAY + DAY, end_date=MONDAY + 2 * DAY)

        assert starts()[0] == MONDAY

    def test_links_all_and_counts_them(self):
        old, new = CategoryFactory(name="Old"), CategoryFactory(name="New")
        hall = VenueFactory()
        found = choir(categories=[old])
        change(found[1], Scope.ONE, links={"categories": [old, new]})

        change(found[0], Scope.ALL, links={"categories": [new], "venues": [hall]})

        assert [event.categories.count() for event in events()] == [1, 2, 1, 1]
        assert {event.venues.get() for event in events()} == {hall}
        assert Category.objects.get(name="New").count == 4
        assert counts.recount() == 0

    def test_withdraws_all_and_leaves_tombstones(self):
        found = choir(tags=[TagFactory()])

        change(found[0], Scope.ALL, status="draft")

        assert {event.status for event in events()} == {"draft"}
        assert Tombstone.objects.filter(audience="public").count() == 4
        assert counts.recount() == 0

    def test_publishes_all_and_removes_the_tombstones(self):
        found = choir()
        change(found[0], Scope.ALL, status="draft")

        change(found[0], Scope.ALL, status="publish")

        assert not Tombstone.objects.exists()

    def test_takes_as_many_queries_for_many_as_for_few(self, django_assert_max_num_queries):
        found = choir("FREQ=DAILY;COUNT=90", categories=[CategoryFactory()])
        late = MONDAY.replace(hour=20)

        with django_assert_max_num_queries(70):
            change(
                found[0],
                Scope.ALL,
                title="Late",
                status="draft",
                start_date=late,
                end_date=late + dt.timedelta(hours=1),
                links={"venues": [VenueFactory()], "categories": []},
            )

        assert {(event.title, event.start_date.hour) for event in events()} == {("Late", 20)}


class TestNewRule:
    def test_keeps_moves_adds_and_drops_events(self):
        found = choir("FREQ=WEEKLY;BYDAY=MO;COUNT=4")
        ids = [event.pk for event in found]

        change(found[0], Scope.ALL, Rule("FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4"))

        assert starts() == [MONDAY, MONDAY + 3 * DAY, MONDAY + WEEK, MONDAY + 10 * DAY]
        kept = [event.pk for event in events()]
        assert [kept[0], kept[2]] == ids[:2]
        assert Event.objects.get(pk=ids[3]).status == "trash"
        assert Series.objects.get().rrule == "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4"

    def test_moves_events_to_near_dates(self):
        found = choir("FREQ=WEEKLY;BYDAY=MO;COUNT=4")

        after = change(found[0], Scope.ALL, Rule("FREQ=WEEKLY;BYDAY=WE;COUNT=4"))

        assert [event.pk for event in after] == [event.pk for event in found]
        assert starts() == [MONDAY + 2 * DAY + n * WEEK for n in range(4)]

    def test_ends_earlier_or_later(self):
        found = choir()

        change(found[0], Scope.ALL, Rule("FREQ=WEEKLY;COUNT=2"))
        assert starts() == [MONDAY, MONDAY + WEEK]

        change(found[0], Scope.ALL, Rule("FREQ=WEEKLY;COUNT=3"))
        assert starts() == [MONDAY, MONDAY + WEEK, MONDAY + 2 * WEEK]

    def test_is_shown_before_it_is_used(self):
        found = choir("FREQ=WEEKLY;COUNT=2")
        event = Event.objects.get(pk=found[0].pk)

        plan = series.planned(event, Scope.ALL, Rule("FREQ=WEEKLY;INTERVAL=3;COUNT=2"))

        assert plan.days == [
            (MONDAY, "kept"),
            (MONDAY + WEEK, "dropped"),
            (MONDAY + 3 * WEEK, "new"),
        ]
        assert starts() == [MONDAY, MONDAY + WEEK]

    def test_takes_back_a_cancelled_date_that_it_does_not_exclude_any_more(self):
        first, second, third, _ = choir()
        series.cancel(second)
        posts.trash(third)
        EventFactory(slug=second.slug)
        rule = Rule("FREQ=WEEKLY;COUNT=4")

        planned = series.planned(Event.objects.get(pk=first.pk), Scope.ALL, rule)
        assert [kind for _, kind in planned.days] == ["kept", "restored", "kept"]
        change(first, Scope.ALL, rule, status="draft")

        second.refresh_from_db()
        assert (second.start_date, second.status) == (MONDAY + WEEK, "draft")
        assert second.slug == "choir-2027-03-08-2"
        assert Series.objects.get().exdates == []
        assert Event.objects.get(pk=third.pk).is_trashed

    def test_keeps_a_cancelled_date_that_it_excludes(self):
        _, second, *_ = choir()
        series.cancel(second)

        change(events()[0], Scope.ALL, Rule("FREQ=WEEKLY;COUNT=3", (), (MONDAY + WEEK,)))

        assert starts() == [MONDAY, MONDAY + 2 * WEEK]


class TestSaveFollowing:
    def test_splits_the_series(self):
        first, second, third, fourth = choir()

        change(third, Scope.FOLLOWING, title="Band")

        assert [event.title for event in events()] == ["Choir", "Choir", "Band", "Band"]
        fourth.refresh_from_db()
        third.refresh_from_db()
        assert (fourth.parent, third.parent) == (third, None)
        assert (first.series_id, third.series_id) == (second.series_id, fourth.series_id)
        rules = list(Series.objects.order_by("start").values_list("rrule", flat=True))
        assert rules == ["FREQ=WEEKLY;UNTIL=20270308T190000", "FREQ=WEEKLY;COUNT=2"]

    def test_is_all_when_it_is_the_first(self):
        found = choir()

        change(found[0], Scope.FOLLOWING, title="Band")

        assert {event.title for event in events()} == {"Band"}
        assert Series.objects.count() == 1

    def test_leaves_the_dates_before_to_the_first_part(self):
        added, excluded = MONDAY + 2 * DAY, MONDAY + WEEK
        choir(rdates=[added, MONDAY + 22 * DAY], exdates=[excluded])
        before = starts()
        rule = Rule("FREQ=WEEKLY;COUNT=2", (added, MONDAY + 22 * DAY), (excluded,))

        change(events()[-2], Scope.FOLLOWING, rule)

        assert starts() == [*before, MONDAY + 4 * WEEK]
        first, second = Series.objects.order_by("start")
        assert (len(first.rdates), len(first.exdates)) == (1, 1)
        assert (len(second.rdates), len(second.exdates)) == (1, 0)

    def test_leaves_the_end_of_the_first_part(self, now, settings):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 30
        found = choir("FREQ=WEEKLY")
        late = found[2].start_date.replace(hour=21)
        change(found[2], Scope.FOLLOWING, start_date=late, end_date=late + DAY)

        now.move_to("2027-04-01T12:00:00Z")
        series.extend_due()

        assert [start.hour for start in starts()] == [19, 19, *[21] * (len(starts()) - 2)]
        assert len(starts()) > 6


class TestCancel:
    def test_excludes_the_date(self):
        found = choir()

        series.cancel(found[1])

        assert starts() == [MONDAY, MONDAY + 2 * WEEK, MONDAY + 3 * WEEK]
        assert Series.objects.get().exdates == ["2027-03-08 19:00:00"]

    def test_of_the_first_makes_the_next_one_the_parent(self):
        first, second, third, _ = choir()

        series.cancel(first)

        third.refresh_from_db()
        assert third.parent == second
        assert Event.objects.get(pk=second.pk).parent is None

    def test_is_taken_back(self):
        found = choir()
        series.cancel(found[1])

        series.restore(Event.objects.get(pk=found[1].pk), UserFactory(role="Editor"))

        assert len(events()) == 4
        assert Series.objects.get().exdates == []

    def test_leaves_tombstones_that_name_the_date(self):
        found = choir()

        series.cancel(found[1])

        uid = Series.objects.get().uid
        assert {stone.source_id for stone in Tombstone.objects.all()} == {f"{uid}/20270308T180000Z"}


class TestTrash:
    def test_of_all_takes_few_queries(self, django_assert_max_num_queries):
        found = choir("FREQ=DAILY;COUNT=90", tags=[TagFactory()])

        with django_assert_max_num_queries(30):
            assert series.trash(found[3], Scope.ALL) == 90

        assert events() == []
        assert Tombstone.objects.count() == 180
        assert counts.recount() == 0

    def test_of_the_following_ends_the_series(self):
        found = choir("FREQ=WEEKLY")

        series.trash(found[2], Scope.FOLLOWING)

        assert starts() == [MONDAY, MONDAY + WEEK]
        only = Series.objects.get()
        assert (only.rrule, only.extend_at) == ("FREQ=WEEKLY;UNTIL=20270308T190000", None)
