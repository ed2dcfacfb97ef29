import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_app.models import Category, Status, Tag
from calendar_app.services import counts, events, posts

from ..support.factories import CategoryFactory, EventFactory, TagFactory, UserFactory

pytestmark = pytest.mark.django_db

SOME = st.sets(st.integers(0, 2))
WRITES = st.lists(
    st.one_of(
        st.tuples(st.just("create"), SOME, SOME, st.booleans()),
        st.tuples(st.just("link"), st.integers(0, 3), SOME, SOME),
        st.tuples(
            st.just("change"),
            st.integers(0, 3),
            st.sampled_from([Status.PUBLISH, Status.DRAFT, Status.PRIVATE]),
            st.booleans(),
            st.sampled_from(["", "secret"]),
        ),
        st.tuples(st.sampled_from(["trash", "restore", "publish", "delete"]), st.integers(0, 3)),
    ),
    max_size=8,
)


class Calendar:
    """Events and terms, and the writes by which their counts can change."""

    def __init__(self):
        self.editor = UserFactory(role="Editor")
        self.categories = CategoryFactory.create_batch(3)
        self.tags = TagFactory.create_batch(3)
        self.events = []

    def write(self, verb, *values):
        if verb == "create":
            self.create(*values)
        elif self.events:
            number, *rest = values
            getattr(self, verb)(self.events[number % len(self.events)], *rest)

    def create(self, categories, tags, is_published):
        status = Status.PUBLISH if is_published else Status.DRAFT
        self.events.append(EventFactory(status=status, **self.terms(categories, tags)))

    def link(self, event, categories, tags):
        events.save(event, **self.terms(categories, tags))

    def change(self, event, status, is_hidden, password):
        event.status, event.hide_from_listings = status, is_hidden
        event.set_password(password)
        events.save(event, categories=self.categories[:1])

    def trash(self, event):
        if event.status != Status.TRASH:
            posts.trash(event)

    def restore(self, event):
        posts.restore(event, self.editor)

    def publish(self, event):
        posts.publish(event, self.editor)

    def delete(self, event):
        self.events.remove(event)
        event.delete()

    def terms(self, categories, tags):
        chosen = [self.categories[n] for n in categories]
        return {"categories": chosen, "tags": [self.tags[n] for n in tags]}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(writes=WRITES)
def test_the_counts_after_any_writes_are_those_of_counting_anew(db, writes):
    calendar = Calendar()

    for write in writes:
        calendar.write(*write)

    assert counts.recount() == 0


def test_counting_anew_corrects_what_is_wrong(capsys):
    event = EventFactory(categories=[CategoryFactory()], tags=[TagFactory()])
    Category.objects.update(count=7)
    Tag.objects.update(count=0)

    call_command("recount_terms")
    call_command("recount_terms")

    assert (event.categories.get().count, event.tags.get().count) == (1, 1)
    assert capsys.readouterr().out.splitlines() == [
        "Corrected 2 counts.",
        "All counts were right.",
    ]


def test_a_count_that_is_too_low_does_not_make_a_write_fail():
    event = EventFactory(categories=[CategoryFactory()])
    Category.objects.update(count=0)

    events.save(event, categories=[])

    assert Category.objects.get().count == 0


def test_a_save_that_changes_no_links_reads_none(django_assert_max_num_queries):
    event = EventFactory(categories=[CategoryFactory()])
    event.title = "Another"

    with django_assert_max_num_queries(8) as done:
        events.save(event)

    assert not [query for query in done.captured_queries if "categories" in query["sql"]]
