"""How an event is made to repeat in the admin, and how the dates of a series are changed."""

import datetime as dt

import pytest
from django.urls import reverse

from calendar_app.models import Event, Series
from calendar_app.services import revision, series
from calendar_app.services.series import Rule

from ..support.admin_users import as_role
from ..support.factories import EventFactory, UserFactory
from .test_events import change_url, page

pytestmark = pytest.mark.django_db

MONDAY = dt.datetime(2027, 3, 1, 19)
WEEK = dt.timedelta(days=7)
WEEKLY = {"interval": 1, "unit": "WEEKLY", "monthly": "day", "ends": "count", "count": 3}
ADD = reverse("admin:calendar_app_event_add")
DATES = reverse("admin:calendar_app_event_dates")


def form_of(start=MONDAY, *, title="Choir", scope="all", **rule):
    """Return what the form of an event sends, with a rule."""
    repeats = {f"repeats-{name}": value for name, value in (WEEKLY | rule).items()}
    end = start + dt.timedelta(hours=2)
    times = {"start_date": start.isoformat(), "end_date": end.isoformat()}
    return page(title=title, scope=scope, **times, **repeats)


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
    def test_makes_the_dates_of_a_new_event_that_were_shown_before(self, client, user):
        shown = client.post(DATES, form_of())

        assert "Monday, 15 March 2027, 19:00" in shown.content.decode()
        assert not Event.objects.exists()

        client.post(ADD, form_of())
        assert starts() == [MONDAY + n * WEEK for n in range(3)]
        assert [day for day, _ in shown.context["form"].dates] == starts()

    @pytest.mark.parametrize(
        ("given", "rrule", "words"),
        [
            ({}, "FREQ=WEEKLY;COUNT=3", "every week, 3 times"),
            (
                {"interval": 2, "weekdays": ["MO", "TH"]},
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=3",
                "every 2 weeks on Monday and Thursday, 3 times",
            ),
            (
                {"unit": "DAILY", "ends": "until", "until": "2027-03-04"},
                "FREQ=DAILY;UNTIL=20270304T235959",
                "every day until 4 March 2027",
            ),
            (
                {"unit": "MONTHLY", "monthly": "weekday"},
                "FREQ=MONTHLY;BYDAY=1MO;COUNT=3",
                "every month on its first Monday, 3 times",
            ),
            (
                {"unit": "MONTHLY", "monthly": "day"},
                "FREQ=MONTHLY;COUNT=3",
                "every month, 3 times",
            ),
            ({"unit": "YEARLY", "ends": "never"}, "FREQ=YEARLY", "every year"),
        ],
    )
    def test_is_read_back_as_it_was_given(self, given, rrule, words, client, user):
        event = EventFactory(start_date=MONDAY)

        client.post(change_url(event), form_of(**given))

        assert Series.objects.get().rrule == rrule
        again = client.get(change_url(event)).context["adminform"].form.repeats
        assert again.words == words
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
            ({"unit": "DAILY", "ends": "never", "excluded": "9999-12-31"}, "over 100 years after"),
            ({"count": "9" * 30}, "less than or equal to 999999"),
            ({"weekdays": ["TU"]}, "Monday 1 March 2027 is not a date of the rule"),
        ],
    )
    def test_that_cannot_be_is_refused_with_a_sentence(
        self, given, problem, client, user, settings
    ):
        settings.CALENDAR_SERIES_HORIZON_DAYS = 40_000
        sent = form_of(**given)

        for address in (ADD, DATES):
            response = client.post(address, sent)
            assert response.status_code == 200
            assert problem in response.content.decode()
        assert not Event.objects.exists()

    def test_is_not_asked_for_an_event_that_does_not_repeat(self, client, user):
        client.post(ADD, form_of(unit="", interval="x"))

        assert Event.objects.get().series is None

    def test_of_a_series_says_what_becomes_of_its_dates(self, client, user):
        first, *_ = choir(user)
        change = form_of(interval=2, count=3)

        shown = client.post(f"{DATES}?event={first.pk}", change)
        found = shown.context["form"].dates

        assert "3 dates, not saved yet" in shown.content.decode()
        assert [kind for _, kind in found] == [
            "stays", "goes to the trash", "stays", "goes to the trash", "is new",
        ]  # fmt: skip
        client.post(change_url(first), change)
        assert starts() == [MONDAY, MONDAY + 2 * WEEK, MONDAY + 4 * WEEK]

    def test_of_a_series_is_not_changed_for_one_event(self, client, user):
        first, *_ = choir(user)

        response = client.post(change_url(first), form_of(scope="one", count=2))

        assert "A rule concerns more than this event" in response.content.decode()
        assert len(starts()) == 4

    def test_and_a_new_time_are_changed_together(self, client, user):
        first, *_ = choir(user)
        hour = dt.timedelta(hours=1)
        sent = form_of(MONDAY + hour, count=4, excluded="2027-03-08", added="2027-03-10 09:00")

        client.post(change_url(first), sent)

        days = [MONDAY + hour, dt.datetime(2027, 3, 10, 9)]
        assert starts() == [*days, MONDAY + 2 * WEEK + hour, MONDAY + 3 * WEEK + hour]
        again = client.get(change_url(first)).context["adminform"].form.repeats
        assert (again["excluded"].value(), again["added"].value()) == (
            "2027-03-08",
            "2027-03-10 09:00",
        )

    def test_has_further_dates_as_people_write_them(self, client, user):
        typed = "9 March 2027\n11.03.2027 9:30pm"

        client.post(ADD, form_of(count=2, added=typed, excluded="8 March 2027"))

        evening = MONDAY.replace(day=11, hour=21, minute=30)
        assert starts() == [MONDAY, MONDAY.replace(day=9), evening]

    def test_excludes_a_date_on_which_the_clocks_skip_its_time(self, client, user):
        sunday = dt.datetime(2027, 3, 21, 2, 30)
        sent = form_of(sunday, count=3, timezone="Europe/Paris", excluded="28 March 2027 2:30am")

        client.post(ADD, sent)

        assert starts() == [sunday, sunday + 2 * WEEK]

    def test_that_the_form_cannot_show_is_kept(self, client, user):
        first, *_ = choir(user, "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3")

        form = client.get(change_url(first)).context["adminform"].form.repeats

        assert form["unit"].value() == "CUSTOM"
        client.post(change_url(first), form_of(unit="CUSTOM", added="2027-03-10"))
        assert Series.objects.get().rrule == "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3"
        assert len(starts()) == 4


class TestDates:
    def test_is_cancelled_and_taken_back(self, client, user):
        first, second, *_ = choir(user)

        client.post(address(first), {"cancel": second.pk})
        assert starts() == [MONDAY, MONDAY + 2 * WEEK, MONDAY + 3 * WEEK]
        assert "cancelled" in client.get(address(first)).content.decode()

        client.post(address(first), {"restore": second.pk})
        assert len(starts()) == 4

    def test_of_whole_days_have_no_time(self, client, user):
        sent = form_of() | {"all_day": "on"}

        assert "Monday, 15 March 2027</li>" in client.post(DATES, sent).content.decode()
        client.post(ADD, sent)
        event = Event.objects.latest("start_utc")

        assert "<td>Monday, 15 March 2027</td>" in client.get(address(event)).content.decode()
        moved = reverse("admin:calendar_app_event_move", args=[event.pk])
        assert "Monday, 15 March 2027 (UTC)" in client.get(moved).content.decode()
        asked = client.post(
            moved, {"start": "16 March 2027", "seen": event.start_date}
        ).content.decode()
        assert "Move it to Tuesday, 16 March 2027?" in asked

    def test_that_was_left_out_from_the_start_is_named(self, client, user):
        client.post(ADD, form_of(excluded="8 March 2027"))
        last = Event.objects.latest("start_utc")

        page = client.get(address(last)).content.decode()

        assert "Left out: Monday, 8 March 2027." in page
        assert "Move the events from 15 March 2027 on to the trash" in page

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

        asked = client.post(address(second), {"trash": "following"}).content.decode()
        assert "Move 3 events to the trash?" in asked
        assert "from Monday, 8 March 2027 to Monday, 22 March 2027" in asked
        assert len(starts()) == 4

        client.post(address(second), {"trash": "following", "confirmed": "1"})
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

    def test_saved_unchanged_makes_no_exception(self, client, user):
        _, second, *_ = choir(user)
        form = client.get(change_url(second)).context["adminform"].form
        sent = {name: form[name].value() for name in form.fields}
        sent = {n: value for n, value in sent.items() if n != "seen" and value not in (None, False)}
        sent |= {name: str(sent[name]) for name in ("start_date", "end_date", "date")}

        assert client.post(change_url(second), page(**sent)).status_code == 302
        assert not Event.objects.get(pk=second.pk).is_override
        client.post(change_url(second), page(**sent | {"title": "Band"}))
        assert Event.objects.get(pk=second.pk).is_override

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
        trash = {"trash": "all", "confirmed": "1"}
        assert client.post(address(first), trash).status_code in (403, 404)
        assert client.post(f"{DATES}?event={first.pk}", form_of()).status_code in (403, 404)
        assert client.get(DATES).status_code == 405
        assert len(starts()) == 4

    def test_a_series_with_events_of_others_is_not_changed_as_a_whole(self, client, user):
        first, second, *_ = choir(user)
        Event.objects.filter(pk=second.pk).update(author=UserFactory())

        shown = client.post(change_url(first), form_of())
        client.post(address(first), {"trash": "all", "confirmed": "1"})
        denied = client.post(address(first), {"cancel": second.pk})

        assert "is not yours to edit" in shown.content.decode()
        assert denied.status_code == 403
        assert len(starts()) == 4

    @pytest.mark.attack
    @pytest.mark.parametrize(
        ("door", "data"),
        [(change_url, form_of(title="Mine")), (address, {"trash": "all", "confirmed": "1"})],
    )
    def test_an_event_that_somebody_else_gets_meanwhile_is_not_changed(
        self, door, data, client, user, monkeypatch
    ):
        first, second, *_ = choir(user)

        def increment(usual=revision._increment):
            # The write that came just before this one.
            Event.objects.filter(pk=second.pk).update(author=UserFactory())
            return usual()

        monkeypatch.setattr(revision, "_increment", increment)

        answer = client.post(door(first), data, follow=True)

        assert "is not yours to edit" in answer.content.decode()
        assert len(starts()) == 4
        assert not Event.objects.filter(title="Mine").exists()


class TestForgedRequests:
    @pytest.mark.parametrize("button", ["cancel", "restore"])
    def test_no_date_has_an_endless_number(self, client, user, button):
        first, *_ = choir(user)

        assert client.post(address(first), {button: "9" * 5000}).status_code == 404

    def test_the_dates_of_no_event_are_not_shown(self, client, user):
        assert client.post(f"{DATES}?event={'9' * 5000}", form_of()).status_code == 404

    @pytest.mark.parametrize("sent", [{}, {"trash": "none", "confirmed": "1"}])
    def test_nothing_goes_to_the_trash_without_a_scope(self, client, user, sent):
        first, *_ = choir(user)

        answer = client.post(address(first), sent, follow=True)

        assert "Choose whether the following dates or all" in answer.content.decode()
        assert len(starts()) == 4
