"""Certificates that expire soon, and a key that others can read, are told before they matter."""

import datetime as dt
import re
import secrets

import pytest

from backup_app.engines import get_engine

from ..conftest import ENGINE
from ..support import configs
from ..support.certificates import Authority

pytestmark = pytest.mark.django_db

CONSOLE = {"required": "yes", "certificate": "director", "more": ""}
PLACE = "IP:127.0.0.1"


@pytest.fixture
def faults(bacula, operator, settings, tmp_path):
    """A function that returns what is told of certificates, with a console of the test's own."""
    name = f"console-{secrets.token_hex(4)}"

    def find(*, verified="no", **options):
        own = {"name": name, "folder": tmp_path, "password": bacula.passwords["dir"]}
        operator(configs.TLS_CONSOLE.format(**own, **CONSOLE, verified=verified))
        options = bacula.options(console=name, tls_ca=f"{tmp_path}/authority.pem", **options)
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
        found = list(get_engine().faults())
        return [each for each in found if re.search("expire|certificate|can read the key", each)]

    return find


@pytest.fixture
def own(tmp_path):
    """The options of this service's certificate, whose key only it can read."""
    (tmp_path / "console.key").touch(mode=0o600)
    return {"tls_certificate": f"{tmp_path}/console.pem", "tls_key": f"{tmp_path}/console.key"}


def in_days(number):
    return f"{dt.datetime.now(dt.UTC) + dt.timedelta(number):%Y-%m-%d at }"


def test_the_directors_certificate_is_told_until_it_is_replaced(faults, tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("director", alternatives=PLACE, days=5)

    (fault,) = faults()

    assert fault.startswith(f"The Director's certificate expires on {in_days(5)}")
    assert fault.endswith(
        " UTC: put a new one into the file of its TLS Certificate, and have it reload its"
        " configuration."
    )
    authority.sign("director", alternatives=PLACE)
    assert faults() == []


def test_the_authority_is_told_that_signed_it(faults, tmp_path):
    authority = Authority(tmp_path, "authority", days=5)
    authority.sign("director", alternatives=PLACE)
    with authority.file.open("a") as file:
        file.write(Authority(tmp_path, "other", days=1).file.read_text())

    (fault,) = faults()

    assert fault.startswith(
        f"The authority in '{authority.file}', which signed the Director's certificate, expires on"
        f" {in_days(5)}"
    )


def test_a_certificate_that_is_its_own_authority_is_told_once(faults, tmp_path):
    Authority(tmp_path, "director", days=5, alternatives=PLACE)
    (tmp_path / "authority.pem").write_text((tmp_path / "director.pem").read_text())

    (fault,) = faults()

    assert fault.startswith("The Director's certificate expires on ")


def test_this_services_own_certificate_is_told(faults, own, tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("director", alternatives=PLACE)
    authority.sign("console", days=13)

    (fault,) = faults(verified="yes", **own)

    assert fault.startswith(
        f"The certificate in '{tmp_path}/console.pem', the option tls_certificate, expires on"
        f" {in_days(13)}"
    )
    authority.sign("console", days=15)
    assert faults(verified="yes", **own) == []


def test_that_it_has_expired_is_told_when_the_director_refuses_it(faults, own, tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("director", alternatives=PLACE)
    authority.sign("console", days=-1)

    expired, refused = faults(verified="yes", **own)

    assert ", the option tls_certificate, expired on " in expired
    assert refused.endswith(
        "do not agree on TLS: certificate expired; replace that of the option tls_certificate."
    )


def test_a_certificate_that_cannot_be_used_is_told_once(faults, own, tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("director", alternatives=PLACE)
    authority.sign("console", days=5)

    (fault,) = faults(verified="yes", **own | {"tls_key": f"{tmp_path}/authority.key"})

    assert "has no certificate with its key, unencrypted" in fault


def test_a_key_that_everybody_can_read_is_told(faults, own, tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("director", alternatives=PLACE)
    authority.sign("console")
    key = tmp_path / "console.key"
    key.chmod(0o640)
    assert faults(verified="yes", **own) == []

    key.chmod(0o644)

    message = f"Every user of this host can read the key in '{key}': chmod o-r {key}."
    assert faults(verified="yes", **own) == [message]
