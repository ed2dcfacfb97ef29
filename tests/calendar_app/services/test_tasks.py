import datetime as dt

import pytest
from django.db import connection, transaction
from django_tasks_db.models import DBTaskResult

from calendar_app.lib import fetch as fetching
from calendar_app.models import Event, Image
from calendar_app.services import images, posts
from calendar_app.services.images import RETRY_AFTER, fetch_image
from calendar_app.services.revision import writing

from ..support.factories import EventFactory
from ..support.pictures import photo

NOON = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def waiting(db, media, published_site):
    """An event that waits for the image at /hall.png, with a token in its address."""
    url = published_site.url("/hall.png?token=secret")
    return EventFactory(image_url=url)


def run(event, attempt=0):
    """Run the event's task as a worker does; return whether it has its image now."""
    done = fetch_image.call("event", event.pk, event.image_url, attempt)
    event.refresh_from_db()
    return done


def queued():
    """Return the arguments of each task that waits for a worker, and when it may start."""
    tasks = DBTaskResult.objects.all()
    return sorted((*task.args_kwargs["args"], task.run_after) for task in tasks)


def test_a_requested_image_is_fetched_by_the_worker(
    db, media, published_site, monkeypatch, django_capture_on_commit_callbacks
):
    fetch, transactions = fetching.fetch, []

    def watched(url, **limits):
        transactions.append(list(connection.savepoint_ids))
        return fetch(url, **limits)

    monkeypatch.setattr(fetching, "fetch", watched)
    published_site.page("/hall.png", photo())
    event = EventFactory.build()
    with django_capture_on_commit_callbacks(execute=True):
        with writing():
            images.request(event, published_site.url("/hall.png"))
            posts.save(event)
        assert queued() == []

    (job,) = DBTaskResult.objects.all()
    job.task.call(*job.args_kwargs["args"])

    event.refresh_from_db()
    assert event.image.source_url == published_site.url("/hall.png")
    assert transactions == [[]]


def test_nothing_is_fetched_for_a_write_that_failed(
    db, published_site, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True), writing():
        images.request(EventFactory.build(), published_site.url("/hall.png"))
        transaction.set_rollback(True)

    assert queued() == []


class TestServerThatFails:
    def test_is_asked_again_later(self, waiting, published_site, time_machine):
        time_machine.move_to(NOON, tick=False)
        published_site.page("/hall.png", status=503)

        for attempt in range(3):
            assert run(waiting, attempt) is False

        assert waiting.image_url
        assert queued() == [
            ("event", waiting.pk, waiting.image_url, attempt + 1, "", NOON + RETRY_AFTER[attempt])
            for attempt in range(3)
        ]

    def test_is_given_up_in_the_end(self, waiting, published_site):
        published_site.page("/hall.png", status=503)

        assert run(waiting, attempt=3) is False

        assert (waiting.image, waiting.image_url) == (None, "")
        assert queued() == []

    def test_that_has_recovered_gives_the_image(self, waiting, published_site):
        published_site.page("/hall.png", photo())

        assert run(waiting, attempt=2) is True

        assert waiting.image.width == 600


class TestAddressWithoutImage:
    @pytest.mark.parametrize(("status", "body"), [(404, b""), (200, b"<html>"), (200, b"")])
    def test_is_given_up_at_once(self, waiting, published_site, status, body):
        published_site.page("/hall.png", body, status=status)

        assert run(waiting) is False

        assert (waiting.image, waiting.image_url) == (None, "")
        assert queued() == []
        assert not Image.objects.exists()

    def test_is_given_up_when_it_is_too_large(self, waiting, published_site, settings):
        settings.CALENDAR_IMAGE_MAX_BYTES = 99
        published_site.page("/hall.png", b"x" * 100)

        assert run(waiting) is False

        assert waiting.image_url == ""

    def test_is_logged_without_its_secrets(self, waiting, published_site, caplog):
        source = published_site.url("/hall.png")

        run(waiting)

        assert [record.getMessage() for record in caplog.records] == [
            f"No image for event {waiting.pk} from {source}: {source} answered with status 404."
        ]

    def test_leaves_the_wait_for_another(self, waiting, published_site):
        old, new = waiting.image_url, published_site.url("/new.png")
        Event.objects.filter(pk=waiting.pk).update(image_url=new)

        fetch_image.call("event", waiting.pk, old)

        waiting.refresh_from_db()
        assert waiting.image_url == new
        assert published_site.seen == []
