import pytest

from calendar_app.exceptions import CalendarError
from calendar_app.models import Category, Tag
from calendar_app.services import terms

from ...support.api_client import P, client_of
from ...support.factories import CategoryFactory, EventFactory, TagFactory
from ...support.writing import change, create, refused

pytestmark = pytest.mark.django_db


def test_a_category_is_what_was_written():
    music = CategoryFactory(name="Music")

    made = create(
        "categories",
        {"name": "Jazz & Blues", "description": "<b>Old</b>", "slug": "Jazz!", "parent": music.pk},
    )

    fields = {name: made.json()[name] for name in ("name", "description", "slug", "parent")}
    assert made.status_code == 201
    assert fields == {
        "name": "Jazz & Blues",
        "description": "<b>Old</b>",
        "slug": "jazz",
        "parent": music.pk,
    }


@pytest.mark.parametrize("collection", ["categories", "tags"])
def test_a_term_needs_a_name(collection):
    assert refused(create(collection, {}), code="rest_missing_callback_param") == ["name"]
    assert refused(create(collection, {"name": None})) == {"name": "name cannot be empty."}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", "x" * 201),
        ("name", "a\0b"),
        ("name", ["a"]),
        ("name", "<i></i>"),
        ("description", "a\0b"),
        ("slug", "///"),
        ("slug", "x" * 201),
        ("parent", 999),
        ("parent", "Music"),
        ("parent", -1),
        ("parent", 10**30),
    ],
)
def test_bad_input_is_refused(name, value):
    assert list(refused(create("categories", {"name": "Jazz", name: value}))) == [name]


@pytest.mark.parametrize("nothing", [0, "0", None, "", []])
def test_a_category_returns_to_the_top(nothing):
    child = CategoryFactory(parent=CategoryFactory())

    assert change(child, {"parent": nothing}).json()["parent"] == 0


@pytest.mark.parametrize("factory", [CategoryFactory, TagFactory])
@pytest.mark.parametrize("nothing", [None, "", []])
def test_description_and_slug_are_cleared(factory, nothing):
    term = factory(name="Jazz", slug="old", description="Old")

    answer = change(term, {"description": nothing, "slug": nothing}).json()

    assert (answer["description"], answer["slug"]) == ("", "jazz")


@pytest.mark.parametrize(
    ("factory", "kind"), [(CategoryFactory, "categories"), (TagFactory, "tags")]
)
@pytest.mark.parametrize("name", ["Café", "café", "CAFÉ"])
def test_a_name_is_taken_once_at_a_level(factory, kind, name):
    term = factory(name="Café")

    answer = create(kind, {"name": name})

    refused(answer, code="term_exists")
    assert answer.json()["data"] == {"status": 400, "term_id": term.pk}


def test_a_name_is_free_at_another_level():
    music = CategoryFactory(name="Jazz")

    answer = create("categories", {"name": "Jazz", "parent": music.pk})

    assert (answer.status_code, answer.json()["slug"]) == (201, "jazz-2")


def test_a_category_does_not_move_beside_its_namesake():
    music = CategoryFactory(name="Music")
    top, below = CategoryFactory(name="Jazz"), CategoryFactory(name="jazz", parent=music)

    answer = change(below, {"parent": 0})

    refused(answer, code="term_exists")
    assert answer.json()["data"]["term_id"] == top.pk


def test_a_name_may_change_its_case():
    tag = TagFactory(name="jazz")

    assert change(tag, {"name": "JAZZ"}).json()["name"] == "JAZZ"


def test_a_category_does_not_stand_below_itself():
    top = CategoryFactory()
    child = CategoryFactory(parent=top)

    for parent in (top, child):
        assert list(refused(change(top, {"parent": parent.pk}))) == ["parent"]


def test_a_taken_slug_gets_a_number():
    TagFactory(slug="jazz")

    assert create("tags", {"name": "New", "slug": "jazz"}).json()["slug"] == "jazz-2"


def test_a_tag_has_no_parent():
    tag = TagFactory()

    refused(
        create("tags", {"name": "New", "parent": tag.pk}), code="rest_taxonomy_not_hierarchical"
    )
    refused(change(TagFactory(), {"parent": str(tag.pk)}), code="rest_taxonomy_not_hierarchical")
    assert create("tags", {"name": "New", "parent": 0}).status_code == 201


def test_a_write_keeps_what_it_does_not_name():
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", description="Old", parent=music)
    EventFactory(categories=[jazz])
    client = client_of(role="Editor")

    for method in (client.post, client.put, client.patch):
        answer = method(f"{P}/categories/{jazz.pk}", {"name": method.__name__, "id": 99}).json()
        assert (answer["description"], answer["slug"], answer["count"]) == ("Old", "jazz", 1)

    assert Category.objects.count() == 2


@pytest.mark.parametrize(
    ("role", "create_status", "change_status"),
    [("Editor", 201, 200), ("Author", 201, 403), ("Contributor", 403, 403), (None, 401, 401)],
)
def test_terms_are_created_by_authors_and_changed_by_editors(role, create_status, change_status):
    tag = TagFactory()

    assert create("tags", {"name": "New"}, role=role).status_code == create_status
    assert change(tag, {"name": "Newer"}, role=role).status_code == change_status
    assert Tag.objects.filter(name="Newer").exists() == (change_status == 200)


@pytest.mark.parametrize("top", ["Jazz", "JAZZ"])
def test_a_category_whose_child_finds_its_name_taken_above_stays(top):
    CategoryFactory(name=top)
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", parent=music)

    response = client_of(role="Editor").delete(f"{P}/categories/{music.pk}")

    assert response.status_code == 400
    assert response.json()["code"] == "term_exists"
    assert response.json()["data"] == {"status": 400, "term_id": jazz.pk}
    assert Category.objects.count() == 3


def delete(category):
    return client_of(role="Editor").delete(f"{P}/categories/{category.pk}")


def test_the_children_of_a_deleted_category_move_to_its_parent():
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", parent=music)
    bebop = CategoryFactory(name="Bebop", parent=jazz)

    answer = delete(jazz)

    bebop.refresh_from_db()
    assert answer.status_code == 200
    assert (bebop.parent, bebop.name) == (music, "Bebop")


def test_a_child_may_have_the_name_of_its_deleted_parent():
    music = CategoryFactory(name="Music")
    child = CategoryFactory(name="Music", parent=music)

    assert delete(music).status_code == 200
    assert list(Category.objects.values_list("pk", "name", "parent")) == [(child.pk, "Music", None)]


def test_a_category_stays_when_its_child_finds_its_name_taken_below_its_parent():
    music = CategoryFactory(name="Music")
    jazz, _ = (CategoryFactory(name=name, parent=music) for name in ("Jazz", "Bebop"))
    bebop = CategoryFactory(name="bebop", parent=jazz)

    answer = delete(jazz)

    refused(answer, code="term_exists")
    assert answer.json()["data"]["term_id"] == bebop.pk


def test_a_name_at_the_top_does_not_matter_to_a_child_that_moves_elsewhere():
    CategoryFactory(name="Bebop")
    jazz = CategoryFactory(name="Jazz", parent=CategoryFactory(name="Music"))
    CategoryFactory(name="Bebop", parent=jazz)

    assert delete(jazz).status_code == 200


class TestCategoriesDeletedTogether:
    def test_leave_their_children_to_the_next_above_that_stays(self):
        top = CategoryFactory()
        first = CategoryFactory(parent=top)
        second = CategoryFactory(parent=first)
        child = CategoryFactory(parent=second)

        terms.delete(first, second)

        child.refresh_from_db()
        assert child.parent == top
        assert set(Category.objects.all()) == {top, child}

    def test_may_have_names_that_are_taken_where_none_of_them_goes(self):
        CategoryFactory(name="Jazz")
        music = CategoryFactory(name="Music")
        jazz = CategoryFactory(name="Jazz", parent=music)

        terms.delete(music, jazz)

        assert [category.name for category in Category.objects.all()] == ["Jazz"]

    def test_stay_when_two_children_of_one_name_would_meet(self):
        music = CategoryFactory(name="Music")
        jazz = CategoryFactory(name="Jazz", parent=music)
        for parent in (music, jazz):
            CategoryFactory(name="Bebop", parent=parent)

        with pytest.raises(CalendarError, match="'Bebop' would move up"):
            terms.delete(music, jazz)

        assert Category.objects.count() == 4
