"""Bodies: three kinds that mean the same, and what is no body."""

import json
from functools import partial
from io import BytesIO
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import encode_multipart

from backup_app.api.parsers import FormParser, JSONParser, nested
from backup_app.exceptions import TooLarge
from backup_app.models import Fileset
from tests.effort import effort
from tests.prerequisites import only_on

from ..support.api_client import client_of, refused
from ..support.factories import AccountFactory

pytestmark = pytest.mark.django_db
URLENCODED = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=x"
ADDRESS = "/api/savefileset"


@pytest.fixture
def api():
    return client_of(AccountFactory())


@pytest.fixture
def post(api):
    """Return a function that sends a body as it is."""
    return lambda body, kind: api.generic("POST", ADDRESS, body, content_type=kind)


FORMS = [
    [("exclude[0]", "a"), ("exclude[1]", "b")],
    [("exclude[]", "a"), ("exclude[]", "b")],
    [("exclude", "a"), ("exclude", "b")],
    [("exclude[1]", "b"), ("exclude[0]", "a")],
    [("exclude[7]", "a"), ("exclude[30]", "b")],
]


class TestTheSame:
    @pytest.mark.parametrize("pairs", FORMS)
    def test_a_form_may_write_a_list_in_several_ways(self, post, pairs):
        body = urlencode([("name", "web"), ("include[0][path]", "/etc"), *pairs])

        assert post(body, URLENCODED).json()["exclude"] == ["a", "b"]

    @pytest.mark.parametrize("pairs", FORMS)
    def test_so_may_one_in_parts(self, api, pairs):
        data = {"name": "web", "include[0][path]": "/etc"}
        for key, value in pairs:
            data[key] = [*data.get(key, []), value]

        assert api.post(ADDRESS, data, format="multipart").json()["exclude"] == ["a", "b"]

    @pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8"])
    def test_so_may_json(self, post, kind):
        body = {"name": "web", "include": [{"path": "/etc"}], "exclude": ["a", "b"]}

        assert post(json.dumps(body), kind).json()["exclude"] == ["a", "b"]

    def test_text_is_utf_8_in_all_of_them(self, api, post):
        data = {"name": "Größe 💾", "include": "/etc"}

        answers = [
            post(urlencode(data), URLENCODED),
            post(json.dumps(data), "application/json"),
            api.post(ADDRESS, data, format="multipart"),
        ]

        assert [answer.json()["name"] for answer in answers] == ["Größe 💾"] * 3
        assert Fileset.objects.count() == 1

    @pytest.mark.parametrize("pattern", ["files[{}]", "files[]", "files"])
    def test_a_long_list_keeps_its_order(self, pattern):
        found = nested((pattern.format(place), f"/{place}") for place in range(10_000))["files"]

        values = list(found.values()) if isinstance(found, dict) else found
        assert values == [f"/{place}" for place in range(10_000)]

    def test_members_of_several_levels_are_put_together(self):
        pairs = [(f"include[{n}][{key}]", key) for n in range(300) for key in ("path", "more")]

        found = nested(pairs)["include"]

        assert len(found) == 300
        assert set(map(str, found.values())) == {"{'path': 'path', 'more': 'more'}"}

    @pytest.mark.parametrize(
        ("kind", "body"),
        [("", ""), ("application/json", ""), ("application/json", " \n"), (URLENCODED, "")],
    )
    def test_an_operation_may_have_no_body(self, api, kind, body):
        response = api.generic("POST", "/api/servers", body, content_type=kind)

        assert response.json() == {"servers": []}

    def test_unknown_keys_are_ignored(self, post):
        body = {"name": "web", "include": "/etc", "account": 1, "id": 9, "more": {"a": [1]}}

        assert post(json.dumps(body), "application/json").status_code == 200


class TestRefused:
    @pytest.mark.parametrize(
        "body",
        ["{", "nul", '{"name": }', '{"a": 1e999}', '{"a": NaN}', '{"a": "\\ud800"}', b"\xff"],
    )
    def test_broken_json(self, post, body):
        response = post(body, "application/json")

        assert "The body is not valid JSON" in refused(response, 400)
        assert response.json()["code"] == "invalid_body"

    @pytest.mark.parametrize("body", ["[]", '"a"', "1", "null"])
    def test_json_that_is_no_object(self, post, body):
        assert refused(post(body, "application/json"), 400) == (
            "The body must be a JSON object, with parameter names as its keys."
        )

    @pytest.mark.parametrize("levels", [51, 900, 100_000])
    def test_json_that_is_too_deep(self, post, levels):
        body = '{"a":' + "[" * levels + "]" * levels + "}"

        assert refused(post(body, "application/json"), 400)

    @pytest.mark.parametrize("number", ["9" * 30, "-1", "1e300", "1.5", "true", '"9"', "[1]", "{}"])
    def test_a_number_that_cannot_be(self, api, number):
        body = f'{{"name": "p", "retention_days": {number}, "keep_full": 0}}'
        response = api.generic("POST", "/api/savepool", body, content_type="application/json")

        assert response.status_code == 400
        assert "keep_full" in response.json()["fields"]

    @pytest.mark.parametrize("kind", ["text/plain", "application/xml", "x", "multipart/mixed"])
    def test_a_kind_that_nobody_reads(self, post, kind):
        response = post(b"name=web", kind)

        assert refused(response, 415)
        assert response.json()["code"] == "unsupported_media_type"

    @pytest.mark.parametrize(
        "kind",
        [
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/form-data; boundary=é",
            "multipart/form-data; boundary=x",
        ],
    )
    def test_parts_without_their_boundary(self, post, kind):
        assert refused(post(b"name=web", kind), 400)

    def test_a_file_is_no_parameter(self, api, tmp_path):
        path = tmp_path / "name"
        path.write_text("web")
        with path.open("rb") as file:
            response = api.post(ADDRESS, {"name": file, "include": "/etc"}, format="multipart")

        assert response.json()["fields"] == {"name": ["This field is required."]}

    @pytest.mark.parametrize("kind", ["application/json", URLENCODED, PARTS])
    def test_more_than_ten_megabytes(self, post, kind):
        assert refused(post(b"a" * 10_000_001, kind), 413) == (
            "The body is larger than the 10000000 bytes that are accepted."
        )

    @pytest.mark.parametrize("parser", [FormParser, JSONParser])
    def test_more_bytes_than_the_content_length_says(self, settings, parser):
        settings.BACKUP_MAX_BODY_BYTES = 4

        with pytest.raises(TooLarge):
            parser().parse(BytesIO(b"12345"))

    @pytest.mark.parametrize(
        ("limit", "value", "status"),
        [("MAX_MEMORY_SIZE", 10, 413), ("MAX_NUMBER_FILES", 1, 400)],
    )
    def test_parts_beyond_the_limits_of_the_project(self, api, settings, limit, value, status):
        setattr(settings, f"DATA_UPLOAD_{limit}", value)
        files = [SimpleUploadedFile(name, b"") for name in ("a", "b")]

        response = api.post(ADDRESS, {"name": "a" * 11, "files": files}, format="multipart")

        assert refused(response, status)

    def test_a_body_in_chunks_is_not_missed(self, api):
        response = api.post("/api/servers", CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")

        assert refused(response, 400) == (
            "The body is sent in chunks. Send it with its Content-Length."
        )

    def test_a_compressed_body_is_not_missed(self, api):
        response = api.post("/api/servers", headers={"Content-Encoding": "gzip"})

        assert refused(response, 400) == "The body is encoded as 'gzip'. Send it unencoded."

    def test_an_invalid_content_length(self, api):
        response = api.post("/api/servers", CONTENT_LENGTH="x")

        assert response.status_code == 200

    def test_ten_thousand_members_are_accepted_and_one_more_is_not(self, post):
        for count, status in ((10_000, 200), (10_001, 400)):
            pairs = [(f"exclude[{number}]", f"*.{number}") for number in range(count)]
            body = urlencode([("name", "web"), ("include", "/etc"), *pairs])

            assert post(body, URLENCODED).status_code == status

    def test_parts_may_have_ten_thousand_members_too(self, post):
        data = {"name": "web", "include": "/etc", "exclude[]": [f"*.{n}" for n in range(10_000)]}

        response = post(encode_multipart("x", data), PARTS)

        assert response.status_code == 200
        assert len(response.json()["exclude"]) == 10_000

    def test_a_form_with_too_many_fields(self, post):
        body = "&".join(f"a{number}=" for number in range(25_001))

        assert refused(post(body, URLENCODED), 400) == "The form has more than 25000 fields."

    def test_parts_with_too_many_fields(self, post):
        part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
        body = part * 25_001 + "--x--\r\n"

        assert refused(post(body, PARTS), 400) == "The form has more than 25000 fields."

    @pytest.mark.parametrize(
        ("key", "sentence"),
        [
            ("files[25001]", "The key 'files[25001]' has an index greater than 25000."),
            (f"a[{'9' * 99_999}]", f"The key 'a[{'9' * 48}' has an index greater than 25000."),
            ("a" + "[b]" * 6, f"The key 'a{'[b]' * 6}…' has more than 5 pairs of brackets."),
            ("a" + "[]" * 99_999, f"The key 'a{'[]' * 24}[…' has more than 5 pairs of brackets."),
        ],
    )
    def test_a_key_of_long_or_deep_lists(self, post, key, sentence):
        assert refused(post(urlencode({key: "1"}), URLENCODED), 400) == sentence

    @pytest.mark.parametrize("sign", ["[]", "{}"])
    def test_json_of_too_many_lists_and_objects(self, post, sign):
        body = f'{{"include": [{",".join([sign] * 100_000)}]}}'

        assert refused(post(body, "application/json"), 400) == (
            "The body has more than 100000 lists and objects."
        )

    @pytest.mark.parametrize("kind", ["application/json", URLENCODED])
    def test_a_nul_is_no_text(self, post, kind):
        data = {"name": "a\0b", "include": "/etc"}
        body = json.dumps(data) if "json" in kind else urlencode(data)

        assert list(post(body, kind).json()["fields"]) == ["name"]


@pytest.mark.parametrize("pattern", ["a[{}]", "a{}[500]", "a[{0}][{0}][{0}]", "a[b][c][{}]"])
@only_on("sqlite")  # forms are parsed alike on any
def test_the_time_that_a_form_takes_grows_with_its_size(pattern):
    few, many = (
        effort(partial(nested, [(pattern.format(number), "1") for number in range(count)]))
        for count in (1_000, 10_000)
    )

    assert many < 30 * few
