import datetime as dt

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from backup_app.models import ApiKey

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client):
    user = User.objects.create_user("staff@example.org", password="secret", is_staff=True)
    client.force_login(user)
    return user


def menu(client):
    """Return the admin's menu as {title: [names]}."""
    groups = client.get(reverse("admin:index")).context["sidebar_navigation"]
    return {group["title"]: [item["title"] for item in group["items"]] for group in groups}


def test_the_menu_begins_with_the_events_and_ends_with_the_accounts(client, staff):
    staff.is_superuser = True
    staff.save()

    titles = list(menu(client))
    calendar = menu(client)["Event calendar"]

    assert titles[:2] == ["Event calendar", "Backup service"]
    assert titles[-1] == "Authentication and Authorization"
    backup = menu(client)["Backup service"]
    posts = ["Events", "Venues", "Organizers", "Categories", "Tags", "Images"]
    assert calendar == [*posts, "Changes", "Feeds", "Webhooks", "Webhook deliveries"]
    assert backup == [
        "Clients",
        "Jobs",
        "Filesets",
        "Pools",
        "Storages",
        "Zones",
        "Subusers",
        "API keys",
        "Mailboxes",
        "Maintenance plans",
        "Alert rules",
        "Alert deliveries",
        "Audit entries",
        "Account access",
    ]


def test_the_menu_leaves_out_what_a_user_may_not_see(client, staff):
    assert menu(client) == {}

    staff.groups.add(Group.objects.get(name="Editor"))

    assert list(menu(client)) == ["Event calendar"]


@pytest.mark.parametrize("page", ["changelist", "add"])
@pytest.mark.parametrize("model", ["user", "group"])
def test_accounts_have_their_pages(client, staff, model, page):
    staff.is_superuser = True
    staff.save()

    assert client.get(reverse(f"admin:auth_{model}_{page}")).status_code == 200


def test_a_user_is_added_with_a_password(client, staff):
    staff.is_superuser = True
    staff.save()
    sent = {
        "username": "new@example.org",
        "usable_password": "true",
        "password1": "long enough 4 me",
        "password2": "long enough 4 me",
    }

    client.post(reverse("admin:auth_user_add"), sent)

    user = User.objects.get(username="new@example.org")
    assert user.check_password("long enough 4 me")
    page = reverse("admin:auth_user_change", args=[user.pk])
    assert client.get(page).status_code == 200
    assert client.get(reverse("admin:auth_user_password_change", args=[user.pk])).status_code == 200


def test_times_are_written_as_the_interfaces_do_on_one_line(client, staff):
    staff.is_superuser = True
    staff.save()
    key = ApiKey.objects.create(account=staff, prefix="0" * 12, digest="0" * 64)
    ApiKey.objects.update(created=dt.datetime(2030, 3, 5, 14, 30, 59, tzinfo=dt.UTC))

    page = client.get(reverse("admin:backup_app_apikey_changelist"))

    assert key.prefix in page.content.decode()
    assert "/static/backup_app/admin.css" in page.content.decode()
    assert "2030-03-05 14:30:59" in page.content.decode()
