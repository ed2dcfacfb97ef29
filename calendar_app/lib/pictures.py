"""Reads image files of users: checks them, strips where they were taken, and scales copies."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import PIL.Image
from PIL import ExifTags, ImageOps
from PIL.Image import Resampling, Transpose

MAX_SIDE = 65_535  # pixels: the limit of JPEG; the cost of scaling grows with it
THUMBNAIL, MEDIUM = (150, 150), (300, 300)  # pixels
# The operation that makes a picture upright, by its EXIF orientation.
TURNS = dict(
    enumerate(
        (
            Transpose.FLIP_LEFT_RIGHT,
            Transpose.ROTATE_180,
            Transpose.FLIP_TOP_BOTTOM,
            Transpose.TRANSPOSE,
            Transpose.ROTATE_270,
            Transpose.TRANSVERSE,
            Transpose.ROTATE_90,
        ),
        start=2,
    )
)
# What Pillow raises for damaged and forged files.
BROKEN = (
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    RuntimeError,
    EOFError,
    struct.error,
    zlib.error,
    PIL.Image.DecompressionBombError,
)


class PictureError(Exception):
    """Not an acceptable picture; the message is the rest of a sentence on the file."""


@dataclass(frozen=True)
class Format:
    name: str
    extension: str
    mime_type: str
    options: dict[str, Any]


JPEG = Format("JPEG", "jpg", "image/jpeg", {"quality": 90})
PNG = Format("PNG", "png", "image/png", {})
FORMATS = {
    "JPEG": JPEG,
    "MPO": JPEG,  # a JPEG followed by further pictures, as phones write it
    "PNG": PNG,
    "GIF": Format("GIF", "gif", "image/gif", {}),
    "WEBP": Format("WEBP", "webp", "image/webp", {"quality": 85}),
    "AVIF": Format("AVIF", "avif", "image/avif", {"quality": 75, "speed": 8}),
}


@dataclass(frozen=True)
class Picture:
    body: bytes
    format: Format
    width: int
    height: int


def read(body: bytes, max_pixels: int) -> tuple[Picture, dict[str, Picture]]:
    """Return the picture to publish and its smaller copies by size. Raises PictureError.

    The picture is body unchanged, unless its metadata rotates it or contains a position: then it is
    encoded again, upright and without metadata.
    """
    with _opened(body, max_pixels) as image:
        form, turn = FORMATS[image.format or ""], _turn(image)
        must_encode = turn is not None or _has_position(image)
        picture = Picture(body, form, *image.size)
        if not must_encode:
            # A JPEG can be decoded at a fraction of its size, which is enough for the copies.
            image.draft(None, (2 * MEDIUM[0], 2 * MEDIUM[1]))
        image = _in_suitable_mode(image, form)
        if turn is not None:
            image = image.transpose(turn)
        if must_encode:
            picture = _encoded(image, form)
        # Scaling needs more colours than the 256 of a GIF.
        form = PNG if form.name == "GIF" else form
        return picture, {
            "thumbnail": _encoded(_thumbnail(image, picture), form),
            "medium": _encoded(_medium(image, picture), form),
        }


@contextmanager
def _opened(body: bytes, max_pixels: int) -> Iterator[PIL.Image.Image]:
    try:
        with PIL.Image.open(BytesIO(body), formats=[*FORMATS.keys() - {"MPO"}]) as image:
            width, height = image.size
            if width * height > max_pixels or max(image.size) > MAX_SIDE:
                raise PictureError(f"has {width} x {height} pixels, which is more than the limit")
            yield image
    except PIL.UnidentifiedImageError as e:
        raise PictureError("is not a JPEG, PNG, GIF, WebP or AVIF image") from e
    except BROKEN as e:
        raise PictureError(f"is a damaged image: {e}") from e


def _turn(image: PIL.Image.Image) -> Transpose | None:
    return TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))


def _has_position(image: PIL.Image.Image) -> bool:
    exif, xmp = image.getexif(), image.info.get("xmp", b"")
    return bool(exif.get_ifd(ExifTags.IFD.GPSInfo)) or b"GPS" in xmp


def _in_suitable_mode(image: PIL.Image.Image, form: Format) -> PIL.Image.Image:
    """Return image in a mode that can be scaled and encoded in the format, without metadata."""
    before = image
    if image.mode.startswith("I"):
        # 16 bits of grey, which Pillow would clip instead of scaling to 8.
        image = image.convert("I").point(lambda grey: grey / 256).convert("L")
    clear = image.has_transparency_data and form is not JPEG
    mode = "RGBA" if clear else "L" if image.mode == "L" else "RGB"
    if image.mode != mode:
        image = image.convert(mode)
    # A colour profile is only valid for the mode that it was made for.
    image.info = {"icc_profile": before.info.get("icc_profile")} if image is before else {}
    return image


def _thumbnail(image: PIL.Image.Image, picture: Picture) -> PIL.Image.Image:
    size = min(picture.width, THUMBNAIL[0]), min(picture.height, THUMBNAIL[1])
    return ImageOps.fit(image, size)


def _medium(image: PIL.Image.Image, picture: Picture) -> PIL.Image.Image:
    ratio = min(1, MEDIUM[0] / picture.width, MEDIUM[1] / picture.height)
    size = max(1, round(picture.width * ratio)), max(1, round(picture.height * ratio))
    return image.resize(size, Resampling.LANCZOS)


def _encoded(image: PIL.Image.Image, form: Format) -> Picture:
    out = BytesIO()
    image.save(out, form.name, icc_profile=image.info.get("icc_profile"), **form.options)
    return Picture(out.getvalue(), form, *image.size)
