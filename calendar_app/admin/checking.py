"""Tells the form of an event what its fields mean, and what may be a mistake, before it is sent."""

import datetime as dt

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import JsonResponse
from django.urls import path

from ..conf import conf
from ..models import Event, Venue
from ..services import oversights
from ..values import dates, time_zones
from .forms.moments import in_words, understood

CHECK = "calendar_app_event_check"
MOMENTS = "start_date", "end_date"
MOST_VENUES = 100


class Checking:
    """Adds the check to the admin of events, and warnings to what it says after saving."""

    def get_urls(self):
        check = self.admin_site.admin_view(self.check_view)
        return [path("check/", check, name=CHECK), *super().get_urls()]

    def check_view(self, request):
        """Answer with the local times that are understood, and with warnings, as JSON."""
        if not (self.has_add_permission(request) or self.has_change_permission(request)):
            raise PermissionDenied
        given = request.GET
        try:
            zone = time_zones.get(given.get("timezone") or conf.zone_name)
        except time_zones.ZoneError as e:
            return JsonResponse({"understood": {}, "warnings": [_warning("timezone", in_words(e))]})
        moments, said, warnings = _moments(given, zone)
        if len(moments) == len(MOMENTS):
            event = _drafted(given, zone, moments)
            venues = _visible(given.getlist("venue"), request.user)
            found = oversights.find(event, *said, venues, request.user)
            warnings += [_warning(*each) for each in found]
        meant = {name: _told(moment) for name, moment in moments.items()}
        return JsonResponse({"understood": meant, "warnings": warnings})

    def warn(self, request, event, form, venues):
        """Show what may be a mistake in an event that was just saved by a form."""
        given = [form.fields[name].said for name in MOMENTS]
        ids = [venue.pk for venue in venues]
        for found in oversights.find(event, *given, ids, request.user):
            self.message_user(request, found.sentence, messages.WARNING)


def _moments(given, zone):
    """Return the local times that are understood, by field, those said, and what is wrong."""
    found, said, warnings = {}, [], []
    for name in MOMENTS:
        text = given.get(name, "").strip()
        try:
            if text:
                found[name], typed = understood(text, zone, found.get(MOMENTS[0]))
                said.append(typed)
        except dates.DateError as e:
            warnings.append(_warning(name, in_words(e)))
    return found, said, warnings


def _drafted(given, zone, moments):
    event = Event(
        pk=_number(given.get("event")),
        title=given.get("title", ""),
        timezone=str(zone),
        all_day=given.get("all_day") == "true",
        **moments,
    )
    event.derive_times()
    return event


def _visible(texts, user):
    ids = [number for text in texts[:MOST_VENUES] if (number := _number(text))]
    return [*Venue.objects.visible_to(user).filter(pk__in=ids).values_list("pk", flat=True)]


def _number(text):
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _told(moment: dt.datetime):
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}, {moment:%H:%M}"


def _warning(field, sentence):
    return {"field": field, "sentence": sentence}
