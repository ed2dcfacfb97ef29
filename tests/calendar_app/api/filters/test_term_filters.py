from urllib.parse import quote

import pytest

from calendar_app.api.filters.term import CategoryFilterSet, TagFilterSet
from calendar_app.models import Category, Tag
from calendar_app.services import terms

from ...support.factories import CategoryFactory, EventFactory, TagFactory, UserFactory
from ...support.filtering import listed, refused

pytestmark = pytest.mark.django_db

both = pytest.mark.parametrize(
    ("filterset", "factory", "field"),
    [(CategoryFilterSet, CategoryFactory, "categories"), (TagFilterSet, TagFactory, "tags")],
    ids=["categories", "tags"],
)


def categories(query=""):
    return listed(CategoryFilterSet, query)


@both
class TestHideEmpty:
    @pytest.mark.parametrize("query", ["", "hide_empty=1", "hide_empty=true", "&"])
    def test_leaves_out_what_no_published_event_has(self, filterset, factory, field, query):
        used, drafted = factory(name="Used"), factory(name="Drafted")
        factory(name="Unused")
        EventFactory(**{field: [used]})
        EventFactory(status="draft", **{field: [drafted]})

        assert listed(filterset, query) == ["Used"]

    @pytest.mark.parametrize("query", ["hide_empty=0", "&hide_empty=false"])
    def test_may_be_off(self, filterset, factory, field, query):
        factory(name="Unused")

        assert listed(filterset, query) == ["Unused"]


def test_a_category_stays_while_one_below_it_is_used():
    top = CategoryFactory(name="Music")
    middle = CategoryFactory(name="Jazz", parent=top)
    CategoryFactory(name="Rock", parent=top)
    EventFactory(categories=[CategoryFactory(name="Bebop", parent=middle)])

    assert categories() == ["Bebop", "Jazz", "Music"]


def test_a_circle_of_categories_is_handled():
    a, b = CategoryFactory(name="A"), CategoryFactory(name="B")
    Category.objects.filter(pk=a.pk).update(parent=b, count=1)
    Category.objects.filter(pk=b.pk).update(parent=a)

    assert categories() == ["A", "B"]
    assert terms.with_used_descendants() == {a.pk, b.pk}


@both
class TestOrder:
    @pytest.fixture(autouse=True)
    def records(self, factory, field):
        pear = factory(name="pear", slug="c", description="Y")
        fig = factory(name="Fig", slug="a", description="z")
        apple = factory(name="Apple", slug="b", description="x")
        EventFactory(**{field: [pear, fig, apple]})
        EventFactory(**{field: [fig, apple]})
        EventFactory(**{field: [apple]})

    @pytest.mark.parametrize(
        ("key", "found"),
        [
            ("id", ["pear", "Fig", "Apple"]),
            ("name", ["Apple", "Fig", "pear"]),
            ("slug", ["Fig", "Apple", "pear"]),
            ("count", ["pear", "Fig", "Apple"]),
            ("description", ["Apple", "pear", "Fig"]),
            ("term_group", ["Apple", "Fig", "pear"]),
            ("include", ["Apple", "Fig", "pear"]),
        ],
    )
    def test_is_by(self, filterset, factory, field, key, found):
        assert listed(filterset, f"orderby={key}") == found
        assert listed(filterset, f"orderby={key}&order=asc") == found
        assert listed(filterset, f"orderby={key}&order=DESC") == found[::-1]

    def test_is_by_name(self, filterset, factory, field):
        assert listed(filterset) == ["Apple", "Fig", "pear"]
        assert listed(filterset, "order=desc") == ["pear", "Fig", "Apple"]

    def test_may_be_that_of_include(self, filterset, factory, field):
        ids = dict(filterset._meta.model.objects.values_list("name", "pk"))
        query = f"include={ids['Fig']},{ids['pear']},{ids['Apple']}&orderby=include"

        assert listed(filterset, query) == ["Fig", "pear", "Apple"]
        assert listed(filterset, f"{query}&order=desc") == ["Apple", "pear", "Fig"]

    def test_that_is_unknown_is_refused(self, filterset, factory, field):
        assert refused(filterset, "order=up&orderby=size") == {
            "order": "order must be one of asc, desc, not 'up'.",
            "orderby": "orderby must be one of "
            "id, name, slug, count, description, include, term_group, not 'size'.",
        }


@both
class TestChoice:
    def test_is_by_words_in_name_and_slug(self, filterset, factory, field):
        factory(name="Late Jazz", slug="night")
        factory(name="Jazz")

        assert listed(filterset, "hide_empty=0&search=NIGHT+jazz") == ["Late Jazz"]

    def test_is_by_slug(self, filterset, factory, field):
        factory(name="Jazz")
        factory(name="Jazz Night")

        assert listed(filterset, "hide_empty=0&slug=jazz") == ["Jazz"]
        assert listed(filterset, "hide_empty=0&slug=blues") == []

    def test_is_by_id(self, filterset, factory, field):
        a, b, _ = factory(name="A"), factory(name="B"), factory(name="C")

        assert listed(filterset, f"hide_empty=0&include={a.pk},{b.pk}") == ["A", "B"]
        assert listed(filterset, f"hide_empty=0&exclude={a.pk}&exclude={b.pk}") == ["C"]
        assert listed(filterset, f"hide_empty=0&include={a.pk},{b.pk}&exclude={a.pk}") == ["B"]

    @pytest.mark.parametrize("name", ["include", "exclude"])
    def test_by_an_unknown_id_is_refused(self, filterset, factory, field, name):
        noun = filterset._meta.model._meta.verbose_name
        known = factory()

        assert refused(filterset, f"{name}={known.pk},999") == {
            name: f"{name} refers to the {noun} '999', which does not exist."
        }
        assert refused(filterset, f"{name}={known.slug}") == {
            name: f"{name} accepts {noun} IDs, not '{known.slug}'."
        }

    def test_takes_as_many_ids_as_the_setting_says(self, filterset, factory, field, settings):
        model = filterset._meta.model
        model.objects.bulk_create(model(name=f"T{n:04}", slug=f"t{n:04}") for n in range(1000))
        ids = [str(pk) for pk in model.objects.order_by("-slug").values_list("pk", flat=True)]
        query = f"hide_empty=0&orderby=include&include={','.join(ids)}"

        assert listed(filterset, query)[:2] == ["T0999", "T0998"]
        assert refused(filterset, f"{query},{int(ids[0]) + 1}") == {
            "include": "include accepts at most 1000 values, not 1001."
        }


@both
class TestEvent:
    def test_has_them(self, filterset, factory, field):
        event = EventFactory(**{field: [factory(name="A"), factory(name="B")]})
        EventFactory(**{field: [factory(name="C")]})

        assert listed(filterset, f"event={event.pk}") == ["A", "B"]
        assert listed(filterset, f"post={event.pk}") == ["A", "B"]

    def test_wins_over_post(self, filterset, factory, field):
        event = EventFactory(**{field: [factory(name="A")]})
        other = EventFactory(**{field: [factory(name="B")]})

        assert listed(filterset, f"post={other.pk}&event={event.pk}") == ["A"]

    @pytest.mark.parametrize("name", ["post", "event"])
    def test_that_is_unknown_is_refused(self, filterset, factory, field, name):
        draft = EventFactory(status="draft")

        for value in (draft.pk, 999, 0):
            assert refused(filterset, f"{name}={value}") == {
                name: f"{name} refers to the event '{value}', which does not exist."
            }

    @pytest.mark.parametrize("name", ["post", "event"])
    def test_that_is_protected_does_not_reveal_them(self, filterset, factory, field, name):
        event = EventFactory(password="open", **{field: [factory(name="A")]})

        query = f"{name}={event.pk}&hide_empty=0"
        assert listed(filterset, query) == []
        assert listed(filterset, query, UserFactory(role="Editor")) == ["A"]


class TestParent:
    @pytest.fixture(autouse=True)
    def tree(self):
        self.top = CategoryFactory(name="Music")
        self.middle = CategoryFactory(name="Jazz", parent=self.top)
        CategoryFactory(name="Bebop", parent=self.middle)

    def test_finds_what_is_right_below(self):
        assert categories(f"hide_empty=0&parent={self.top.pk}") == ["Jazz"]

    def test_0_is_the_top_level(self):
        assert categories("hide_empty=0&parent=0") == ["Music"]

    @pytest.mark.parametrize("value", ["999", str(2**63 - 1)])
    def test_that_is_unknown_is_refused(self, value):
        assert refused(CategoryFilterSet, f"parent={value}") == {
            "parent": f"parent refers to the category '{value}', which does not exist."
        }

    @pytest.mark.parametrize("value", ["music", "-1", "00x", "1e3", "\u0660", str(2**63)])
    def test_an_invalid_id_is_refused(self, value):
        assert refused(CategoryFilterSet, f"parent={quote(value)}") == {
            "parent": f"parent accepts category IDs, not '{value}'."
        }

    def test_is_unknown_to_tags(self):
        TagFactory(name="A")

        assert listed(TagFilterSet, "hide_empty=0&parent=x") == ["A"]


@both
def test_queries_do_not_grow_with_the_terms(
    filterset, factory, field, django_assert_max_num_queries
):
    model = {"categories": Category, "tags": Tag}[field]
    for number in (1, 3):
        event = EventFactory(**{field: factory.create_batch(number)})
        ids = ",".join(map(str, model.objects.values_list("pk", flat=True)))

        # One for each ID list, the event, the tree, and the terms.
        with django_assert_max_num_queries(4):
            assert len(listed(filterset, f"include={ids}&event={event.pk}")) == number
