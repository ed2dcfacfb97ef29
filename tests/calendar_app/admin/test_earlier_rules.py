"""Using again a rule that a series had earlier, from the history of its events."""

import datetime as dt

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from calendar_app.models import Change, Event, Series
from calendar_app.services import series
from calendar_app.services.series import Rule, Scope

from ..support.admin_users import as_role
from ..support.factories import EventFactory, UserFactory
from .test_events import change_url, page
from .test_series import DATES, MONDAY, WEEK, choir, form_of, starts

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)
TIMES = "start_date", "end_date"


def versions(event):
    """Return the versions of the rule of event, the oldest first."""
    kept = Change.objects.filter(kind="series", record_id=event.series_id)
    return list(kept.order_by("id").values_list("id", flat=True))


def give(event, rrule, *, later=dt.timedelta(0), added=(), excluded=()):
    """Give all events of a series another rule, and another start."""
    event.refresh_from_db()
    event.start_date, event.end_date = event.start_date + later, event.end_date + later
    event.start_utc = event.end_utc = None
    series.save(event, Scope.ALL, rule=Rule(rrule, added, excluded))


def with_rule(event, version):
    return f"{change_url(event)}?rule={version}"


def history_of(client, event):
    address = reverse("admin:calendar_app_event_history", args=[event.pk])
    return client.get(address).content.decode()


def filled_in(client, event, version):
    """Return what the form sends that the history leads to, if it is saved as it is."""
    form = client.get(with_rule(event, version)).context["adminform"].form
    shown = {f"repeats-{field.name}": field.value() for field in form.repeats}
    shown |= {name: form[name].value() for name in (*TIMES, "timezone", "all_day", "scope")}
    times = {name: shown[name].isoformat() for name in TIMES}
    return page(title="Choir", **{name: value for name, value in (shown | times).items() if value})


def right_of(found):
    """Return where something ends on a page, in pixels."""
    box = found.bounding_box()
    return box["x"] + box["width"]


def rule_of(event):
    return Series.objects.filter(events=event).values("start", "rrule", "rdates", "exdates").get()


def use_again(client, event, version):
    return client.post(with_rule(event, version), filled_in(client, event, version))


def test_the_history_leads_to_each_earlier_rule_and_not_to_the_present_one(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;INTERVAL=2;COUNT=4")
    give(first, "FREQ=MONTHLY;COUNT=2")
    created, changed, newest = versions(first)

    shown = history_of(client, first)

    for version in (created, changed):
        assert f'href="{with_rule(first, version)}#event-repeats"' in shown
    assert f"?rule={newest}" not in shown
    assert "?rule=0" not in shown


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Rule("FREQ=WEEKLY;COUNT=4"), {"rrule": "FREQ=WEEKLY;INTERVAL=2;COUNT=4"}),
        (
            Rule("FREQ=WEEKLY;COUNT=4", (MONDAY + dt.timedelta(2),), (MONDAY + WEEK,)),
            {"rrule": "FREQ=DAILY;COUNT=3"},
        ),
        (
            Rule("FREQ=WEEKLY;UNTIL=20270322T235959"),
            {"rrule": "FREQ=WEEKLY;COUNT=4", "later": dt.timedelta(days=1)},
        ),
        (Rule("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3"), {"rrule": "FREQ=WEEKLY;COUNT=2"}),
        (
            Rule("FREQ=WEEKLY;COUNT=3", (MONDAY + WEEK + HOUR,), (MONDAY + WEEK,)),
            {"rrule": "FREQ=WEEKLY;COUNT=2", "later": HOUR},
        ),
        (
            Rule("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1;COUNT=3"),
            {"rrule": "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1;COUNT=4"},
        ),
        (Rule("", (MONDAY + HOUR,)), {"rrule": "FREQ=DAILY;COUNT=2"}),
    ],
)
def test_an_earlier_rule_gives_back_its_dates(before, after, client, user):
    event = EventFactory(start_date=MONDAY, end_date=MONDAY + 2 * HOUR, author=user)
    series.create(event, before)
    rule, days = rule_of(event), starts()
    give(event, **after)
    last = Event.objects.untrashed().latest("start_utc")
    assert starts() != days

    assert use_again(client, last, versions(event)[0]).status_code == 302

    assert (rule_of(event), starts()) == (rule, days)
    assert len(versions(event)) == 3


def test_the_dates_are_shown_before_anything_is_saved(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;INTERVAL=2;COUNT=4")
    version, before = versions(first)[0], starts()

    form = client.get(with_rule(first, version))
    sent = filled_in(client, first, version)
    shown = client.post(f"{DATES}?event={first.pk}&rule={version}", sent)

    assert "Filled in with an earlier rule: every week, 4 times." in form.content.decode()
    assert f"{DATES}?event={first.pk}&amp;rule={version}" in form.content.decode()
    kinds = [kind for _, kind in shown.context["form"].dates]
    assert kinds == ["stays", "is new", "stays", "is new", *2 * ["goes to the trash"]]
    assert starts() == before


def test_an_earlier_rule_can_be_changed_before_it_is_used(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=DAILY;COUNT=2")
    version = versions(first)[0]
    sent = filled_in(client, first, version) | {"repeats-count": 3}

    client.post(with_rule(first, version), sent)

    assert starts() == [MONDAY, MONDAY + WEEK, MONDAY + 2 * WEEK]


def test_an_earlier_rule_is_not_for_one_event(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;COUNT=2")
    version = versions(first)[0]

    sent = filled_in(client, first, version) | {"scope": "one"}
    answer = client.post(with_rule(first, version), sent)

    assert "A rule concerns more than this event" in answer.content.decode()
    assert len(starts()) == 2


def test_whole_days_become_times_again_and_zones_what_they_were(client, user):
    first, *_ = choir(user)
    first.all_day, first.timezone = True, "Europe/Paris"
    series.save(first, Scope.ALL)
    first.refresh_from_db()
    assert first.start_date == MONDAY.replace(hour=0)
    version = versions(first)[0]

    assert use_again(client, first, version).status_code == 302

    first.refresh_from_db()
    assert (first.start_date, first.all_day, first.timezone) == (MONDAY, False, "UTC")
    assert starts() == [MONDAY + n * WEEK for n in range(4)]


def test_what_was_before_all_that_is_kept_can_be_used_again(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;COUNT=2")
    created, changed = versions(first)
    Change.objects.filter(pk=created).delete()

    assert f"{with_rule(first, 0)}#event-repeats" in history_of(client, first)
    assert f"?rule={changed}" not in history_of(client, first)
    use_again(client, first, 0)

    assert len(starts()) == 4


@pytest.mark.parametrize("forged", ["x", "-1", "9" * 5000, "", 2**62])
def test_a_version_that_the_rule_does_not_have_is_refused_with_a_sentence(forged, client, user):
    first, *_ = choir(user)

    answer = client.get(with_rule(first, forged), follow=True)

    assert "no longer has the series whose earlier rule" in answer.content.decode()
    assert answer.redirect_chain == [(change_url(first), 302)]
    assert client.post(f"{DATES}?event={first.pk}&rule={forged}", form_of()).status_code == 404


def test_a_series_that_is_gone_meanwhile_gets_no_rule(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;COUNT=2")
    version = versions(first)[0]
    sent = filled_in(client, first, version)
    Event.objects.update(series=None)

    answer = client.post(with_rule(first, version), sent, follow=True)

    assert "no longer has the series whose earlier rule" in answer.content.decode()
    assert len(starts()) == 2


def test_the_rule_of_another_series_is_not_given(client, user):
    first, *_ = choir(user)
    other = EventFactory(start_date=MONDAY, author=user)
    series.create(other, Rule("FREQ=DAILY;COUNT=2"))

    answer = client.get(with_rule(first, versions(other)[0]))

    assert answer.status_code == 302


@as_role("Author")
def test_who_may_only_look_at_an_event_gets_no_earlier_rule(client, user):
    first, *_ = choir(UserFactory(role="Editor"))
    give(first, "FREQ=WEEKLY;COUNT=2")
    version = versions(first)[0]

    assert client.get(change_url(first)).status_code == 200
    assert client.get(with_rule(first, version)).status_code == 403
    assert client.post(with_rule(first, version), form_of()).status_code == 403
    assert client.post(f"{DATES}?event={first.pk}&rule={version}", form_of()).status_code == 403
    assert len(starts()) == 2


def test_an_event_in_the_trash_has_a_history_without_a_way_to_its_rules(client, user):
    first, *_ = choir(user)
    give(first, "FREQ=WEEKLY;COUNT=2")
    series.trash(first, Scope.ALL)

    assert "?rule=" not in history_of(client, first)
    assert client.get(with_rule(first, versions(first)[0])).status_code == 403


@as_role("Author")
def test_a_rule_of_events_of_others_is_not_used_again(client, user):
    first, second, *_ = choir(user)
    give(first, "FREQ=WEEKLY;COUNT=2")
    Event.objects.filter(pk=second.pk).update(author=UserFactory())
    version = versions(first)[0]

    answer = use_again(client, first, version)

    assert "is not yours to edit" in answer.content.decode()
    assert len(starts()) == 2


def test_histories_of_long_series_take_as_many_queries(client, user, django_assert_max_num_queries):
    first, *_ = choir(user)
    for count in (2, 3, 2, 3, 2):
        give(first, f"FREQ=WEEKLY;COUNT={count}")

    with django_assert_max_num_queries(30):
        history_of(client, first)


@pytest.mark.django_db(transaction=True)
def test_somebody_takes_back_what_became_of_a_choir(viewer):
    first, *_ = choir(UserFactory(role="Editor"))
    give(first, "FREQ=WEEKLY;INTERVAL=2;COUNT=3", later=dt.timedelta(days=1))
    page = viewer.page

    viewer.open(f"/admin/calendar_app/event/{first.pk}/history/")
    viewer.inspect("rules", ".history")
    page.get_by_role("link", name="Use this rule again").click()
    expect(page.get_by_text("Filled in with an earlier rule: every week, 4 times")).to_be_visible()
    expect(page.get_by_label("Start")).to_have_value("2027-03-01 19:00")
    expect(page.get_by_text("Monday, 22 March 2027, 19:00")).to_be_visible()
    viewer.inspect("earlier rule", ".repeating")
    page.set_viewport_size({"width": 390, "height": 900})
    inner, outer = page.get_by_label("Also on"), page.locator("details.repeating")
    assert right_of(inner) < right_of(outer)
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_text("“Choir” now has 4 dates.")).to_be_visible()
    assert starts() == [MONDAY + n * WEEK for n in range(4)]
