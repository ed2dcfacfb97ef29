import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import services


def test_the_database_is_a_file_unless_a_url_names_another(tmp_path):
    entry = services.database("", tmp_path / "db.sqlite3")

    assert entry["ENGINE"] == "django.db.backends.sqlite3"
    assert entry["NAME"] == str(tmp_path / "db.sqlite3")
    assert entry["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in entry["OPTIONS"]["init_command"]


def test_a_url_can_name_another_file(tmp_path):
    entry = services.database(f"sqlite:///{tmp_path}/site.sqlite3", tmp_path / "db.sqlite3")

    assert entry["NAME"] == f"{tmp_path}/site.sqlite3"
    assert entry["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_postgresql_connections_are_kept_and_checked(tmp_path):
    entry = services.database("postgres://ann:p%40ss@db:5433/site?sslmode=require", tmp_path)

    assert entry["ENGINE"] == "django.db.backends.postgresql"
    assert (entry["HOST"], entry["PORT"], entry["NAME"]) == ("db", 5433, "site")
    assert (entry["USER"], entry["PASSWORD"]) == ("ann", "p@ss")
    assert (entry["CONN_MAX_AGE"], entry["CONN_HEALTH_CHECKS"]) == (600, True)
    assert entry["OPTIONS"] == {"connect_timeout": 5, "sslmode": "require"}


def test_a_url_can_turn_off_server_side_cursors_and_kept_connections(tmp_path):
    url = "postgres://db/site?conn_max_age=0&disable_server_side_cursors=True"

    entry = services.database(url, tmp_path)

    assert (entry["CONN_MAX_AGE"], entry["DISABLE_SERVER_SIDE_CURSORS"]) == (0, True)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "mysql://ann:secret@db/site",
            (
                "DATABASE_URL is 'mysql://ann:***@db/site', which does not begin with one of"
                " postgres, postgresql, sqlite."
            ),
        ),
        (
            "postgres://ann:sec/ret@db/site",
            (
                "DATABASE_URL is 'postgres://ann:***@db/site', which is not a valid URL:"
                " percent-encode its password."
            ),
        ),
        (
            "postgres://ann:sec[ret@db/site",
            (
                "DATABASE_URL is 'postgres://ann:***@db/site', which is not a valid URL:"
                " percent-encode its password."
            ),
        ),
        (
            "postgres://ann:secret@db",
            "DATABASE_URL is 'postgres://ann:***@db', which does not name a database.",
        ),
        (
            "sqlite:////no/such/folder/db",
            (
                "DATABASE_URL is 'sqlite:////no/such/folder/db', which is a file in a folder that"
                " does not exist."
            ),
        ),
    ],
)
def test_a_wrong_database_is_refused_without_its_password(url, sentence, tmp_path):
    with pytest.raises(ImproperlyConfigured) as refusal:
        services.database(url, tmp_path)

    assert str(refusal.value) == sentence


def test_the_cache_is_memory_unless_a_url_names_another():
    assert services.cache("") == services.cache("locmemcache://") | {"LOCATION": ""}
    assert services.cache("")["BACKEND"] == "config.serving.caches.BoundedMemoryCache"
    assert services.cache("redis://127.0.0.1:6379/3") == {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:6379/3",
    }


def test_an_unknown_cache_is_refused():
    with pytest.raises(ImproperlyConfigured, match="CACHE_URL is 'disk://x', which does not begin"):
        services.cache("disk://x")


def test_mail_goes_to_the_terminal_unless_a_url_names_a_server():
    assert services.mail("")["EMAIL_BACKEND"] == "django.core.mail.backends.console.EmailBackend"
    assert services.mail("smtps://ann:pw@mail.org:587")["EMAIL_USE_TLS"] is True
