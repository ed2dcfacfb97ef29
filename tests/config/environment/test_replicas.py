import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import replicas, services
from config.environment.variables import Environment

PRIMARY = {"default": services.postgresql("DATABASE_URL", "postgres://db/site")}
SQLITE = {"default": {"ENGINE": "django.db.backends.sqlite3"}}


def settings(urls, databases=PRIMARY):
    env = Environment({"DATABASE_REPLICA_URLS": urls})
    return replicas.settings(env, databases, ["one.Router"], ["one.Middleware"])


def test_there_are_none_unless_they_are_named():
    assert settings("") == settings("", SQLITE) == {}


def test_each_is_a_database_beside_the_primary():
    found = settings("postgres://ann:pw@one/site, postgres://two:5433/site?connect_timeout=9")

    one, two = (found["DATABASES"][alias] for alias in found["DATABASE_REPLICAS"])
    assert found["DATABASES"]["default"] == PRIMARY["default"]
    assert (one["HOST"], one["USER"], one["OPTIONS"]["connect_timeout"]) == ("one", "ann", 2)
    assert (two["HOST"], two["PORT"], two["OPTIONS"]["connect_timeout"]) == ("two", 5433, 9)
    assert one["TEST"] == {"MIRROR": "default"}
    assert found["DATABASE_ROUTERS"] == ["config.databases.router.Router", "one.Router"]
    assert found["MIDDLEWARE"][0] == "one.Middleware"


@pytest.mark.parametrize(
    ("urls", "databases", "sentence"),
    [
        (
            "postgres://ann:secret@db/site",
            SQLITE,
            (
                "DATABASE_REPLICA_URLS is 'postgres://ann:***@db/site', which is of use only beside"
                " a DATABASE_URL of PostgreSQL."
            ),
        ),
        (
            "postgres://db/site,mysql://ann:secret@db/site",
            PRIMARY,
            (
                "DATABASE_REPLICA_URLS is 'mysql://ann:***@db/site', which does not begin with one"
                " of postgres, postgresql."
            ),
        ),
    ],
)
def test_a_wrong_address_is_refused_without_its_password(urls, databases, sentence):
    with pytest.raises(ImproperlyConfigured) as refusal:
        settings(urls, databases)

    assert str(refusal.value) == sentence
