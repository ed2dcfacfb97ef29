"""docs/deployment/nginx.conf as it stands, in a real nginx before a service in production."""

import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
import urllib3

from calendar_app.conf import conf as calendar
from config.serving import web
from tests.prerequisites import need
from tests.support.waiting import free_port, wait_for

from .support.server import is_listening, serving, written

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/deployment"
CERTIFICATE = ROOT / "tests/calendar_app/support/tls/calendar.test.pem"
NAME = "calendar.example.org"
VISITOR = "127.0.0.9"  # all of 127.0.0.0/8 is this machine

pytestmark = pytest.mark.xdist_group("nginx")  # one service for all

# What Debian's /etc/nginx/nginx.conf has around a site, in one process and a folder of its own.
AROUND = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The service with the settings of calendar.env, and nginx before it."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    need(program, "of nginx", "apt install nginx")
    lines = (FOLDER / "calendar.env").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    of_that_host = {"DATA_DIR", "DATABASE_URL", "CACHE_URL"}
    settings = {name: value for name, value in settings.items() if name not in of_that_host}
    settings["SECRET_KEY"] = "only for this test " * 4
    settings["ALLOWED_HOSTS"] += ",127.0.0.1"  # which the tests ask whether it is ready
    data = tmp_path_factory.mktemp("data")
    with serving(data, **settings) as service, nginx(program, service, data / "nginx") as site:
        yield site


@contextmanager
def nginx(program, service, folder):
    folder.mkdir()
    http, https = free_port(), free_port()
    text = (FOLDER / "nginx.conf").read_text()
    for there, here in {
        "127.0.0.1:8000": f"127.0.0.1:{service.port}",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "listen [::]:80;": f"listen 127.0.0.2:{http};",
        "listen 443 ": f"listen 127.0.0.1:{https} ",
        "listen [::]:443 ": f"listen 127.0.0.2:{https} ",
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(CERTIFICATE),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(CERTIFICATE),
    }.items():
        assert text.count(there) == 1, there
        text = text.replace(there, here)
    (folder / "site.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
    with (folder / "log").open("w+") as log:
        command = [program, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"]
        process = subprocess.Popen(command, stderr=log)  # noqa: S603
        try:
            wait_for(lambda: process.poll() is not None or is_listening("127.0.0.1", https))
            assert process.poll() is None, written(log)
            yield SimpleNamespace(service=service, http=http, https=https)
        finally:
            process.terminate()
            process.wait(20)


def request(site, method, path, body=None, **headers):
    """Ask as a browser on another machine that has found the site by its name."""
    with urllib3.HTTPSConnectionPool(
        "127.0.0.1",
        site.https,
        source_address=(VISITOR, 0),
        ca_certs=str(CERTIFICATE),
        assert_hostname="calendar.test",
        timeout=60,
        retries=False,
    ) as pool:
        headers = {"Host": NAME} | headers
        return pool.request(method, path, body=body, headers=headers, redirect=False)


def test_plain_http_is_redirected(site):
    with urllib3.HTTPConnectionPool("127.0.0.1", site.http, retries=False) as pool:
        answer = pool.request("GET", "/events/?a=b", headers={"Host": NAME}, redirect=False)

    assert (answer.status, answer.headers["Location"]) == (301, f"https://{NAME}/events/?a=b")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/events/", "text/html"),
        ("/calendar/events/v1", "application/json"),
        ("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css", "text/css"),
    ],
)
def test_pages_and_static_files_arrive(site, path, kind):
    answer = request(site, "GET", path)

    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith(kind)
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_the_service_knows_the_visitor_and_the_request(site):
    """What a visitor says of their own address and request is not believed."""
    spoofed = {"X-Forwarded-For": "203.0.113.9", "X-Request-ID": "chosen-by-them"}
    answer = request(site, "GET", "/calendar/events/v1", **spoofed)
    number = answer.headers["X-Request-ID"]

    assert re.fullmatch(r"[0-9a-f]{32}", number)
    line = wait_for(lambda: re.search(rf".*{number}.*", written(site.service.log)))[0]
    assert f" {VISITOR} GET /calendar/events/v1 200" in line
    assert f'"https://{NAME}/calendar/events/v1' in answer.data.decode().replace("\\/", "/")


def test_a_login_passes_the_checks_of_its_origin(site):
    page = request(site, "GET", "/admin/login/")
    cookie = page.headers["Set-Cookie"]
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.data.decode())
    login = {"csrfmiddlewaretoken": token, "username": "nobody", "password": "wrong"}

    refused = request(
        site,
        "POST",
        "/admin/login/",
        urlencode(login),
        **{"Content-Type": "application/x-www-form-urlencoded"},
        Origin=f"https://{NAME}",
        Cookie=cookie.partition(";")[0],
    )

    assert "Secure" in cookie
    assert (refused.status, "errornote" in refused.data.decode()) == (200, True)


def test_what_is_too_large_is_the_services_to_say(site):
    path = "/calendar/events/v1/images"
    image = request(site, "POST", path, b"x" * calendar.IMAGE_MAX_BYTES)
    largest = request(site, "POST", path, b"x" * web.largest_body())
    larger = request(site, "POST", path, b"x" * 22_100_000)

    # It answers only once all of a body has arrived, and then asks for a login.
    assert (image.status, image.json()["code"]) == (401, "rest_forbidden")
    assert (largest.status, largest.json()["code"]) == (413, "rest_payload_too_large")
    assert (larger.status, larger.headers["Content-Type"]) == (413, "text/html")


def test_metrics_are_not_public(site):
    answer = request(site, "GET", "/metrics")

    assert answer.status == 403
