from rest_framework.exceptions import APIException
from rest_framework.response import Response

from ... import permissions
from ...conf import conf
from ...exceptions import CalendarError, InvalidParams, RecordNotFound
from ...models import Event
from ...services import images, new_events
from ...services.revision import part, remembering, with_revision, writing
from .. import errors, representations
from ..parsers import JSONParser
from ..serializers.fields import is_blank, whole_number
from .events import EventViewSet
from .writing import creates, flag


class BulkRefused(CalendarError):
    code = "rest_bulk_refused"


class EventBulkViewSet(EventViewSet):
    """Creates and changes up to ``BULK_MAX_EVENTS`` events in one transaction."""

    parser_classes = [JSONParser]
    query_flags = ("dry_run", "all_or_none")

    @creates
    def bulk(self, request):
        self.require(permissions.may_write(request.user, Event), "create events")
        is_all_or_none = flag(request, "all_or_none")
        items = self._items()
        self.refusals = {}
        self.lookups_until = images.lookups_end()
        serializers = self._each(items, self._validator(items.values()))
        with writing(precise=True), remembering():
            with new_events.together():
                events = self._each(serializers, self._store)
            if is_all_or_none and self.refusals:
                raise BulkRefused(
                    f"Refused {len(self.refusals)} of {len(items)} events, so none was stored.",
                    results=self._results({}),
                )
            answers = self._answers(events, serializers)
            return self.finish(self._summary(answers))

    def get_serializer_context(self):
        return {**super().get_serializer_context(), "lookups_until": self.lookups_until}

    def _items(self):
        """Return the items of the body by their index. Raises InvalidParams."""
        items, most = self.body().get("events"), conf.BULK_MAX_EVENTS
        if not isinstance(items, list) or not 1 <= len(items) <= most:
            given = f"{len(items)} items" if isinstance(items, list) else errors.shown(items)
            raise InvalidParams({"events": f"events must be a list of 1 to {most}, not {given}."})
        return dict(enumerate(items))

    def _each(self, items, step):
        """Return {index: step(item)}, without the items that are refused."""
        done = {}
        for index, item in items.items():
            try:
                done[index] = step(item)
            except (CalendarError, APIException) as e:
                self.refusals[index] = errors.as_calendar_error(e)
        return done

    def _validator(self, items):
        """Return a function from an item to its serializer, which is valid."""
        ids = {whole_number(item.get("id")) for item in items if isinstance(item, dict)}
        records = with_revision(Event.objects.all()).in_bulk(ids - {None, 0})

        def validate(item):
            if not isinstance(item, dict):
                raise InvalidParams(
                    {"body": f"An item must be an object with fields, not {errors.shown(item)}."}
                )
            record = None if is_blank(item.get("id")) else self._take(records, item["id"])
            serializer = self.get_serializer(record, data=item, partial=bool(record))
            serializer.is_valid(raise_exception=True)
            return serializer

        return validate

    def _take(self, records, given):
        """Return the event that an item changes; each may be changed by one item only."""
        pk = whole_number(given)
        if not pk:
            sentence = f"id must be the ID of one of the events, not {errors.shown(given)}."
            raise InvalidParams({"id": sentence})
        if pk not in records:
            raise RecordNotFound("event", f"'{pk}'")
        if records[pk] is None:
            raise InvalidParams({"id": f"The event {pk} is in an earlier item too."})
        record, records[pk] = records[pk], None
        self.require(permissions.may_edit(self.request.user, record), f"change the event {pk}")
        return record

    def _store(self, serializer):
        with part():
            return serializer.save()

    def _answers(self, events, serializers):
        """Return the answer to each event that was stored, by index."""
        shown = representations.load(events.values(), self.request.user)
        records = self.get_serializer(shown, many=True).data
        return {
            index: {"status": 200 if serializers[index].instance else 201, "event": record}
            for index, record in zip(events, records, strict=True)
        }

    def _results(self, answers):
        refused = {
            index: {"status": error.status, "error": errors.body(error)}
            for index, error in self.refusals.items()
        }
        return [{"index": index, **found} for index, found in sorted((answers | refused).items())]

    def _summary(self, answers):
        statuses = [answer["status"] for answer in answers.values()]
        return Response(
            {
                "created": statuses.count(201),
                "updated": statuses.count(200),
                "refused": len(self.refusals),
                "results": self._results(answers),
            }
        )
