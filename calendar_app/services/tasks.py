"""What the background worker does for the calendar."""

import datetime as dt
import logging

from django.apps import apps
from django.utils import timezone
from django_tasks import task

from ..lib.fetch import FetchError, Target
from . import images, posts
from .images import ImageError

logger = logging.getLogger(__name__)

RETRY_AFTER = [dt.timedelta(minutes=1), dt.timedelta(minutes=10), dt.timedelta(hours=1)]


@task()
def publish_when_due(model_name: str, pk: int):
    """Publish a scheduled record; one that was put off meanwhile has a later task of its own."""
    return posts.publish_if_due(apps.get_model("calendar_app", model_name), pk)


@task()
def fetch_image(model_name: str, pk: int, url: str, attempt: int = 0, trusted: str = ""):
    """Give a record the image at url; a server that fails is asked again, three times.

    The host and port of the trusted URL, which an operator has named, may be private.
    """
    model = apps.get_model("calendar_app", model_name)
    source = Target.parse(url).label
    try:
        return images.fulfil(model, pk, url, trusted)
    except (FetchError, ImageError) as e:
        logger.warning("No image for %s %s from %s: %s", model_name, pk, source, e)
        if isinstance(e, FetchError) and e.passing and attempt < len(RETRY_AFTER):
            later = fetch_image.using(run_after=timezone.now() + RETRY_AFTER[attempt])
            later.enqueue(model_name, pk, url, attempt + 1, trusted)
        else:
            images.give_up(model, pk, url)
        return False
