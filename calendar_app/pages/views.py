"""The public pages of events, venues, organizers, categories and tags."""

import json

from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.safestring import mark_safe

from .. import permissions
from ..api import representations
from ..api.filters.window import DAY_START, at
from ..api.representations.json_ld import text_of
from ..conf import conf
from ..exceptions import RecordNotFound, TooManyPasswords
from ..models import Category, Event, Organizer, Tag, Venue
from ..services import passwords
from ..values.html import rich_text
from .address import Address
from .base import PageView
from .lists import UPCOMING, ListView

# JSON escapes of the characters that could end a script element or a line of a script.
SCRIPT_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
PARTS = 10  # dates of a series that the page of one of them shows
SUMMARY = 4000  # characters of a description that are read for its summary


class RecordPage:
    """Shows a record that the visitor may see, found by its slug."""

    model = None

    def readable(self, slug):
        """Return the record. Raises RecordNotFound."""
        records = self.model.objects.all()
        if hasattr(records, "visible_to"):
            records = records.visible_to(self.request.user)
        record = records.filter(slug=slug).first()
        if record is None:
            raise RecordNotFound(self.model._meta.verbose_name, f"'{slug}'")
        return representations.load([record], self.request.user)[0]

    def details(self, record, data):
        """Return what templates show of a record, whose representation is data."""
        website = getattr(record, "website", "")
        return {
            "title": str(record),
            "record": record,
            "data": data,
            "summary": text_of(record.description[:SUMMARY]),
            # Sanitized, so it may be part of the page.
            "description": mark_safe(rich_text(record.description)),  # noqa: S308
            "json_ld": script_json(data["json_ld"]) if "json_ld" in data else "",
            "website": website if website.startswith(("http://", "https://")) else "",
        }


class EventPage(RecordPage, PageView):
    """An event; if it is protected, after a POST of its password."""

    http_method_names = ["get", "head", "post"]
    has_script = True  # adds the times in the visitor's zone
    model = Event

    def get(self, request, slug):
        event = self.readable(slug)
        is_open = permissions.may_see_details(request.user, event)
        return self._open(event) if is_open else self._closed(event)

    def post(self, request, slug):
        event = self.readable(slug)
        password = request.POST.get("password", "")
        is_open = permissions.may_see_details(request.user, event)
        try:
            is_open = is_open or passwords.opens(event, password, request)
        except TooManyPasswords as e:
            response = self._closed(event, e.message, status=429)
            response["Retry-After"] = str(e.wait)
            return response
        if not is_open:
            return self._closed(event, "Wrong password." if password else "")
        response = self._open(event)
        add_never_cache_headers(response)
        return response

    def _closed(self, event, problem="", status=403):
        context = {"title": event.title, "record": event, "problem": problem}
        response = self.render("password", status=status, **context)
        add_never_cache_headers(response)
        return response

    def _open(self, event):
        data = representations.event(event, self.urls, full=True)
        return self.render("event", **self.details(event, data), series=self._series(event))

    def _series(self, event):
        """Return the event that this one is part of, or this one, and its parts from today on."""
        events = Event.objects.visible_to(self.request.user).filter(hide_from_listings=False)
        parent = event
        if event.parent_id:
            parent = events.filter(pk=event.parent_id).first()
        now = timezone.now().astimezone(conf.zone)
        today = at(now, DAY_START)
        parts = events.filter(parent=event.parent_id or event.pk, end_utc__gte=today)
        return {"parent": parent, "parts": list(parts.order_by("start_utc", "pk")[:PARTS])}


class ArchivePage(RecordPage, ListView):
    """A record and its events that have not ended."""

    parameter = None  # of the event list
    template = None

    def depends_on_now(self, query):
        return True

    def get(self, request, slug):
        record = self.readable(slug)
        self.archive = {self.parameter: str(record.pk)}
        self.address = Address(self.query, self.urls, self.archive)
        is_open = self.address.has_dates
        events = self.filtered(**({} if is_open else UPCOMING))
        details = self.details(record, self.represented(record))
        return self.render(self.template, address=self.address, **details, **self.listed(events))


class VenuePage(ArchivePage):
    model, parameter, template = Venue, "venue", "venue"

    def represented(self, venue):
        return representations.venue(venue, self.urls, full=True)


class OrganizerPage(ArchivePage):
    model, parameter, template = Organizer, "organizer", "organizer"

    def represented(self, organizer):
        return representations.organizer(organizer, self.urls, full=True)


class CategoryPage(ArchivePage):
    model, parameter, template = Category, "categories", "term"

    def represented(self, category):
        return representations.category(category, self.urls)


class TagPage(ArchivePage):
    model, parameter, template = Tag, "tags", "term"

    def represented(self, tag):
        return representations.tag(tag, self.urls)


def script_json(data):
    """Return data as JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False)
    return mark_safe(text.translate(SCRIPT_ESCAPES))  # noqa: S308 - escaped right here
