"""Subusers: added, granted clients, given passwords."""

import logging

import pytest
from django.apps import apps
from django.core.serializers import serialize

from backup_app.accounts import api_keys, subusers
from backup_app.lib.formatting import format_time
from backup_app.models import AuditEntry, Grant, Subuser

from ..support.api_client import client_with, refused
from ..support.factories import ClientFactory, SubuserFactory

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 7 battery"
SAM = {"Login": "sam", "Firstname": "Sam", "Lastname": "Sub", "Email": "sam@example.org"}


def can_log_in(login, password):
    return client_with(login, password).post("/api/servers").status_code == 200


class TestAdd:
    def test_it_answers_the_subuser(self, api, account):
        answer = api.post("/api/subuser/add", SAM).json()

        subuser = Subuser.objects.get()
        created = format_time(subuser.created)
        assert answer == {
            "login": "sam",
            "firstname": "Sam",
            "lastname": "Sub",
            "email": "sam@example.org",
            "clients": [],
            "bmr": False,
            "created": created,
        }
        assert (subuser.account, subuser.password) == (account, "")

    def test_with_a_password_it_can_log_in_at_once(self, api):
        api.post("/api/subuser/add", SAM | {"Password": PASSWORD, "bmr": "1"})

        assert can_log_in("sam", PASSWORD)
        assert Subuser.objects.get().bmr is True

    def test_without_one_it_cannot(self, api):
        api.post("/api/subuser/add", SAM | {"Password": ""})

        assert not can_log_in("sam", "")

    @pytest.mark.parametrize("login", ["sam", "SAM", " Sam "])
    def test_a_login_that_exists_anywhere_is_refused_in_any_case(self, api, login):
        SubuserFactory(login="sam")

        assert refused(api.post("/api/subuser/add", SAM | {"Login": login}), 409) == (
            f"There is already a subuser '{login.strip()}'. Case is ignored."
        )

    def test_a_login_that_another_request_has_just_taken_is_refused(self, api, monkeypatch):
        SubuserFactory(login="sam")
        monkeypatch.setattr(subusers, "require_free", lambda login: None)

        assert refused(api.post("/api/subuser/add", SAM), 409) == (
            "There is already a subuser 'sam'. Case is ignored."
        )

    @pytest.mark.parametrize("key", ["Login", "Firstname", "Lastname", "Email"])
    def test_each_of_these_is_needed(self, api, key):
        for data in ({k: v for k, v in SAM.items() if k != key}, SAM | {key: ""}):
            response = api.post("/api/subuser/add", data)

            assert response.status_code == 400
            assert list(response.json()["fields"]) == [key]

    @pytest.mark.parametrize("login", ["a:b", "a\nb", "a\0b", "x" * 101, ["a"], {"a": "b"}])
    def test_a_login_that_basic_authentication_cannot_carry_is_refused(self, api, login):
        response = api.post("/api/subuser/add", SAM | {"Login": login})

        assert response.status_code == 400
        assert list(response.json()["fields"]) == ["Login"]

    def test_a_login_may_be_an_address(self, api):
        assert api.post("/api/subuser/add", SAM | {"Login": "s@x.org"}).status_code == 200

    def test_an_address_is_checked(self, api):
        response = api.post("/api/subuser/add", SAM | {"Email": "nowhere"})

        assert list(response.json()["fields"]) == ["Email"]


class TestPassword:
    @pytest.fixture
    def sam(self, account):
        return SubuserFactory(account=account, login="sam", first_name="Maximilian")

    def test_the_new_one_counts_and_the_old_one_no_more(self, api, sam):
        data = {"subuser": "sam", "Password": PASSWORD}

        assert api.post("/api/subuser/password", data).json() == {"subuser": "sam", "changed": True}
        assert can_log_in("sam", PASSWORD)
        api.post("/api/subuser/password", data | {"Password": " another one 42 "})
        assert can_log_in("sam", " another one 42 ")
        assert not can_log_in("sam", PASSWORD)

    @pytest.mark.parametrize("password", ["short", "password", "1234567890", "maximilian", ""])
    def test_a_weak_one_is_refused(self, api, sam, password):
        response = api.post("/api/subuser/password", {"subuser": "sam", "Password": password})

        assert response.status_code == 400
        assert list(response.json()["fields"]) == ["Password"]
        sam.refresh_from_db()
        assert sam.password == ""

    def test_one_like_the_login_is_refused(self, api, account):
        SubuserFactory(account=account, login="longenoughlogin")
        data = {"subuser": "longenoughlogin", "Password": "longenoughlogin1"}

        assert "too similar" in refused(api.post("/api/subuser/password", data), 400)

    def test_one_that_looks_like_a_key_could_not_log_in(self, api, account, sam):
        _, text = api_keys.make(account)

        assert refused(api.post("/api/subuser/password", {"subuser": "sam", "Password": text}), 400)

    @pytest.mark.parametrize("login", ["nobody", "SAM", "sam\0"])
    def test_an_unknown_subuser_is_refused(self, api, sam, login):
        response = api.post("/api/subuser/password", {"subuser": login, "Password": PASSWORD})

        assert response.status_code in {400, 404}

    def test_of_another_account_it_is_404(self, api):
        SubuserFactory(login="eve")
        data = {"subuser": "eve", "Password": PASSWORD}

        assert refused(api.post("/api/subuser/password", data), 404) == "There is no subuser 'eve'."

    def test_the_password_is_stored_and_logged_nowhere(self, api, sam, caplog):
        caplog.set_level(logging.DEBUG)
        caplog.set_level(logging.INFO, "django.db.backends")
        responses = [
            api.post("/api/subuser/password", {"subuser": "sam", "Password": PASSWORD}),
            api.post("/api/subuser/password", {"subuser": "eve", "Password": PASSWORD}),
            api.post("/api/subuser/add", SAM | {"Login": "tom", "Password": PASSWORD}),
        ]

        rows = "".join(
            serialize("json", model._base_manager.all())
            for model in apps.get_models()
            if model._meta.managed
        )
        assert "sam" in rows
        for text in (rows, caplog.text, *(response.content.decode() for response in responses)):
            assert PASSWORD not in text
        noted = AuditEntry.objects.order_by("pk").values_list("operation", "target", "outcome")
        assert list(noted) == [
            ("set_password", "sam", "done"),
            ("set_password", "eve", "refused"),
            ("add_subuser", "tom", "done"),
        ]


class TestGrant:
    def test_it_is_granted_once(self, api, account):
        subuser, client = SubuserFactory(account=account), ClientFactory(account=account)
        data = {"client": client.name, "subuser": subuser.login}

        for _ in range(2):
            assert api.post("/api/subuser/grant", data).json() == data | {"granted": True}
        assert Grant.objects.count() == 1

    def test_what_another_account_has_is_404(self, api, account):
        own, other = SubuserFactory(account=account), ClientFactory()
        client, eve = ClientFactory(account=account), SubuserFactory()

        for data in (
            {"client": other.name, "subuser": own.login},
            {"client": client.name, "subuser": eve.login},
        ):
            assert api.post("/api/subuser/grant", data).status_code == 404
        assert not Grant.objects.exists()

    @pytest.mark.parametrize("missing", ["client", "subuser"])
    def test_both_are_needed(self, api, missing):
        data = {"client": "a", "subuser": "b"}
        data.pop(missing)

        assert list(api.post("/api/subuser/grant", data).json()["fields"]) == [missing]


class TestQuestions:
    def test_exists_is_true_for_the_accounts_own_only(self, api, account):
        SubuserFactory(account=account, login="sam"), SubuserFactory(login="eve")

        for login, exists in {"sam": True, "eve": False, "nobody": False}.items():
            assert api.post("/api/subuser/check", {"subuser": login}).json() == {"exists": exists}

    def test_bmr(self, api, account):
        SubuserFactory(account=account, login="sam", bmr=True)
        SubuserFactory(account=account, login="tom")
        SubuserFactory(login="eve", bmr=True)

        assert api.post("/api/subuser/bmr", {"subuser": "sam"}).json() == {"bmr": True}
        assert api.post("/api/subuser/bmr", {"subuser": "tom"}).json() == {"bmr": False}
        assert api.post("/api/subuser/bmr", {"subuser": "eve"}).status_code == 404

    @pytest.mark.parametrize("operation", ["check", "bmr", "grant", "password"])
    def test_subuser_is_needed(self, api, operation):
        response = api.post(f"/api/subuser/{operation}", {"client": "a", "Password": PASSWORD})

        assert response.status_code == 400
        assert response.json()["fields"] == {"subuser": ["This field is required."]}
        assert response.json()["error"] == "subuser: This field is required."
