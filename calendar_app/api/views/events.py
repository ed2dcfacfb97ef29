from rest_framework.response import Response

from ... import permissions
from ...conf import conf
from ...exceptions import Forbidden
from ...ical.writer import calendar
from ...models import Event
from ...services import passwords
from ..filters.event import EventFilterSet
from ..renderers import ICalendarRenderer, JSONRenderer
from ..serializers import EventSerializer
from .posts import PostViewSet


class EventViewSet(PostViewSet):
    model = Event
    kind, collection = "event", "events"
    serializer_class = EventSerializer
    filterset_class = EventFilterSet
    renderer_classes = [JSONRenderer, ICalendarRenderer]

    def get_renderers(self):
        # Only reading supports iCalendar.
        return super().get_renderers()[: None if self.request.method in {"GET", "HEAD"} else 1]

    @property
    def wants_calendar(self):
        return self.request.accepted_renderer.format == ICalendarRenderer.format

    def readable(self, **address):
        event = super().readable(**address)
        password = self.request.query_params.get("password")
        may_read = permissions.may_see_details(self.request.user, event)
        if not (may_read or passwords.opens(event, password, self.request)):
            raise Forbidden(
                f"The event {event.pk} is protected by a password.", code="event-password-protected"
            )
        return event

    def page_sizes(self):
        many = conf.ICAL_MAX_EVENTS
        return (many, many) if self.wants_calendar else super().page_sizes()

    def answer(self, ids):
        if not self.wants_calendar:
            return super().answer(ids)
        headers = self.get_paginated_response([]).headers
        user = self.request.user
        return self._calendar(
            self.fetch(ids),
            "events",
            redacted=lambda event: not permissions.may_see_details(user, event),
            tombstones=self.paginator.tombstones,
            headers={name: value for name, value in headers.items() if name != "Content-Type"},
        )

    def _record(self, record, status=200, full=True):
        if self.wants_calendar:
            # The caller of a single event has already given its password.
            return self._calendar(
                [record], record.slug, redacted=lambda event: False, whole_series=False
            )
        return super()._record(record, status, full)

    def _calendar(self, events, name, redacted, tombstones=(), headers=(), **options):
        disposition = f'inline; filename="{name.encode("ascii", "ignore").decode()}.ics"'
        return Response(
            calendar(events, self.urls, redacted=redacted, tombstones=tombstones, **options),
            headers={**dict(headers), "Content-Disposition": disposition},
        )
