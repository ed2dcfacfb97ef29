from django.contrib.admin import register
from django.forms import Media, Script
from django.shortcuts import redirect
from django.utils.html import format_html, format_html_join

from .. import permissions
from ..api.representations import Urls
from ..api.representations.times import stamp
from ..models import Category, Event, EventOrganizer, EventVenue, Organizer, Venue
from ..services import posts
from .checking import Checking
from .forms import categories
from .forms.event import EventForm
from .history.views import Histories
from .links import OrganizerInline, VenueInline, linked_records, prefetch_visible, with_links
from .look import BooleanFilter, display, page_action
from .planning import periods
from .planning.attention import AttentionFilter
from .planning.moving import Moving
from .planning.views import Planning
from .post import RECORD, PostAdmin, tab
from .repeating.views import Repeating
from .shared.filters import CategoryFilter, DayRangeFilter, StatusFilter
from .transfer.ics import FileImports


@register(Event)
class EventAdmin(Histories, Repeating, Planning, Moving, Checking, FileImports, PostAdmin):
    form = EventForm
    collection = "events"
    list_display = [
        "title",
        "status_label",
        "when",
        "venue_names",
        "category_names",
        "featured",
        "author",
        "api_link",
    ]
    list_filter = [
        periods.PeriodFilter,
        StatusFilter,
        AttentionFilter,
        ("start_utc", DayRangeFilter),
        ("categories", CategoryFilter),
        ("featured", BooleanFilter),
    ]
    date_hierarchy = "start_utc"
    ordering = ["-start_utc", "-id"]
    search_fields = ["title", "excerpt", "description"]
    autocomplete_fields = ["image", "parent", "categories", "tags"]
    prepopulated_fields = {"slug": ["title"]}
    inlines = [VenueInline, OrganizerInline]
    actions_detail = ["repeats", "duplicate", "preview", *PostAdmin.actions_detail]
    change_list_template = "calendar_app/admin/event_list.html"
    derived_fields = [*PostAdmin.derived_fields, "in_utc", "timezone_abbr", "is_protected"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "title",
                    ("start_date", "end_date"),
                    ("all_day", "timezone"),
                    "description",
                    "excerpt",
                    ("categories", "tags"),
                    ("image", "thumbnail"),
                    "new_image",
                    ("cost", "website"),
                    ("new_venue", "new_organizer"),
                ]
            },
        ),
        tab(
            "Publication",
            ("status", "author"),
            ("date", "slug"),
            "is_protected",
            ("new_password", "clear_password"),
        ),
        tab(
            "Display",
            ("featured", "sticky"),
            ("hide_from_listings", "ticketed"),
            ("show_map", "show_map_link"),
            "parent",
            "custom_fields",
        ),
        tab("Record", "in_utc", "timezone_abbr", *RECORD),
    ]

    @property
    def media(self):
        return super().media + Media(js=[Script("calendar_app/event_form.js", defer=True)])

    def get_queryset(self, request):
        """Return events with the venues and categories that the list shows."""
        venues = prefetch_visible("venues", request.user)
        return super().get_queryset(request).prefetch_related("categories", venues)

    def get_export_queryset(self, request):
        """Return the listed events with the relations that an export adds."""
        return with_links(super().get_export_queryset(request), request.user)

    def has_view_permission(self, request, obj=None):
        allowed = super().has_view_permission(request, obj)
        return allowed and (obj is None or permissions.may_see_details(request.user, obj))

    def formfield_for_manytomany(self, db_field, request, **kwargs):
        if db_field.name == "categories" and Category.objects.count() <= categories.MOST:
            kwargs |= {"form_class": categories.TreeField, "widget": categories.TreeWidget}
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request, obj, form, change):
        self.set_author_and_status(request, obj, is_new=not change)

    def save_related(self, request, form, formsets, change):
        """Store the event with all its links at once, so that counts and revision are right."""
        links = {formset.model: formset for formset in formsets}
        venues = linked_records(links[EventVenue], "venue")
        organizers = linked_records(links[EventOrganizer], "organizer")
        venues += self.made(form.cleaned_data["new_venue"], Venue, request.user)
        organizers += self.made(form.cleaned_data["new_organizer"], Organizer, request.user)
        self.store(
            request,
            form,
            venues=venues,
            organizers=organizers,
            categories=form.cleaned_data["categories"],
            tags=form.cleaned_data["tags"],
        )
        self.warn(request, form.instance, form, venues)

    @staticmethod
    def made(given, model, user):
        """Return the record that a form names, new unless it exists, in a list; or none."""
        if isinstance(given, str) and given:
            given = posts.make_named(model, given, user)
        return [given] if given else []

    @page_action(description="Preview", url_path="preview", icon="visibility")
    def preview(self, request, object_id):
        return redirect(Urls("").page(self.present(request, object_id)))

    @display(description="when", ordering="start_utc")
    def when(self, event):
        first, last = event.start_date, event.end_date
        ends = [first] if first.date() == last.date() else [first, last]
        if event.all_day:
            return _unbroken(*map(_day, ends), between=" – ")
        zone = event.timezone_abbr
        if len(ends) == 1:
            return _unbroken(f"{_day(first)},", f"{_time(first)} – {_time(last)} {zone}")
        start, end = (f"{_day(moment)}, {_time(moment)}" for moment in ends)
        return _unbroken(start, f"{end} {zone}", between=" – ")

    @display(description="venues")
    def venue_names(self, event):
        return list(event.venues.all())

    @display(description="categories")
    def category_names(self, event):
        return list(event.categories.all())

    @display(description="in UTC")
    def in_utc(self, event):
        return f"{stamp(event.start_utc)} – {stamp(event.end_utc)}"

    @display(description="needs a password", boolean=True)
    def is_protected(self, event):
        return event.is_protected


def _day(moment):
    return f"{moment:%a} {moment.day} {moment:%b} {moment.year}"


def _time(moment):
    return f"{moment:%H:%M}"


def _unbroken(*parts, between=" "):
    """Return parts of a text between which alone lines may break."""
    text = format_html_join(between, '<span class="nowrap">{}</span>', ((part,) for part in parts))
    return format_html("<span>{}</span>", text)  # one thing, also in a cell that spreads its parts
