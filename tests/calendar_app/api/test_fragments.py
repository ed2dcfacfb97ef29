"""What is kept of rendered records shows in lists as if nothing were kept."""

import json
import secrets

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from calendar_app.api import fragments
from calendar_app.models import Change, Event
from calendar_app.services import posts, revision, terms

from ..support.api_client import ALL, P, client_of, get
from ..support.factories import CategoryFactory, EventFactory, TagFactory, VenueFactory
from ..support.random_writes import WRITES, Calendar
from ..support.writing import change, create_event

pytestmark = pytest.mark.django_db

LISTS = ["events", "venues", "organizers", "categories", "tags"]


def with_terms(**fields):
    return EventFactory(
        categories=[CategoryFactory()], tags=[TagFactory()], venues=[VenueFactory()], **fields
    )


def lists(**params):
    """Return the records of the public's lists as JSON, of responses that are not kept whole."""
    params = {**ALL, "x": secrets.token_hex(4), **params}
    return {name: json.dumps(get(f"/{name}", params).json()[name]) for name in LISTS}


def plain_lists():
    """Return the same, from fields that were asked for: nothing is kept of those."""
    return lists(_fields=",".join(LISTS))


def rendered(monkeypatch):
    """Return a list that collects the IDs of the events and terms that are rendered from now on."""
    found = []
    original = fragments._fragment

    def note(data, *args):
        found.append((data["id"], data.get("title") or data.get("name")))
        return original(data, *args)

    monkeypatch.setattr(fragments, "_fragment", note)
    return found


class Everything(Calendar):
    """The writes of the calendar, and those of what its events show."""

    def __init__(self):
        super().__init__()
        self.venue = VenueFactory()
        self.client = client_of(self.editor)

    def post(self, name):
        answer = create_event(
            self.client, categories=[name], tags=["known"], venue=self.venue.pk, title=name
        )
        assert answer.status_code == 201
        self.events.append(Event.objects.get(pk=answer.json()["id"]))

    def title(self, event, text):
        assert change(event, {"title": text}, self.client).status_code in {200, 410}
        event.refresh_from_db()

    def rename(self, number, text):
        term = self.categories[number]
        term.refresh_from_db()
        term.name = f"{text} {term.pk}"
        terms.save(term)

    def place(self, city, status):
        self.venue.city, self.venue.status = city, status
        posts.save(self.venue)

    def write(self, verb, *values):
        if verb in {"post", "rename", "place"}:
            getattr(self, verb)(*values)
        else:
            super().write(verb, *values)


NAMES = st.sampled_from(["Music", "Ärzte", 'Quote " and \\'])
MORE = st.one_of(
    st.tuples(st.just("post"), NAMES),
    st.tuples(st.just("title"), st.integers(0, 3), NAMES),
    st.tuples(st.just("rename"), st.integers(0, 2), NAMES),
    st.tuples(st.just("place"), NAMES, st.sampled_from(["publish", "draft"])),
)


@hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.one_of(MORE, WRITES), max_size=5))
def test_lists_after_any_writes_are_those_rendered_anew(db, steps):
    calendar = Everything()

    for step in steps:
        for write in step if isinstance(step, list) else [step]:
            calendar.write(*write)
            assert lists() == plain_lists()


def test_a_new_title_renders_one_event_anew(monkeypatch):
    event, _ = with_terms(), with_terms()
    lists()
    found = rendered(monkeypatch)

    change(event, {"title": "Another"})
    lists()

    assert found == [(event.pk, "Another")]


def test_a_new_event_renders_itself_and_the_counts_of_its_terms(monkeypatch):
    category, tag = CategoryFactory(name="Music"), TagFactory(name="jazz")
    EventFactory.create_batch(3, categories=[category], tags=[tag])
    lists()
    found = rendered(monkeypatch)

    pk = create_event(title="New", categories=[category.pk], tags=[tag.pk]).json()["id"]
    lists()

    own, embedded = {(pk, "New")}, {(category.pk, "Music"), (tag.pk, "jazz")}
    assert set(found) == own | embedded
    assert '"count": 4' in lists()["events"]


def test_a_write_that_says_nothing_renders_all_anew(monkeypatch):
    events = [with_terms(), with_terms()]
    lists()
    found = rendered(monkeypatch)

    Event.objects.filter(pk=events[0].pk).update(title="Changed in a shell")
    revision.increment()
    lists()

    assert {pk for pk, _ in found} >= {event.pk for event in events}


def test_what_was_read_before_a_change_is_not_kept(monkeypatch):
    event = with_terms()
    original = fragments._fragment

    def overtaken(data, *args):
        monkeypatch.setattr(fragments, "_fragment", original)
        change(event, {"title": "Another"})
        lists()
        return original(data, *args)

    monkeypatch.setattr(fragments, "_fragment", overtaken)
    lists()

    assert "Another" in lists()["events"]


def test_it_holds_no_more_than_it_may(monkeypatch):
    EventFactory.create_batch(5, description="x" * 1000)
    monkeypatch.setattr(fragments.store, "max_bytes", 4_000)

    lists()

    assert 1_000 < fragments.store._bytes <= 4_000
    assert fragments.store._bytes == sum(each.size for each in fragments.store._kept.values())


def test_each_address_of_the_service_has_its_own(settings):
    settings.ALLOWED_HOSTS = ["*"]
    with_terms()
    for host in ("one.example", "two.example", "one.example"):
        answer = client_of().get(f"{P}/events", ALL, headers={"host": host})
        assert f"http://{host}/".encode() in answer.content


def test_few_changes_are_kept(monkeypatch):
    monkeypatch.setattr(revision, "KEPT_CHANGES", 3)
    event = with_terms()
    for number in range(8):
        change(event, {"title": f"Title {number}"})

    assert Change.objects.filter(records__isnull=False).count() <= 6
    assert "Title 7" in lists()["events"]
