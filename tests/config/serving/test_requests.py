import io

import pytest

from config.serving.requests import in_utf8
from config.wsgi import application

NAMESPACE = "/calendar/events/v1"
EVENTS = f"{NAMESPACE}/events"
CHARSETS = ["rot13", "hex", "undefined", "idna", "punycode", "unicode_escape", "nothing", "utf-16"]


def answer(content_type, query="", application=application):
    """Return the status of a GET as a WSGI server would ask for it."""
    statuses = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": NAMESPACE,
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_HOST": "localhost",
        "CONTENT_TYPE": content_type,
        "wsgi.input": io.BytesIO(),
        "wsgi.url_scheme": "http",
    }
    list(application(environ, lambda status, headers: statuses.append(status)))
    return statuses


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; a*=nothing''b",
        "application/json; charset*=nothing''b",
        *(f"application/json; charset={charset}" for charset in CHARSETS),
        *(f"multipart/form-data; boundary=x; charset={charset}" for charset in CHARSETS),
    ],
)
def test_no_content_type_breaks_a_request(content_type):
    assert answer(content_type, "search=%5Cud800%ff") == ["200 OK"]


@pytest.mark.parametrize(
    ("sent", "passed_on"),
    [
        ("", ""),
        ("application/json", "application/json"),
        ("application/json; charset=latin-1", "application/json"),
        ("multipart/form-data; charset=x; boundary=a=b", 'multipart/form-data; boundary="a=b"'),
        ('multipart/form-data; boundary="a b"', 'multipart/form-data; boundary="a b"'),
    ],
)
def test_the_rest_of_a_content_type_stays(sent, passed_on):
    seen = []

    def application(environ, start_response):
        seen.append(environ["CONTENT_TYPE"])
        return []

    answer(sent, application=in_utf8(application))

    assert seen == [passed_on]


@pytest.mark.django_db
def test_a_session_cookie_with_a_nul_is_ignored(client):
    response = client.get(EVENTS, headers={"Cookie": 'sessionid="aaaaaaaaaaaa\\000"'})

    assert response.status_code == 200


@pytest.mark.django_db
def test_a_login_with_a_nul_is_unknown(client):
    response = client.get(EVENTS, headers={"Authorization": "Basic YQBiOmM="})  # a, NUL, b

    assert response.status_code == 401


@pytest.mark.parametrize(
    "path", ["a" * 300, "a/" * 3000 + "b", "a%00b", "..%2f..%2fmanage.py", "%ff", "calendar/"]
)
def test_a_path_that_no_file_can_have_is_refused(client, path):
    response = client.get(f"/media/{path}")

    assert response.status_code in {400, 404}
