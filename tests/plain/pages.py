"""What the admin shows in Django's own look; ``test_without_unfold.py`` runs this."""

import pytest
from django.contrib import admin
from django.urls import reverse

from calendar_app.models import Event, Venue

from ..backup_app.admin.test_lists import make_good_job
from ..backup_app.support.factories import ClientFactory, JobFactory
from ..calendar_app.admin.test_lists import full_event
from ..calendar_app.support.factories import VenueFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def staff(admin_client):
    return admin_client


def shown(client, name, *args, **query):
    response = client.get(reverse(f"admin:{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def test_no_class_of_unfold_or_import_export_is_in_it():
    classes = {base for site in admin.site._registry.values() for base in type(site).__mro__}

    assert not {base.__module__.split(".")[0] for base in classes} & {"unfold", "import_export"}
    assert Event in admin.site._registry


def test_lists_have_no_buttons_to_import_and_export(client, staff):
    page = shown(staff, "calendar_app_event_changelist")

    assert "Add event" in page
    assert not {"import/", "export/"} & set(page.split('"'))


def test_a_status_is_shown_on_its_colour(staff):
    full_event()
    make_good_job()

    assert '<span class="badge success">Published</span>' in shown(
        staff, "calendar_app_event_changelist"
    )
    assert '<span class="badge success">Completed</span>' in shown(
        staff, "backup_app_job_changelist"
    )


def test_pages_of_one_record_are_linked_from_its_form(staff):
    event, job = full_event(), make_good_job()
    api, browse = (
        f"/admin/calendar_app/event/{event.pk}/api/",
        f"/admin/backup_app/job/{job.pk}/browse/",
    )
    assert f'<li><a href="{api}">View in the API</a></li>' in shown(
        staff, "calendar_app_event_change", event.pk
    )
    assert f'<li><a href="{browse}">Browse</a></li>' in shown(
        staff, "backup_app_job_change", job.pk
    )
    assert staff.get(api).url.endswith(f"/events/{event.pk}")
    failed = JobFactory(status="failed")
    assert ">Browse<" not in shown(staff, "backup_app_job_change", failed.pk)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["Hall", "Inn"]),
        ({"country__icontains": "fran"}, ["Hall"]),
        ({"country__icontains": ""}, ["Hall", "Inn"]),
        ({"date_utc_from": "never"}, ["Hall", "Inn"]),
        ({"date_utc_from": "2999-01-01"}, []),
        ({"status": "publish"}, ["Hall", "Inn"]),
        ({"status": "draft"}, []),
    ],
)
def test_a_list_is_filtered_by_forms(staff, query, names):
    VenueFactory(name="Hall", country="France")
    VenueFactory(name="Inn", country="Iceland")

    response = staff.get(reverse("admin:calendar_app_venue_changelist"), query)

    assert sorted(venue.name for venue in response.context["cl"].result_list) == names


def test_a_filters_form_keeps_the_other_filters_and_shows_its_own(staff):
    page = shown(
        staff, "calendar_app_venue_changelist", country__icontains="fr", status="draft", p="2"
    )

    own = 'type="text" name="country__icontains" value="fr"'
    [form] = [part for part in page.split("<form")[1:] if own in part]
    assert '<input type="hidden" name="status" value="draft">' in form
    assert 'name="p"' not in form


def test_a_range_of_numbers_filters_terms(staff):
    full_event()
    address = reverse("admin:calendar_app_tag_changelist")

    counts = [
        len(staff.get(address, query).context["cl"].result_list)
        for query in ({"count_from": 1}, {"count_to": 0}, {"count_from": "x"})
    ]

    assert counts == [1, 0, 1]


def test_a_wrong_day_is_said_to_be_one(staff):
    assert "Enter a valid date." in shown(
        staff, "calendar_app_venue_changelist", date_utc_from="never"
    )


def test_a_chosen_client_is_named_in_the_filter(staff):
    job = make_good_job(client=ClientFactory(name="ada"))
    make_good_job()

    response = staff.get(
        reverse("admin:backup_app_job_changelist"), {"client__id__exact": job.client.pk}
    )

    assert [*response.context["cl"].result_list] == [job]
    assert f'<option value="{job.client.pk}" selected>ada</option>' in response.content.decode()


def test_the_trash_is_asked_for_by_name(staff):
    venue = VenueFactory(name="Hall")
    address = reverse("admin:calendar_app_venue_delete", args=[venue.pk])

    assert "Move the venue “Hall” to the trash?" in staff.get(address).content.decode()
    staff.post(address, {"post": "yes"})
    assert Venue.objects.get().is_trashed
    assert "permanently?" in staff.get(address).content.decode()
