"""The public pages of events, venues, organizers, categories and tags."""

import json

from django.contrib.auth.decorators import login_not_required
from django.db.models import Exists, OuterRef
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_safe

from .. import permissions
from ..api import representations
from ..api.representations import Urls
from ..conf import conf
from ..exceptions import TooManyPasswords
from ..models import Category, Event, EventOrganizer, EventVenue, Organizer, Tag, Venue
from ..services import passwords, terms
from ..values.html import rich_text

# JSON escapes of the characters that could end a script element or a line of a script.
SCRIPT_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def event(request, slug):
    """Show an event; if it is protected, after a POST of its password."""
    record = _readable(request, Event, slug)
    if permissions.may_see_details(request.user, record):
        return _event(request, record)
    password = request.POST.get("password", "")
    try:
        is_open = passwords.opens(record, password, request)
    except TooManyPasswords as e:
        response = _closed(request, record, e.message, status=429)
        response["Retry-After"] = str(e.wait)
    else:
        problem = "Wrong password." if password else ""
        response = _event(request, record) if is_open else _closed(request, record, problem)
    add_never_cache_headers(response)
    return response


def _closed(request, record, problem, status=403):
    context = {"record": record, "problem": problem}
    return _render(request, "password", context, status=status)


def _event(request, record):
    data = representations.event(record, Urls.of(request), full=True)
    return _page(request, "event", record, data)


@login_not_required
@require_safe
def venue(request, slug):
    record = _readable(request, Venue, slug)
    data = representations.venue(record, Urls.of(request), full=True)
    return _page(request, "venue", record, data, upcoming=_upcoming(EventVenue, venue=record))


@login_not_required
@require_safe
def organizer(request, slug):
    record = _readable(request, Organizer, slug)
    data = representations.organizer(record, Urls.of(request), full=True)
    return _page(
        request, "organizer", record, data, upcoming=_upcoming(EventOrganizer, organizer=record)
    )


@login_not_required
@require_safe
def category(request, slug):
    record = get_object_or_404(Category, slug=slug)
    data = representations.category(record, Urls.of(request))
    below = terms.with_descendants([record.pk])
    found = _upcoming(Event.categories.through, category__in=below)
    return _page(request, "term", record, data, upcoming=found)


@login_not_required
@require_safe
def tag(request, slug):
    record = get_object_or_404(Tag, slug=slug)
    data = representations.tag(record, Urls.of(request))
    return _page(request, "term", record, data, upcoming=_upcoming(Event.tags.through, tag=record))


def _readable(request, model, slug):
    visible = model.objects.visible_to(request.user)
    return representations.load([get_object_or_404(visible, slug=slug)], request.user)[0]


def _upcoming(through, **target):
    """Return the public events linked to target that have not ended, soonest first."""
    linked = Exists(through.objects.filter(event=OuterRef("pk"), **target))
    # listed() excludes protected events: their passwords hide what they are linked to.
    found = Event.objects.listed().filter(linked, end_utc__gte=timezone.now())
    return found.order_by("start_utc", "id")[: conf.MAX_PER_PAGE]


def _page(request, name, record, data, **context):
    website = getattr(record, "website", "")
    context |= {
        "record": record,
        "data": data,
        # Sanitized, so it may be part of the page.
        "description": mark_safe(rich_text(record.description)),  # noqa: S308
        "json_ld": script_json(data["json_ld"]) if "json_ld" in data else "",
        "website": website if website.startswith(("http://", "https://")) else "",
    }
    return _render(request, name, context)


def _render(request, name, context, **options):
    response = render(request, f"calendar_app/{name}.html", context, **options)
    if conf.CONTENT_SECURITY_POLICY:
        response["Content-Security-Policy"] = conf.CONTENT_SECURITY_POLICY
    if request.user.is_authenticated:
        add_never_cache_headers(response)  # it may show what others may not see
    return response


def script_json(data):
    """Return data as JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False)
    return mark_safe(text.translate(SCRIPT_ESCAPES))  # noqa: S308 - escaped right here
