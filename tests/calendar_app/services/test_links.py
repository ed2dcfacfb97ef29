import pytest

from calendar_app.exceptions import Forbidden
from calendar_app.models import Category, Tag, Venue
from calendar_app.services import links, posts

from ..support.factories import CategoryFactory, TagFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor():
    return UserFactory(role="Editor")


@pytest.fixture
def author():
    return UserFactory(role="Author")


@pytest.mark.parametrize("spelling", ["Café Élysée", "café élysée", "CAFÉ ÉLYSÉE", "cAFÉ ÉlYSÉE"])
def test_a_venue_is_found_by_its_name_in_any_usual_case(spelling, author):
    venue = VenueFactory(name="Café Élysée")
    VenueFactory(name="Café Élysée")

    assert links.by_name(Venue, spelling, author) == venue


def test_what_a_user_cannot_see_is_not_found(editor, author):
    draft = VenueFactory(name="Hall", author=editor, status="draft")
    trashed = VenueFactory(name="Barn")
    posts.trash(trashed)

    assert [links.by_name(Venue, name, author) for name in ("Hall", "Barn")] == [None, None]
    assert [links.by_name(Venue, name, editor) for name in ("Hall", "Barn")] == [draft, None]
    assert links.by_ids(Venue, [draft.pk, trashed.pk, 999], author) == {}
    assert links.by_ids(Venue, [draft.pk, trashed.pk, 999], editor) == {draft.pk: draft}


def test_a_venue_misses_what_it_has_nothing_in(editor):
    venue = VenueFactory(name="Hall", city="Rome", geo_lat=0.0, geo_lng=0.0)
    fields = {
        "name": "HALL",
        "city": "Oslo",
        "zip": "1",
        "geo_lat": 5.0,
        "phone": "",
        "image": None,
    }

    assert links.missing(venue, fields, editor) == {"zip": "1"}


def test_the_venue_of_another_misses_nothing_from_an_author(author):
    own, other = VenueFactory(author=author), VenueFactory()

    assert links.missing(own, {"zip": "1", "author": author}, author) == {"zip": "1"}
    assert links.missing(other, {"zip": "1", "author": author}, author) == {}


def test_terms_are_found_by_name_and_slug_and_otherwise_created(author):
    music = CategoryFactory(name="Live Music", slug="live")

    found = links.terms_by_name(Category, ["LIVE music", "live", "Theatre"], author)

    assert found == {
        "live music": music,
        "live": music,
        "theatre": Category.objects.get(name="Theatre"),
    }


def test_of_categories_with_one_name_the_oldest_counts(author):
    oldest = CategoryFactory(name="Jazz", parent=CategoryFactory())
    CategoryFactory(name="Jazz")

    assert links.terms_by_name(Category, ["jazz"], author) == {"jazz": oldest}


def test_a_contributor_names_known_terms_only():
    contributor, tag = UserFactory(role="Contributor"), TagFactory(name="Free")

    known = links.terms_by_name(Tag, ["free"], contributor)
    with pytest.raises(Forbidden, match="'Dear'") as refusal:
        links.terms_by_name(Tag, ["free", "Dear"], contributor)

    assert known == {"free": tag}
    assert refusal.value.code == "rest_cannot_create_term"
    assert Tag.objects.count() == 1
