"""Filesets: what may be in one, and how it is saved."""

import pytest

from backup_app.exceptions import Invalid
from backup_app.models import Fileset
from backup_app.services import filesets

from ..support.factories import ClientFactory, FilesetFactory, ZoneFactory
from ..support.folder_engine import FolderEngine

pytestmark = pytest.mark.django_db

WEB = {
    "name": "web",
    "include": [{"path": "/etc"}, {"path": "/srv"}],
    "exclude": ["*.tmp", "/srv/cache"],
    "options": {"one_filesystem": True, "compression": 7},
    "databases": [{"kind": "mysql", "name": "shop"}, {"kind": "postgresql", "name": "wiki"}],
    "verify": True,
    "schedule": "30 2 * * *",
}
PLAIN = {"exclude": [], "options": {}, "databases": [], "verify": False, "schedule": ""}


@pytest.fixture
def save(api):
    return lambda data: api.post("/api/savefileset", {"name": "web", **data})


class TestSave:
    @pytest.mark.parametrize("name", ["include", "exclude"])
    def test_more_than_a_command_line_takes_is_refused(self, save, name):
        response = save({"include": ["/etc"]} | {name: [f"/{n}" * 500 for n in range(100, 150)]})

        sentence = "Together they have 100000 bytes, more than 60000."
        assert (response.status_code, response.json()["fields"]) == (400, {name: [sentence]})

    def test_more_folders_than_can_be_compared_are_refused(self, save):
        response = save({"include": [f"/{n}" for n in range(1001)]})

        sentence = "There are 1001 folders, more than 1000."
        assert (response.status_code, response.json()["fields"]) == (400, {"include": [sentence]})

    def test_it_answers_what_is_kept(self, api, account):
        assert api.post("/api/savefileset", WEB).json() == WEB

        fileset = Fileset.objects.get()
        assert (fileset.account, fileset.name) == (account, "web")
        assert {name: getattr(fileset, name) for name in WEB} == WEB

    def test_a_form_may_say_the_same_as_php_does(self, api):
        form = {
            "name": "web",
            "include[0][path]": "/etc",
            "include[1][path]": "/srv",
            "exclude[]": ["*.tmp", "/srv/cache"],
            "options[one_filesystem]": "1",
            "options[compression]": "7",
            "databases[0][kind]": "mysql",
            "databases[0][name]": "shop",
            "databases[1][kind]": "postgresql",
            "databases[1][name]": "wiki",
            "verify": "on",
            "schedule": "30 2 * * *",
        }

        assert api.post("/api/savefileset", form, format="multipart").json() == WEB

    def test_what_is_not_given_keeps_its_value(self, api, save):
        api.post("/api/savefileset", WEB)

        answer = save({"exclude": [], "options": {"compression": 9}, "schedule": ""}).json()

        changed = {"options": {"one_filesystem": True, "compression": 9}}
        assert answer == WEB | changed | {"exclude": [], "schedule": ""}
        assert Fileset.objects.count() == 1

    @pytest.mark.parametrize(
        ("include", "kept"),
        [
            ("/etc", ["/etc"]),
            (["/etc", {"path": "/srv"}], ["/etc", "/srv"]),
            (["/etc/", "//etc", "/etc/."], ["/etc"]),
            (["/"], ["/"]),
            (["/a\nb", "/ x "], ["/a\nb", "/ x "]),
            (["C:/Users", r"D:\Data"], ["C:/Users", r"D:\Data"]),
            ({"1": "/b", "0": "/a"}, ["/a", "/b"]),
        ],
    )
    def test_folders_are_written_in_several_ways(self, save, include, kept):
        assert save({"include": include}).json() == {
            "name": "web",
            "include": [{"path": path} for path in kept],
            **PLAIN,
        }

    def test_databases_alone_are_enough(self, save):
        assert save({"databases": WEB["databases"]}).json()["include"] == []

    @pytest.mark.parametrize("data", [{}, {"include": []}, {"include": "", "databases": []}])
    def test_there_must_be_something_to_back_up(self, save, data):
        response = save(data)

        assert response.status_code == 400
        assert response.json()["error"] == (
            "Fileset 'web' needs a folder or a database to back up."
        )

    def test_it_cannot_be_emptied_later(self, save):
        save({"include": "/etc"})

        assert save({"include": []}).status_code == 400
        assert Fileset.objects.get().include == [{"path": "/etc"}]

    @pytest.mark.parametrize(
        ("name", "value", "sentence"),
        [
            ("include", ["etc"], "'etc' is not an absolute path."),
            ("include", ["/a/../b"], "'/a/../b' contains '..' or a NUL."),
            ("include", [r"C:\a\..\b"], r"'C:\a\..\b' contains '..' or a NUL."),
            ("include", ["/" + "é" * 2048], "A path has at most 4096 bytes."),
            ("exclude", [" "], "A pattern must not be empty or contain a NUL."),
            ("exclude", ["é" * 2049], "A pattern has at most 4096 bytes."),
            (
                "databases",
                [{"kind": "mysql", "name": "a; DROP"}],
                (
                    "'a; DROP' cannot name a database: "
                    "up to 63 ASCII letters, digits, '_', '-' and '$'."
                ),
            ),
            (
                "schedule",
                "* * *",
                "'* * *' is not a schedule: it needs 5 fields, such as 30 2 * * *.",
            ),
            (
                "name",
                "a/b",
                ("'a/b' cannot name a fileset: it must not contain '/' or control characters."),
            ),
        ],
    )
    def test_a_wrong_value_is_named(self, save, name, value, sentence):
        response = save({"include": ["/etc"], name: value})

        assert response.status_code == 400
        assert response.json() == {
            "error": sentence,
            "code": "invalid",
            "fields": {name: [sentence]},
        }
        assert not Fileset.objects.exists()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("include", {"path": "/etc"}),
            ("include", [{"path": ""}]),
            ("include", [{}]),
            ("include", [1]),
            ("include", [None]),
            ("include", ["/a\0"]),
            ("include", [["/a"]]),
            ("include", ["/a"] * 10_001),
            ("exclude", [""]),
            ("exclude", ["a\0"]),
            ("exclude", [{}]),
            ("options", "x"),
            ("options", [1]),
            ("options[compression]", 0),
            ("options[compression]", 20),
            ("options[compression]", "x"),
            ("options[compression]", None),
            ("options[one_filesystem]", "perhaps"),
            ("databases", [{"kind": "oracle", "name": "a"}]),
            ("databases", [{"kind": "mysql"}]),
            ("databases", [{"kind": "mysql", "name": "-a"}]),
            ("databases", [{"kind": "mysql", "name": "../a"}]),
            ("databases", [{"kind": "mysql", "name": "a" * 64}]),
            ("databases", ["shop"]),
            ("verify", "perhaps"),
            ("schedule", "*" * 101),
            ("schedule", ["1"]),
            ("name", {"a": "b"}),
        ],
    )
    def test_a_value_of_another_kind_is_refused(self, save, name, value):
        outer, _, inner = name.partition("[")
        data = {outer: {inner.rstrip("]"): value}} if inner else {name: value}

        response = save({"include": ["/etc"], **data})

        assert response.status_code == 400
        assert all(field.startswith(outer) for field in response.json()["fields"])
        assert not Fileset.objects.exists()

    def test_names_are_an_accounts_own(self, save):
        other = FilesetFactory(name="web")

        assert save({"include": "/etc"}).status_code == 200
        other.refresh_from_db()
        assert other.include == [{"path": "/nonexistent"}]


class TestVerb:
    def test_all_wrong_values_are_told_at_once(self, account):
        with pytest.raises(Invalid) as caught:
            filesets.save(
                account, "web", include=["etc"], options={"compression": True}, schedule="x"
            )

        assert caught.value.fields == {
            "include": ["'etc' is not an absolute path."],
            "options": ["The compression is True: it must be a whole number from 1 to 19."],
            "schedule": ["'x' is not a schedule: it needs 5 fields, such as 30 2 * * *."],
        }

    @pytest.mark.parametrize("system", ["unix", "windows"])
    def test_a_default_is_made_once(self, account, system):
        fileset = filesets.default(account, system)

        assert filesets.default(account, system) == fileset
        assert fileset.include

    def test_a_default_that_was_changed_stays(self, account):
        filesets.save(account, "default", include=["/etc"])

        assert filesets.default(account, "unix").include == [{"path": "/etc"}]


class Picky(FolderEngine):
    def require_expressible(self, fileset):
        if "*.tmp" in fileset.exclude:
            raise Invalid({"exclude": ["The pattern '*.tmp' is too much."]})


class TestWhatAnEngineCannotDo:
    @pytest.fixture(autouse=True)
    def _engine(self, settings):
        settings.BACKUP_ENGINES |= {"picky": {"BACKEND": f"{__name__}.Picky"}}

    def test_it_is_refused_when_it_is_saved(self, save, account):
        ClientFactory(account=account, zone=ZoneFactory(engine="picky"))

        response = save({"include": ["/etc"], "exclude": ["*.tmp"]})

        sentence = "The pattern '*.tmp' is too much."
        assert (response.status_code, response.json()["fields"]) == (400, {"exclude": [sentence]})
        assert save({"include": ["/etc"], "exclude": ["*.bak"]}).status_code == 200

    def test_it_may_be_said_to_another_engine(self, save, account):
        ClientFactory(account=account)

        assert save({"include": ["/etc"], "exclude": ["*.tmp"]}).status_code == 200
