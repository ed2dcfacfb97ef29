"""Feeds are imported on a schedule from a real server, and none can do harm."""

import datetime as dt
import logging
import threading
from email.utils import formatdate
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from calendar_app.importing import feed_import, feeds
from calendar_app.models import Change, Event, Feed, FeedEvent, Series, Status

from ..support.factories import CategoryFactory, EventFactory, OrganizerFactory
from ..support.feeds import counts, run
from ..support.ics import ics

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2027, 2, 1, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
FAIR = "UID:fair\nSUMMARY:Fair\nDTSTART:20270301T100000Z\nDURATION:PT1H"
TALK = "UID:talk\nSUMMARY:Talk\nDTSTART:20270302T100000Z\nDURATION:PT1H\nCATEGORIES:Books"
OVER = "UID:over\nSUMMARY:Over\nDTSTART:20270105T100000Z\nDURATION:PT1H"
WRONG = "UID:wrong\nSUMMARY:Wrong\nDTSTART:soon"
CHOIR = (
    "UID:choir\nSUMMARY:Choir\nDTSTART:20270301T190000Z\nDURATION:PT1H\n"
    "RRULE:FREQ=WEEKLY;COUNT=4\nEXDATE:20270308T190000Z"
)


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def publish(published_site):
    """A function that puts these events at the feed's address."""

    def publish(*events, **headers):
        published_site.page("/feed.ics", ics(*events), **headers)

    return publish


@pytest.fixture
def feed(editor, published_site):
    """A feed that is due."""
    url = published_site.url("/feed.ics?token=hidden")
    return Feed.objects.create(name="School", url=url, owner=editor, next_import=NOW)


def statuses():
    return dict(Event.objects.order_by("start_utc").values_list("title", "status"))


def queued():
    """Return when the tasks of feeds that wait may start."""
    found = DBTaskResult.objects.filter(task_path__contains="feeds").order_by("run_after")
    return [task.run_after for task in found]


def test_a_feed_becomes_events_and_a_second_import_changes_nothing(feed, publish, editor):
    publish(FAIR, TALK, CHOIR, WRONG)

    first = run(feed)
    writes = list(Event.objects.order_by("pk").values_list("pk", "modified_utc", "source_version"))
    second = run(feed)

    assert counts(first) == (5, 0, 0, 1)
    assert (first.failures, first.last_import, first.last_success) == (0, NOW, NOW)
    assert first.problem.startswith("Event 'Wrong' (UID wrong) was skipped")
    assert counts(second) == (0, 0, 0, 1)
    assert writes == list(
        Event.objects.order_by("pk").values_list("pk", "modified_utc", "source_version")
    )
    assert set(Event.objects.values_list("author", "status")) == {(editor.pk, Status.PUBLISH)}
    assert Series.objects.get().events.count() == 3
    assert FeedEvent.objects.filter(feed=feed).count() == 5
    made = Change.objects.filter(kind="event").values_list("door", "user", "verb")
    assert list(made) == [("feed School", editor.pk, "created")] * 5


def test_its_events_get_what_the_feed_gives_them(feed, publish):
    publish(TALK, FAIR + "\nORGANIZER;CN=Town:mailto:town@example.org")
    feed.categories.add(CategoryFactory(name="School"))

    run(feed, event_status=Status.DRAFT, organizer=OrganizerFactory(name="School office"))

    found = {
        event.title: (
            event.status,
            sorted(event.categories.values_list("name", flat=True)),
            [*event.organizers.values_list("name", flat=True)],
        )
        for event in Event.objects.all()
    }
    assert found == {
        "Talk": ("draft", ["Books", "School"], ["School office"]),
        "Fair": ("draft", ["School"], ["Town"]),
    }


@pytest.mark.parametrize(
    ("gone", "fair"), [(Feed.Gone.KEEP, Status.PUBLISH), (Feed.Gone.TRASH, Status.TRASH)]
)
def test_what_a_feed_no_longer_has_stays_or_goes_but_only_if_it_is_yet_to_come(
    feed, publish, gone, fair
):
    publish(FAIR, TALK, OVER, CHOIR)
    run(feed, gone=gone)
    EventFactory(title="Ours")
    publish(TALK)

    run(feed)

    found = statuses()
    assert found == {
        "Over": Status.PUBLISH,
        "Fair": fair,
        "Choir": fair,
        "Ours": Status.PUBLISH,
        "Talk": Status.PUBLISH,
    }
    publish(FAIR, TALK)
    run(feed)
    assert statuses()["Fair"] == Status.PUBLISH


def test_a_feed_that_is_empty_all_at_once_withdraws_nothing(feed, publish):
    publish(FAIR)
    run(feed, gone=Feed.Gone.TRASH)
    publish()

    found = run(feed)

    assert statuses() == {"Fair": Status.PUBLISH}
    assert (found.failures, found.problem) == (
        1,
        "The feed is empty: its events were kept, in case that is a mistake.",
    )


class TestAForeignEvent:
    """The UIDs of others are no secret: a feed that names them must not change their events."""

    def test_of_another_feed_is_left_alone(self, feed, publish, published_site, editor):
        publish(FAIR)
        run(feed)
        published_site.page("/other.ics", ics(FAIR.replace("Fair", "Stolen"), TALK))
        url = published_site.url("/other.ics")
        other = Feed.objects.create(name="Other", url=url, owner=editor, takes_over=True)

        found = run(other)

        assert statuses() == {"Fair": Status.PUBLISH, "Talk": Status.PUBLISH}
        assert found.problem == ("UID fair was skipped: its event belongs to the feed “School”.")

    def test_that_was_imported_by_hand_is_only_taken_over_if_wanted(self, feed, publish):
        EventFactory(title="Ours", source_id="fair", source_version="1")
        publish(FAIR)

        assert "imported from elsewhere" in run(feed).problem
        assert statuses() == {"Ours": Status.PUBLISH}
        run(feed, takes_over=True)
        assert statuses() == {"Fair": Status.PUBLISH}

    def test_with_a_rule_that_was_made_here_keeps_it(self, feed, publish):
        series = Series(uid="choir", timezone="UTC", start=dt.datetime(2027, 3, 1, 9))
        series.rrule, series.made_until = "FREQ=DAILY;COUNT=2", series.start
        series.save()
        EventFactory(title="Ours", series=series, original_start=series.start)
        publish(CHOIR)

        run(feed)

        series.refresh_from_db()
        assert series.rrule == "FREQ=DAILY;COUNT=2"
        assert [*series.events.values_list("title", flat=True)] == ["Ours"]


class TestUnchanged:
    def test_is_not_read_again(self, feed, publish, published_site):
        stamp = formatdate(0, usegmt=True)
        publish(FAIR, etag='"1"', last_modified=stamp)
        run(feed)
        published_site.page("/feed.ics", status=304)

        found = run(feed)

        headers = published_site.seen[-1][1]
        assert (headers["If-None-Match"], headers["If-Modified-Since"]) == ('"1"', stamp)
        assert (counts(found), found.failures, found.last_success) == ((0, 0, 0, 0), 0, NOW)

    def test_is_read_in_full_once_a_week_and_after_a_change_of_the_feed(
        self, feed, publish, published_site, time_machine
    ):
        publish(FAIR, etag='"1"')
        found = run(feed)
        feeds.plan(found)
        run(feed)
        time_machine.move_to(NOW + dt.timedelta(days=8), tick=False)
        run(feed)

        assert not any("If-None-Match" in headers for _, headers in published_site.seen)


class TestSchedule:
    def test_goes_on_by_itself(self, feed, publish, time_machine):
        publish(FAIR)
        feeds.plan(feed)
        planned = NOW

        for _ in range(2):
            planned, job = _next_job()
            time_machine.move_to(planned, tick=False)
            assert job.task.call(*job.args_kwargs["args"])
            job.set_successful(None)

        feed.refresh_from_db()
        assert (feed.last_import, feed.next_import) == (planned, planned + 24 * HOUR)
        assert queued()[-1] == feed.next_import

    def test_is_planned_before_an_import_that_its_worker_does_not_survive(
        self, feed, publish, monkeypatch, time_machine
    ):
        def die(*args, **kwargs):
            raise SystemExit

        monkeypatch.setattr(feeds, "fetched", die)
        with pytest.raises(SystemExit):
            feeds.run(feed.pk, NOW)
        monkeypatch.undo()

        assert queued() == [NOW + 24 * HOUR]
        assert feeds.run(feed.pk) is None
        time_machine.move_to(NOW + feeds.LONGEST + HOUR, tick=False)
        assert feeds.run(feed.pk) is not None

    def test_waits_longer_with_each_failure(self, feed, published_site, publish):
        published_site.page("/feed.ics", status=503)

        for number, pause in enumerate([*feeds.PAUSES, feeds.PAUSES[-1]], start=1):
            found = run(feed)
            assert (found.failures, found.next_import) == (number, NOW + pause)
            assert NOW + pause in queued()
        assert found.last_success is None
        publish(FAIR)
        found = run(feed)

        assert (found.failures, found.next_import, found.problem) == (0, NOW + 24 * HOUR, "")

    def test_forgets_tasks_that_were_put_off(self, feed, publish):
        publish(FAIR)

        assert not feeds.import_feed.call(feed.pk, (NOW - HOUR).isoformat())
        Feed.objects.update(is_active=False)
        assert not feeds.import_feed.call(feed.pk, NOW.isoformat())
        assert feeds.import_feed.call(feed.pk, None)

    def test_that_was_lost_is_queued_anew(self, feed, time_machine):
        assert feeds.enqueue_overdue() == 0
        time_machine.move_to(NOW + 2 * HOUR, tick=False)

        call_command("import_feeds", "--overdue", stdout=StringIO())

        assert len(queued()) == 1


def _next_job():
    job = DBTaskResult.objects.filter(task_path__contains="feeds", status="READY").get()
    return job.run_after, job


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_import_a_feed_at_once(feed, published_site, time_machine):
    time_machine.move_to(NOW)
    asked, may_answer = threading.Event(), threading.Event()

    def answer(handler):
        asked.set()
        may_answer.wait(20)
        handler.send_error(404)

    published_site.pages["/feed.ics"] = answer
    results = []

    def work():
        results.append(feeds.run(feed.pk))
        connections.close_all()

    first = threading.Thread(target=work)
    first.start()
    assert asked.wait(20)
    second = feeds.run(feed.pk)
    may_answer.set()
    first.join()

    assert second is None
    assert results[0].problem.endswith("answered with status 404.")
    assert len(published_site.seen) == 1


class TestAttack:
    def attack(self, feed, problem, **fields):
        found = run(feed, **fields)
        assert problem in found.problem
        assert (found.failures, found.running_since) == (1, None)
        assert not Event.objects.exists()

    def test_a_private_address(self, feed, site, monkeypatch):
        monkeypatch.undo()
        self.attack(feed, "leads to an address that is not public")
        assert site.seen == []

    def test_a_redirect_to_a_private_address(self, feed, published_site, names):
        names.add("inside.example", "10.0.0.1")
        published_site.redirect("/feed.ics", "http://inside.example/secrets.ics")
        self.attack(
            feed, "http://inside.example/secrets.ics leads to an address that is not public"
        )

    def test_a_name_that_leads_elsewhere_when_it_is_asked_again(self, feed, site, names):
        names.add("calendar.example", "10.0.0.1")
        url = f"http://calendar.example:{site.port}/feed.ics"
        self.attack(feed, "leads to an address that is not public", url=url)
        assert site.seen == []

    def test_a_private_network_of_the_operator_may_have_feeds(
        self, feed, publish, settings, monkeypatch
    ):
        publish(FAIR)
        monkeypatch.undo()
        settings.CALENDAR_FEED_NETWORKS = "127.0.0.0/8"
        assert run(feed).made == 1

    def test_a_giant(self, feed, publish, settings):
        settings.CALENDAR_ICAL_MAX_BYTES = 1000
        publish(FAIR + "\nDESCRIPTION:" + "x" * 1000)
        self.attack(feed, "is larger than 1000 bytes")

    def test_one_that_never_ends(self, feed, published_site, settings, time_machine):
        time_machine.move_to(NOW)
        settings.CALENDAR_FEED_SECONDS = 1
        hung_up = threading.Event()

        def answer(handler):
            handler.send_response(200)
            handler.end_headers()
            try:
                while not hung_up.wait(0.05):
                    handler.wfile.write(b"X-MORE:1\r\n")
            except (BrokenPipeError, ConnectionResetError, TimeoutError):
                hung_up.set()

        published_site.pages["/feed.ics"] = answer
        self.attack(feed, "took too long to answer")
        assert hung_up.wait(20)

    def test_one_that_is_no_calendar(self, feed, published_site):
        published_site.page("/feed.ics", b"<html>Log in</html>")
        self.attack(feed, "is not valid iCalendar")

    def test_an_owner_who_may_import_no_more(self, feed, publish, editor):
        publish(FAIR)
        editor.groups.clear()
        self.attack(feed, f"Its owner, {editor}, may not import events.")
        editor.delete()
        assert run(feed).problem == "The feed has no owner with an active account."

    def test_one_that_takes_too_long_to_store_goes_on_the_next_time(
        self, feed, publish, monkeypatch
    ):
        publish(FAIR, TALK)
        monkeypatch.setattr(feeds, "within", lambda seconds, told: _after_one)

        found = run(feed)

        assert (found.made, found.failures, found.next_import) == (1, 1, NOW + feeds.PAUSES[0])

    def test_no_secret_is_logged(self, feed, published_site, caplog):
        published_site.page("/feed.ics", status=500)
        with caplog.at_level(logging.DEBUG):
            found = run(feed)
        assert "hidden" not in caplog.text + found.problem
        assert "feed.ics" not in caplog.text


def _after_one(done, total):
    raise feed_import.ReadError("Only 1 of 2 events were read.")


def test_queries_do_not_grow_with_feeds_events(feed, publish):
    def queries(*events):
        publish(*events)
        run(feed)
        with CaptureQueriesContext(connection) as done:
            run(feed)
        return len(done)

    one = queries(FAIR)

    assert queries(FAIR, TALK, OVER) == one


class TestCommand:
    def test_imports_what_is_due(self, feed, publish, editor, published_site):
        publish(FAIR)
        later = Feed.objects.create(
            name="Later", url=feed.url, owner=editor, next_import=NOW + HOUR
        )

        out = StringIO()
        call_command("import_feeds", stdout=out)
        call_command("import_feeds", stdout=out)

        assert out.getvalue() == (
            "School: 1 made, 0 changed, 0 trashed, 0 skipped.\nNo feed is due.\n"
        )
        later.refresh_from_db()
        assert later.last_import is None

    def test_names_feeds_and_says_which_fail(self, feed, published_site):
        with pytest.raises(CommandError, match="There is no feed “Nobody’s”"):
            call_command("import_feeds", "School", "Nobody’s")
        out = StringIO()
        with pytest.raises(CommandError, match="Feeds that failed: 1 of 1"):
            call_command("import_feeds", "School", stdout=out)
        assert "answered with status 404" in out.getvalue()
        assert timezone.now() == NOW
