"""The verbs of images: store an upload, find one, have one fetched, remove the files of one."""

import datetime as dt
import logging
import secrets
from contextlib import ExitStack
from functools import reduce
from operator import or_
from pathlib import PurePath
from urllib.parse import unquote, urljoin, urlsplit

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.text import Truncator, slugify

from .. import permissions
from ..conf import conf
from ..exceptions import InvalidParams
from ..lib import decoding, fetch, pictures
from ..lib.fetch import FetchError, Target
from ..lib.tasks import task
from ..models import Event, Image, Organizer, Venue
from .revision import writing

MAX_STEM_LENGTH = 60
RETRY_AFTER = [dt.timedelta(minutes=1), dt.timedelta(minutes=10), dt.timedelta(hours=1)]
MAX_TITLE_LENGTH = Image._meta.get_field("title").max_length

logger = logging.getLogger(__name__)


class ImageError(InvalidParams):
    """A parameter that gives no image; the message says why."""

    def __init__(self, sentence, param="image"):
        super().__init__({param: sentence})
        self.message, self.args = sentence, (sentence,)


class ImageTooLargeError(ImageError):
    code, status = "rest_payload_too_large", 413


class ImageBusyError(ImageError):
    code, status, wait = "rest_busy", 503, decoding.WAIT_SECONDS


def store(file, *, author=None, title="", source_url="") -> Image:
    """Return the stored image of file, an open file with a name, with its smaller copies.

    Of one source_url it is the first that author may see. Raises ImageError when file holds no
    picture, ImageTooLargeError when it holds too much of one.
    """
    picture, copies = _read(file)
    stem = "".join(filter(str.isprintable, PurePath(file.name or "").stem))[:MAX_TITLE_LENGTH]
    with ExitStack() as undo:
        image = _written(picture, copies, stem, undo)
        image.title, image.author, image.source_url = title or stem, author, source_url
        with writing():
            if known := _known(source_url, author):
                return known
            image.save()
        # The row is there: the files stay.
        undo.pop_all()
        return image


def visible_to(user):
    """Return the images that user may see: own uploads, and those of records with all details.

    Users who may edit the events of others see all images.
    """
    if permissions.may_edit_others(user, Event):
        return Image.objects.all()
    kinds = (Event, Venue, Organizer)
    shown = reduce(or_, (_on(kind.objects.disclosed_to(user)) for kind in kinds))
    return Image.objects.filter(shown | Q(author=user) if user.is_authenticated else shown)


def _on(records):
    return Exists(records.order_by().filter(image=OuterRef("pk")))


def at(url: str, base: str) -> Image | None:
    """Return the image whose file this site, at base ("https://example.org"), serves at url."""
    ours = urljoin(base, Image._meta.get_field("file").storage.url(""))
    name = unquote(url.removeprefix(ours))
    if not url.startswith(ours) or "\0" in name:
        return None
    return Image.objects.filter(file=name).first()


def check_url(url: str, trusted: str = "") -> str:
    """Return url in the form that ``request`` takes; ImageError when it may not be fetched.

    The host and port of a trusted URL may be private. This asks the name service, so it has no
    place in a transaction.
    """
    try:
        return fetch.check_public(url, trusted=trusted)
    except FetchError as e:
        value = Truncator(url).chars(100)
        raise ImageError(f"{value!r} cannot be used as the URL of an image. {e}") from e


def assign(post, image):
    """Give post this image, or None, in place of any other; the caller saves post."""
    post.image, post.image_url = image, ""


def request(post, url: str, user=None, trusted: str = ""):
    """Give post the image at url, which is of ``check_url``; the caller saves post.

    An image that was fetched before, and that user (or else post's author) may see, is there at
    once. Another is fetched when the caller's transaction has ended well, and until then post keeps
    the image that it has.
    """
    if known := _known(url, user or post.author):
        assign(post, known)
        return
    post.image_url = url
    transaction.on_commit(lambda: _enqueue(post, url, trusted))


def fulfil(model, pk, url: str, trusted: str = "") -> bool:
    """Fetch the image that the record was promised; say whether the record has it now.

    It has not when another image was asked for meanwhile. Raises FetchError and ImageError.
    """
    post = model.objects.filter(pk=pk, image_url=url).select_related("author").first()
    if post is None:
        return False
    image = _known(url, post.author) or _fetched(url, post.author, trusted)
    with writing():
        post = model.objects.filter(pk=pk, image_url=url).first()
        if post is not None:
            assign(post, image)
            post.save(update_fields=["image", "image_url"])
    return post is not None


def give_up(model, pk, url: str):
    """End the record's wait for the image at url: it keeps the image that it has."""
    model.objects.filter(pk=pk, image_url=url).update(image_url="")


@task()
def fetch_image(model_name: str, pk: int, url: str, attempt: int = 0, trusted: str = ""):
    """Give a record the image at url; a server that fails is asked again, three times.

    The host and port of the trusted URL, which an operator has named, may be private.
    """
    model = apps.get_model("calendar_app", model_name)
    source = Target.parse(url).label
    try:
        return fulfil(model, pk, url, trusted)
    except (FetchError, ImageError) as e:
        logger.warning("No image for %s %s from %s: %s", model_name, pk, source, e)
        if isinstance(e, FetchError) and e.is_temporary and attempt < len(RETRY_AFTER):
            later = fetch_image.using(run_after=timezone.now() + RETRY_AFTER[attempt])
            later.enqueue(model_name, pk, url, attempt + 1, trusted)
        else:
            give_up(model, pk, url)
        return False


def remove_files(sender, instance, **kwargs):
    """Remove the files of a deleted image when that is certain: a signal receiver."""
    names = [instance.file.name, *(size["file"] for size in instance.sizes.values())]
    storage = instance.file.storage

    def remove():
        for name in filter(None, names):
            storage.delete(name)

    transaction.on_commit(remove, robust=True)


def _read(file):
    # One byte more than is accepted tells whether there is more.
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


def _written(picture, copies, stem, undo):
    """Return the unsaved image of files that are written; undo removes them again."""
    field = Image._meta.get_field("file")
    # A name that cannot be guessed: the image of a draft is not for everybody yet.
    stem = f"{slugify(stem)[:MAX_STEM_LENGTH] or 'image'}-{secrets.token_hex(8)}"

    def write(picture, suffix=""):
        name = field.generate_filename(None, f"{stem}{suffix}.{picture.format.extension}")
        name = field.storage.save(name, ContentFile(picture.body))
        undo.callback(field.storage.delete, name)
        return name

    return Image(
        file=write(picture),
        width=picture.width,
        height=picture.height,
        filesize=len(picture.body),
        sizes={size: _described(copy, write(copy, f"-{size}")) for size, copy in copies.items()},
    )


def _described(copy, name):
    return {
        "width": copy.width,
        "height": copy.height,
        "mime-type": copy.format.mime_type,
        "filesize": len(copy.body),
        "file": name,
    }


def _known(url, user):
    found = visible_to(user or AnonymousUser()).filter(source_url=url)
    return url and found.order_by("pk").first()


def _fetched(url, author, trusted):
    found = fetch.fetch(
        url, max_bytes=conf.IMAGE_MAX_BYTES, seconds=conf.IMAGE_FETCH_SECONDS, trusted=trusted
    )
    name = PurePath(unquote(urlsplit(url).path)).name or "image"
    return store(ContentFile(found.body, name), author=author, source_url=url)


def _enqueue(post, url, trusted):
    fetch_image.enqueue(post._meta.model_name, post.pk, url, 0, trusted)
