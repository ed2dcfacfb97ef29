"""What a certificate says of itself, as openssl decodes it as well."""

import datetime as dt
import subprocess

import pytest

from backup_app.engines.bacula.director import certificate

from ..support.certificates import Authority


def end_of(file):
    """Return when openssl says that a certificate expires."""
    words = ["openssl", "x509", "-in", file, "-noout", "-enddate", "-dateopt", "iso_8601"]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return dt.datetime.fromisoformat(said.strip().removeprefix("notAfter="))


@pytest.mark.parametrize("days", [-1, 90, 20_000])  # the last of which has a longer kind of time
def test_it_says_who_signed_it_and_when_it_expires(tmp_path, days):
    authority = Authority(tmp_path, "authority")
    authority.sign("host", days=days)
    file = tmp_path / "host.pem"

    (signer,) = certificate.all_in(authority.file.read_text())
    (signed,) = certificate.all_in(file.read_text())

    assert signed.expires == end_of(file)
    assert signed.issuer == signer.subject == signer.issuer
    assert signed.subject != signer.subject


def test_the_times_of_the_last_century_are_told_from_those_of_this_one():
    assert certificate.full_year("491231235959Z") == "20491231235959Z"
    assert certificate.full_year("500101000000Z") == "19500101000000Z"


def test_a_file_may_have_several_with_keys_and_remarks(tmp_path):
    authority = Authority(tmp_path, "authority")
    authority.sign("host", days=90)
    files = ["host.key", "host.pem", "authority.pem"]
    text = "".join(f"# {name}\n{(tmp_path / name).read_text()}" for name in files)

    found = certificate.all_in(text)

    assert [each.expires for each in found] == [end_of(tmp_path / name) for name in files[1:]]


def test_a_text_without_any_has_none():
    assert certificate.all_in("") == []
