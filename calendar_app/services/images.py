"""The verbs of images: store an upload, find one, fetch one from a URL, delete the files of one."""

import datetime as dt
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import reduce
from operator import or_
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.text import Truncator, slugify

from .. import permissions
from ..conf import conf
from ..exceptions import InvalidParams
from ..lib import decoding, fetch, pictures
from ..lib.fetch import FetchError, Target
from ..lib.pictures import Picture
from ..lib.tasks import task
from ..models import Event, Image, Organizer, Post, Venue
from ..permissions import User
from .actor import WORKER, acting
from .revision import writing

MAX_STEM_LENGTH = 60  # of the name of a stored file
LOOKUP_SECONDS = 5  # for the names of hosts of all images of one write together
RETRY_AFTER = [dt.timedelta(minutes=1), dt.timedelta(minutes=10), dt.timedelta(hours=1)]
MAX_TITLE_LENGTH = Image._meta.get_field("title").max_length

logger = logging.getLogger(__name__)


class ImageError(InvalidParams):
    """A parameter gives no acceptable image; the message says why."""

    def __init__(self, sentence: str, param: str = "image") -> None:
        super().__init__({param: sentence})
        self.message, self.args = sentence, (sentence,)


class ImageTooLargeError(ImageError):
    code, status = "rest_payload_too_large", 413


class ImageBusyError(ImageError):
    code, status, wait = "rest_busy", 503, decoding.WAIT_SECONDS


def store(
    file: "File[bytes]",
    *,
    author: Any = None,
    title: str = "",
    source_url: str = "",
    finish: Callable[[Image], object] = lambda image: None,
) -> Image:
    """Store file, which is open and has a name, with its smaller copies; return the image.

    If author may see an image of the same source_url already, that one is returned. finish is
    called with a new one inside the transaction; what it raises undoes all, the files too. Raises
    ImageError for anything but a picture, ImageTooLargeError for one over the limits and
    ImageBusyError when too many others are being read.
    """
    picture, copies = _read(file)
    stem = "".join(filter(str.isprintable, PurePath(file.name or "").stem))[:MAX_TITLE_LENGTH]
    with ExitStack() as undo:
        image = _save_files(picture, copies, stem, undo)
        image.title, image.author, image.source_url = title or stem, author, source_url
        with writing():
            # Files are written first, outside the lock: a slow disk must not block all writers.
            if known := _already_fetched(source_url, author):
                return known
            image.save()
            finish(image)
        # The row is stored, so the files stay.
        undo.pop_all()
        return image


def visible_to(user: User) -> QuerySet[Image]:
    """Return the images that user may see: own ones, and those of records shown with all details.

    Users who may edit the events of others see all images.
    """
    if permissions.may_edit_others(user, Event):
        return Image.objects.all()
    kinds = (Event, Venue, Organizer)
    shown = reduce(or_, (_is_used_by(kind.objects.disclosed_to(user)) for kind in kinds))
    return Image.objects.filter(shown | Q(author=user) if user.is_authenticated else shown)


def _is_used_by(records: QuerySet[Any]) -> Q:
    return Q(Exists(records.order_by().filter(image=OuterRef("pk"))))


def by_url(url: str, base: str) -> Image | None:
    """Return the image whose file this site, at base ("https://example.org"), serves at url."""
    ours = urljoin(base, Image._meta.get_field("file").storage.url(""))
    name = unquote(url.removeprefix(ours))
    if not url.startswith(ours) or "\0" in name:
        return None
    return Image.objects.filter(file=name).first()


def lookups_end() -> float:
    """Return until when ``check_url`` may look up hosts for the images of a write that begins."""
    return time.monotonic() + LOOKUP_SECONDS


def check_url(url: str, trusted: str = "", until: float | None = None) -> str:
    """Return url in the form that ``request`` takes. Raises ImageError if it may not be fetched.

    The host and port of a trusted URL may be private. Call it outside transactions, which must not
    wait for its DNS lookup; there is none after until (``time.monotonic``).
    """
    try:
        return fetch.check_public(url, trusted=trusted, until=until)
    except FetchError as e:
        value = Truncator(url).chars(100)
        raise ImageError(f"{value!r} cannot be used as the URL of an image. {e}") from e


def assign(post: Post, image: Image | None) -> None:
    """Set or clear the image of post, and cancel any request for one; the caller saves post."""
    post.image, post.image_url = image, ""


def request(post: Post, url: str, user: User | None = None, trusted: str = "") -> None:
    """Request the image at url, as returned by ``check_url``, for post; the caller saves post.

    An image that was fetched before, and that user (by default post's author) may see, is assigned
    at once. Any other is fetched by a task after the caller's transaction has been committed;
    until then post keeps its present image.
    """
    if known := _already_fetched(url, user or post.author):
        assign(post, known)
        return
    post.image_url = url
    transaction.on_commit(lambda: _enqueue(post, url, trusted))


def fetch_requested(model: type[Post], pk: int, url: str, trusted: str = "") -> bool:
    """Fetch the image that was requested for a record; return whether it was assigned.

    It is not when the record has got another image or request in the meantime. Raises FetchError
    and ImageError.
    """
    post = model.objects.filter(pk=pk, image_url=url).select_related("author").first()
    if post is None:
        return False
    image = _already_fetched(url, post.author) or _fetched(url, post.author, trusted)
    with writing():
        post = model.objects.filter(pk=pk, image_url=url).first()
        if post is not None:
            assign(post, image)
            post.save(update_fields=["image", "image_url"])
    return post is not None


def cancel_request(model: type[Post], pk: int, url: str) -> None:
    """Cancel the request for the image at url; the record keeps its present image."""
    model.objects.filter(pk=pk, image_url=url).update(image_url="")


# Queues store the path of a task: if it moves, the old path must keep working (tasks.py).
@task()
@acting(door=WORKER)
def fetch_image(model_name: str, pk: int, url: str, attempt: int = 0, trusted: str = "") -> bool:
    """Fetch the image at url for a record; temporary errors are retried as RETRY_AFTER says.

    The host and port of the trusted URL, which an operator has named, may be private.
    """
    model = apps.get_model("calendar_app", model_name)
    source = Target.parse(url).label
    try:
        return fetch_requested(model, pk, url, trusted)
    except (FetchError, ImageError) as e:
        logger.warning("No image for %s %s from %s: %s", model_name, pk, source, e)
        if isinstance(e, FetchError) and e.is_temporary and attempt < len(RETRY_AFTER):
            later = fetch_image.using(run_after=timezone.now() + RETRY_AFTER[attempt])
            later.enqueue(model_name, pk, url, attempt + 1, trusted)
        else:
            cancel_request(model, pk, url)
        return False


def remove_files(sender: type[Model], instance: Image, **kwargs: Any) -> None:
    """Signal receiver: delete the files of a deleted image once the transaction is committed."""
    names = [instance.file.name, *(size["file"] for size in instance.sizes.values())]
    storage = instance.file.storage

    def remove() -> None:
        for name in filter(None, names):
            storage.delete(name)

    transaction.on_commit(remove, robust=True)


def _read(file: "File[bytes]") -> tuple[Picture, dict[str, Picture]]:
    # One byte over the limit shows that the file is too large, without reading it all.
    body = file.read(conf.IMAGE_MAX_BYTES + 1)
    if len(body) > conf.IMAGE_MAX_BYTES:
        raise ImageTooLargeError(
            f"{file.name!r} is larger than the limit of {conf.IMAGE_MAX_BYTES} bytes.",
            "file",
        )
    try:
        return decoding.read(
            body, max_pixels=conf.IMAGE_MAX_PIXELS, max_memory=conf.IMAGE_MAX_MEMORY
        )
    except decoding.Busy as e:
        raise ImageBusyError(
            f"{file.name!r} was not stored: the server is busy reading other images.", "file"
        ) from e
    except pictures.PictureError as e:
        raise ImageError(f"{file.name!r} {e}.", "file") from e


def _save_files(
    picture: Picture, copies: Mapping[str, Picture], stem: str, undo: ExitStack
) -> Image:
    """Write the files and return an unsaved image of them; undo deletes the files again."""
    field = Image._meta.get_field("file")
    # Files are served without a check of rights, so the image of a draft needs a name that cannot
    # be guessed.
    stem = f"{slugify(stem)[:MAX_STEM_LENGTH] or 'image'}-{secrets.token_hex(8)}"

    def write(picture: Picture, suffix: str = "") -> str:
        name = field.generate_filename(Image(), f"{stem}{suffix}.{picture.format.extension}")
        name = field.storage.save(name, ContentFile(picture.body))
        undo.callback(field.storage.delete, name)
        return name

    return Image(
        file=write(picture),
        width=picture.width,
        height=picture.height,
        filesize=len(picture.body),
        sizes={size: _details(copy, write(copy, f"-{size}")) for size, copy in copies.items()},
    )


def _details(copy: Picture, name: str) -> dict[str, Any]:
    return {
        "width": copy.width,
        "height": copy.height,
        "mime-type": copy.format.mime_type,
        "filesize": len(copy.body),
        "file": name,
    }


def _already_fetched(url: str, user: User | None) -> Image | None:
    if not url:
        return None
    found = visible_to(user or AnonymousUser()).filter(source_url=url)
    return found.order_by("pk").first()


def _fetched(url: str, author: Any, trusted: str) -> Image:
    found = fetch.fetch(
        url, max_bytes=conf.IMAGE_MAX_BYTES, seconds=conf.IMAGE_FETCH_SECONDS, trusted=trusted
    )
    name = PurePath(unquote(urlsplit(url).path)).name or "image"
    return store(ContentFile(found.body, name), author=author, source_url=url)


def _enqueue(post: Post, url: str, trusted: str) -> None:
    fetch_image.enqueue(str(post._meta.model_name), post.pk, url, 0, trusted)
