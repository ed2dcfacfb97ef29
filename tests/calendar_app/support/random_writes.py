"""Random writes of events and terms, for what must hold after any of them."""

from hypothesis import strategies as st

from calendar_app.models import Status
from calendar_app.services import events, posts

from .factories import CategoryFactory, EventFactory, TagFactory, UserFactory

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
