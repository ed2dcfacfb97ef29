"""API keys and subusers in the admin: made, changed and refused as by the API."""

import pytest
from django.urls import reverse

from backup_app.accounts import api_keys, authentication, subusers
from backup_app.models import ApiKey, AuditEntry, Grant, Subuser

from ..support.admin_pages import act, add, change, done, errors, said
from ..support.factories import ClientFactory, SubuserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("staff")]
STRONG = "correct horse battery"


class TestApiKeys:
    def test_its_text_is_shown_once_and_works(self, client, account):
        response = add(client, ApiKey, {"account": account.pk, "name": "cron"})

        key = ApiKey.objects.get()
        (sentence, *_) = said(client, response)
        text = next(word for word in sentence.split() if word.startswith("bk_"))
        assert (key.account, key.name, key.expires) == (account, "cron", None)
        assert authentication.account_of(account.email, text) == account
        page = client.get(reverse("admin:backup_app_apikey_change", args=[key.pk]))
        assert text not in page.content.decode()
        assert key.digest not in page.content.decode()
        assert not AuditEntry.objects.filter(detail__contains=text).exists()

    def test_it_expires(self, client, account):
        sent = {"account": account.pk, "expires_0": "2030-01-31", "expires_1": "12:00:00"}

        done(add(client, ApiKey, sent))

        assert ApiKey.objects.get().expires.isoformat() == "2030-01-31T12:00:00+00:00"

    def test_a_revoked_one_works_no_more(self, client, account):
        key, text = api_keys.make(account)

        act(client, "revoke", key)

        assert api_keys.find(text) is None
        key.refresh_from_db()
        page = client.get(reverse("admin:backup_app_apikey_change", args=[key.pk]))
        assert page.context["adminform"].model_admin.state(key) == "revoked"

    def test_it_is_not_changed(self, client, account):
        key, _ = api_keys.make(account, "cron")

        assert change(client, key, {"name": "other"}).status_code == 403


class TestSubusers:
    @pytest.fixture
    def sent(self, account):
        return {
            "account": account.pk,
            "login": "sam",
            "first_name": "Sam",
            "last_name": "Sub",
            "email": "sam@example.org",
        }

    @staticmethod
    def granted(*clients, **more):
        rows = {f"grants-{n}-client": each.pk for n, each in enumerate(clients)}
        return rows | {"grants-TOTAL_FORMS": len(clients), "grants-INITIAL_FORMS": 0, **more}

    def test_one_is_made_with_a_password_that_works(self, client, sent):
        done(add(client, Subuser, sent | {"new_password": STRONG}))

        made = authentication.subuser_of("sam", STRONG)
        assert made == Subuser.objects.get()
        assert made.email == "sam@example.org"

    def test_without_a_password_it_cannot_log_in_and_keeps_the_one_it_has(self, client, sent):
        done(add(client, Subuser, sent))
        made = Subuser.objects.get()
        assert made.password == ""
        subusers.set_password(made, STRONG)

        done(change(client, made, sent | self.granted() | {"first_name": "Samuel"}))

        made.refresh_from_db()
        assert made.first_name == "Samuel"
        assert authentication.subuser_of("sam", STRONG) == made

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"login": "a:b"}, {"login"}),
            ({"login": "TAKEN"}, {"login"}),
            ({"login": ""}, {"login"}),
            ({"email": "sam"}, {"email"}),
            ({"new_password": "short"}, {"new_password"}),
            ({"new_password": "sam@example.org"}, {"new_password"}),
            ({"new_password": f"bk_{'0' * 12}_abc"}, {"new_password"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, sent, fields, named):
        SubuserFactory(login="taken")

        assert set(errors(add(client, Subuser, sent | fields))) == named

    def test_clients_of_the_account_are_granted_and_taken_away(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        own = ClientFactory(account=account)

        done(change(client, made, sent | self.granted(own)))
        grant = Grant.objects.get(subuser=made, client=own)
        gone = {"grants-INITIAL_FORMS": 1, "grants-0-id": grant.pk, "grants-0-DELETE": "on"}
        gone |= {"grants-0-subuser": made.pk}
        done(change(client, made, sent | self.granted(own) | gone))

        assert not Grant.objects.exists()

    def test_clients_of_others_and_deleted_ones_are_not_granted(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        for other in ClientFactory(), ClientFactory(account=account, deleted="2027-01-01T00:00Z"):
            response = change(client, made, sent | self.granted(other))
            assert response.status_code == 200

        assert not Grant.objects.exists()

    def test_a_client_is_granted_once(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        own = ClientFactory(account=account)
        Grant.objects.create(subuser=made, client=own)

        done(change(client, made, sent | self.granted(own)))

        assert Grant.objects.count() == 1
