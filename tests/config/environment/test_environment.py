import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from backup_app import conf as backup_conf
from calendar_app import conf as calendar_conf
from config.environment.variables import Environment, load


def reading(value):
    return Environment({"NAME": value})


def test_an_empty_variable_counts_as_not_given():
    env = reading(" ")

    assert env.text("NAME", "default") == "default"
    assert env.boolean("NAME", True) is True
    assert env.integer("NAME", 7) == 7
    assert env.names("NAME", ("a",)) == ["a"]
    assert env.zone("NAME", "UTC") == "UTC"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("TRUE", True), ("yes", True), ("on", True), ("0", False), ("Off", False)],
)
def test_a_boolean_has_several_spellings(value, expected):
    assert reading(value).boolean("NAME") is expected


def test_a_list_is_separated_by_commas():
    assert reading("a.org, b.org ,").names("NAME") == ["a.org", "b.org"]


def test_an_origin_is_a_scheme_and_a_host():
    assert reading("https://a.org,http://b.org:8000").origins("NAME") == [
        "https://a.org",
        "http://b.org:8000",
    ]


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (Environment.boolean, "maybe", "NAME is 'maybe', which is neither true nor false."),
        (
            lambda env, name: env.integer(name, 1, least=1),
            "0",
            "NAME is '0', which is not a whole number of 1 or more.",
        ),
        (
            lambda env, name: env.integer(name, 1),
            "²",
            "NAME is '²', which is not a whole number of 0 or more.",
        ),
        (
            lambda env, name: env.choice(name, ("A", "B"), "A"),
            "C",
            "NAME is 'C', which is not one of A, B.",
        ),
        (
            lambda env, name: env.zone(name, "UTC"),
            "Mars/Base",
            "NAME is 'Mars/Base', which is not a time zone such as 'Europe/Paris' or 'UTC'.",
        ),
        (
            lambda env, name: env.zone(name, "UTC"),
            "../../etc/passwd",
            "NAME is '../../etc/passwd', which is not a time zone such as 'Europe/Paris' or 'UTC'.",
        ),
        (
            Environment.origins,
            "example.org",
            "NAME is 'example.org', which is not a scheme and a host such as 'https://example.org'.",
        ),
        (
            Environment.origins,
            "https://a.org/path",
            (
                "NAME is 'https://a.org/path', which is not a scheme and a host such as"
                " 'https://example.org'."
            ),
        ),
    ],
)
def test_a_wrong_value_is_refused_by_name_and_value(read, value, sentence):
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(reading(value), "NAME")

    assert str(refusal.value) == sentence


def test_a_group_takes_the_types_of_its_defaults():
    env = Environment({"APP_PAGE": "20", "APP_SIGN": "€", "APP_ON": "no", "OTHER": "1"})

    found = env.group("APP_", {"PAGE": 10, "SIGN": "$", "ON": True, "UNSET": 1})

    assert found == {"APP_PAGE": 20, "APP_SIGN": "€", "APP_ON": False}


ORCHESTRATED = [
    f"{prefix}_{name}"
    for prefix in ("CALENDAR", "BACKUP")
    for name in (
        "NAME",
        "PORT",
        "PORT_8000_TCP",
        "PORT_8000_TCP_ADDR",
        "PORT_8000_TCP_PORT",
        "PORT_8000_TCP_PROTO",
        "SERVICE_HOST",
        "SERVICE_PORT",
        "SERVICE_PORT_HTTP",
        "ENV_DATABASE_URL",
    )
]


@pytest.mark.parametrize("in_file", [(), ("APP_PER_PAEG",)])
def test_a_group_says_what_a_mistyped_name_may_mean(in_file):
    with pytest.raises(ImproperlyConfigured) as refusal:
        Environment({"APP_PER_PAEG": "20"}, in_file).group("APP_", {"PER_PAGE": 10, "X": "$"})

    assert str(refusal.value) == "There is no setting APP_PER_PAEG. Did you mean APP_PER_PAGE?"


def test_a_group_refuses_a_name_of_the_file_that_it_does_not_have():
    env = Environment({"APP_SERVICE_HOST": "here"}, {"APP_SERVICE_HOST"})

    with pytest.raises(ImproperlyConfigured) as refusal:
        env.group("APP_", {"PAGES": 10, "SIGN": "$"})

    assert str(refusal.value) == (
        "There is no setting APP_SERVICE_HOST. There are APP_PAGES, APP_SIGN."
    )


def test_groups_ignore_what_an_orchestrator_sets():
    env = Environment(dict.fromkeys(ORCHESTRATED, "value") | {"CALENDAR_PER_PAGE": "5"})

    found = env.group("CALENDAR_", calendar_conf.DEFAULTS)
    found |= env.group("BACKUP_", backup_conf.DEFAULTS)

    assert found == {"CALENDAR_PER_PAGE": 5}
    assert sorted(env.ignored) == sorted(ORCHESTRATED)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", ""), ("/", ""), ("apps", "apps/"), ("/a//b-c/", "a/b-c/"), ("~ann/v1.2", "~ann/v1.2/")],
)
def test_a_base_path_ends_with_a_slash(value, expected):
    assert reading(value).base_path("NAME") == expected


@pytest.mark.parametrize("value", ["a b", "a?b", "..", "a/../b", "é"])
def test_a_base_path_has_only_characters_that_need_no_escape(value):
    with pytest.raises(
        ImproperlyConfigured, match=f"NAME is '{re.escape(value)}', which is not a path"
    ):
        reading(value).base_path("NAME")


def test_a_named_file_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ENV_FILE", str(tmp_path / "none"))

    with pytest.raises(ImproperlyConfigured, match=r"ENV_FILE is '.*none', which cannot be read"):
        load(tmp_path / ".env")
