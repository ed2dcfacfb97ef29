"""How an event is made to repeat in the admin, and how the dates of a series are changed."""

import datetime as dt

import pytest
from django.urls import reverse

from calendar_app.models import Event, Series
from calendar_app.services import series
from calendar_app.services.series import Rule

from ..support.admin_users import as_role
from ..support.factories import EventFactory, UserFactory
from .test_events import change_url, page

pytestmark = pytest.mark.django_db

MONDAY = dt.datetime(2027, 3, 1, 19)
WEEK = dt.timedelta(days=7)
WEEKLY = {"interval": 1, "unit": "WEEKLY", "monthly": "day", "ends": "count", "count": 3}


def choir(user, rrule="FREQ=WEEKLY;COUNT=4"):
    event = Event(
        title="Choir", start_date=MONDAY, end_date=MONDAY + dt.timedelta(hours=2), author=user
    )
    series.create(event, Rule(rrule))
    return list(Event.objects.order_by("start_utc"))


def address(event):
    return reverse("admin:calendar_app_event_series", args=[event.pk])


def starts():
    return [event.start_date for event in Event.objects.untrashed().order_by("start_utc")]


class TestRule:
    def test_is_shown_with_all_dates_before_it_is_saved(self, client, user):
        event = EventFactory(start_date=MONDAY)

        shown = client.post(address(event), WEEKLY)

        assert [day for day, _ in shown.context["plan"]] == [MONDAY + n * WEEK for n in range(3)]
        assert "Monday, 15 March 2027, 19:00" in shown.content.decode()
        assert Event.objects.count() == 1
        client.post(address(event), dict(shown.context["sent"]) | {"confirmed": "1"})
        assert starts() == [MONDAY + n * WEEK for n in range(3)]

    def test_can_be_changed_once_more_before_it_is_saved(self, client, user):
        event = EventFactory(start_date=MONDAY)

        form = client.post(address(event), WEEKLY | {"edit": "1"})

        assert form.context["plan"] is None
        assert form.context["form"]["count"].value() == "3"
        assert Event.objects.count() == 1

    @pytest.mark.parametrize(
        ("given", "rrule"),
        [
            ({}, "FREQ=WEEKLY;COUNT=3"),
            (
                {"interval": 2, "weekdays": ["MO", "TH"]},
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=3",
            ),
            (
                {"unit": "DAILY", "ends": "until", "until": "2027-03-04"},
                "FREQ=DAILY;UNTIL=20270304T235959",
            ),
            ({"unit": "MONTHLY", "monthly": "weekday"}, "FREQ=MONTHLY;BYDAY=1MO;COUNT=3"),
            ({"unit": "MONTHLY", "monthly": "day"}, "FREQ=MONTHLY;COUNT=3"),
            ({"unit": "YEARLY", "ends": "never"}, "FREQ=YEARLY"),
        ],
    )
    def test_is_read_back_as_it_was_given(self, given, rrule, client, user):
        event = EventFactory(start_date=MONDAY)

        client.post(address(event), WEEKLY | given | {"confirmed": "1"})

        assert Series.objects.get().rrule == rrule
        again = client.get(address(event)).context["form"]
        for name, value in (WEEKLY | given).items():
            if name not in ("count", "until"):
                assert str(again[name].value()) == str(value)

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ({"interval": "x"}, "Enter a whole number."),
            ({"unit": "HOURLY"}, "Select a valid choice."),
            ({"ends": "until"}, "Say the last day, or let it end in another way."),
            ({"count": ""}, "Say how many times, or let it end in another way."),
            ({"count": 5000}, "The rule makes more than 1000 dates"),
            ({"added": "soon"}, "“soon” is not a date such as 2027-03-08"),
            ({"excluded": "2027-03-09"}, "is excluded, but is not a date of the series"),
            ({"weekdays": ["TU"]}, "Monday 1 March 2027 is not a date of the rule"),
        ],
    )
    def test_that_cannot_be_is_refused_with_a_sentence(
        self, given, problem, client, user, settings
    ):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 40_000
        event = EventFactory(start_date=MONDAY)

        response = client.post(address(event), WEEKLY | given | {"confirmed": "1"})

        assert response.status_code == 200
        assert problem in response.content.decode()
        assert Event.objects.count() == 1

    def test_of_a_series_says_what_becomes_of_its_dates(self, client, user):
        first, *_ = choir(user)
        change = WEEKLY | {"scope": "all", "interval": 2, "count": 3}

        plan = client.post(address(first), change).context["plan"]

        assert [kind for _, kind in plan] == [
            "stays", "goes to the trash", "stays", "goes to the trash", "is new",
        ]  # fmt: skip
        client.post(address(first), change | {"confirmed": "1"})
        assert starts() == [MONDAY, MONDAY + 2 * WEEK, MONDAY + 4 * WEEK]

    def test_that_the_form_cannot_show_is_kept(self, client, user):
        first, *_ = choir(user, "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3")

        form = client.get(address(first)).context["form"]

        assert form["unit"].value() == "CUSTOM"
        client.post(address(first), WEEKLY | {"scope": "all", "unit": "CUSTOM", "confirmed": "1"})
        assert Series.objects.get().rrule == "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3"


class TestDates:
    def test_is_cancelled_and_taken_back(self, client, user):
        first, second, *_ = choir(user)

        client.post(address(first), {"cancel": second.pk})
        assert starts() == [MONDAY, MONDAY + 2 * WEEK, MONDAY + 3 * WEEK]
        assert "cancelled" in client.get(address(first)).content.decode()

        client.post(address(first), {"restore": second.pk})
        assert len(starts()) == 4

    def test_of_another_series_is_not_found(self, client, user):
        first, *_ = choir(user)
        other = EventFactory()

        for chosen in (other.pk, "x", 10**30):
            assert client.post(address(first), {"cancel": chosen}).status_code == 404

    def test_that_is_deleted_in_its_form_is_cancelled(self, client, user):
        _, second, *_ = choir(user)

        client.post(reverse("admin:calendar_app_event_delete", args=[second.pk]), {"post": "yes"})

        assert Series.objects.get().exdates == ["2027-03-08 19:00:00"]

    def test_and_the_following_go_to_the_trash(self, client, user):
        _, second, *_ = choir(user)

        client.post(address(second), {"trash": "following"})

        assert starts() == [MONDAY]

    def test_are_shown_in_as_many_queries_for_many_as_for_few(
        self, client, user, django_assert_max_num_queries
    ):
        first, *_ = choir(user, "FREQ=DAILY;COUNT=60")

        with django_assert_max_num_queries(12):
            client.get(address(first))


class TestForm:
    @pytest.mark.parametrize(
        ("scope", "titles"),
        [
            ("one", ["Choir", "Band", "Choir", "Choir"]),
            ("following", ["Choir", "Band", "Band", "Band"]),
            ("all", ["Band"] * 4),
            ("", ["Choir", "Band", "Choir", "Choir"]),
        ],
    )
    def test_changes_what_is_chosen(self, scope, titles, client, user):
        _, second, *_ = choir(user)
        start = MONDAY + WEEK

        client.post(
            change_url(second),
            page(
                title="Band",
                scope=scope,
                author=user.pk,
                start_date=start.isoformat(),
                end_date=(start + dt.timedelta(hours=2)).isoformat(),
            ),
        )

        found = Event.objects.order_by("start_utc").values_list("title", flat=True)
        assert list(found) == titles

    def test_refuses_a_day_that_the_rule_does_not_have(self, client, user):
        _, second, *_ = choir(user, "FREQ=WEEKLY;BYDAY=MO;COUNT=4")
        sent = page(scope="all", start_date="2027-03-09T19:00:00", end_date="2027-03-09T21:00:00")

        response = client.post(change_url(second), sent)

        assert "is not a date of the rule" in str(
            response.context["adminform"].form.errors["scope"]
        )

    def test_has_no_choice_for_an_event_that_does_not_repeat(self, client, user):
        response = client.get(change_url(EventFactory()))

        assert 'name="scope"' not in response.content.decode()


@as_role("Author")
class TestRights:
    def test_events_of_others_are_not_found_or_refused(self, client, user):
        first, *_ = choir(UserFactory(role="Editor"))

        assert client.get(address(first)).status_code in (403, 404)
        assert client.post(address(first), {"trash": "all"}).status_code in (403, 404)
        assert len(starts()) == 4

    def test_a_series_with_events_of_others_is_not_changed_as_a_whole(self, client, user):
        first, second, *_ = choir(user)
        Event.objects.filter(pk=second.pk).update(author=UserFactory())

        shown = client.post(address(first), WEEKLY | {"scope": "all", "confirmed": "1"})
        client.post(address(first), {"trash": "all"})
        denied = client.post(address(first), {"cancel": second.pk})

        assert "is not yours to edit" in shown.content.decode()
        assert denied.status_code == 403
        assert len(starts()) == 4
