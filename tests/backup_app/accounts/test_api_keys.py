import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from backup_app.accounts import api_keys
from backup_app.exceptions import NotFound
from backup_app.models import ApiKey

pytestmark = pytest.mark.django_db


def test_only_prefix_and_hash_are_kept(account):
    key, text = api_keys.make(account, "scripts")

    bk, prefix, secret = text.split("_", 2)
    assert (bk, prefix, len(prefix), len(secret)) == ("bk", key.prefix, 12, 43)
    assert key.digest == hashlib.sha256(text.encode()).hexdigest()
    stored = ApiKey.objects.values().get()
    assert secret not in repr(stored)
    assert (stored["name"], stored["account_id"]) == ("scripts", account.pk)


def test_no_two_are_alike(account):
    assert len({api_keys.make(account)[1] for _ in range(20)}) == 20


def test_a_key_is_found_by_its_text_in_one_query(account, django_assert_num_queries):
    key, text = api_keys.make(account)

    with django_assert_num_queries(1):
        found = api_keys.find(text)
        assert (found, found.account) == (key, account)


def test_another_secret_is_refused(account):
    _, text = api_keys.make(account)
    _, other = api_keys.make(account)

    assert api_keys.find(text[:-1]) is None
    assert api_keys.find(text[:16] + other[16:]) is None


@pytest.mark.parametrize(
    "text", ["", "bk_", "bk__", "secret", "bk_zz_x", "bk_123456789abc_\n", "é"]
)
def test_what_is_no_key_is_not_looked_for(text, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert not api_keys.looks_like_key(text)
        assert api_keys.find(text) is None


def test_a_key_looks_like_one(account):
    assert api_keys.looks_like_key(api_keys.make(account)[1])


def test_a_key_expires(account):
    now = timezone.now()
    _, text = api_keys.make(account, expires=now + timedelta(hours=1))
    _, old = api_keys.make(account, expires=now)

    assert api_keys.find(text)
    assert api_keys.find(old) is None


def test_an_account_that_may_not_log_in_has_no_keys(account):
    _, text = api_keys.make(account)
    account.is_active = False
    account.save()

    assert api_keys.find(text) is None


@pytest.mark.parametrize("written", ["{prefix}", "bk_{prefix}", "bk_{prefix}_secret"])
def test_a_revoked_key_is_refused(account, written):
    key, text = api_keys.make(account)

    revoked = api_keys.revoke(written.format(prefix=key.prefix))

    assert revoked.revoked is not None
    assert api_keys.find(text) is None


def test_revoking_again_changes_nothing(account):
    key, _ = api_keys.make(account)

    assert api_keys.revoke(key.prefix).revoked == api_keys.revoke(key.prefix).revoked


def test_what_is_not_there_cannot_be_revoked():
    with pytest.raises(NotFound, match="There is no API key with the prefix 'abc'"):
        api_keys.revoke("abc")


def test_its_use_is_noted_once_a_minute(account, time_machine, django_assert_num_queries):
    time_machine.move_to("2027-03-01 12:00:00Z", tick=False)
    key, _ = api_keys.make(account)
    seen = []
    for second in (0, 59, 60):
        time_machine.move_to(f"2027-03-01 12:0{second // 60}:{second % 60:02}Z", tick=False)
        api_keys.note_use(ApiKey.objects.get())
        seen.append(ApiKey.objects.get().last_used.strftime("%H:%M:%S"))

    assert seen == ["12:00:00", "12:00:00", "12:01:00"]
    with django_assert_num_queries(0):
        api_keys.note_use(ApiKey(pk=key.pk, last_used=timezone.now()))
