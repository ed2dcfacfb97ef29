"""Pictures as bytes: what they really are, what of them may be published, and smaller copies."""

import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import PIL.Image
from PIL import ExifTags, ImageOps
from PIL.Image import Resampling, Transpose

MAX_SIDE = 65_535  # pixels: the most that JPEG knows; the cost of scaling grows with it
THUMBNAIL, MEDIUM = (150, 150), (300, 300)
# What makes a picture upright, by its EXIF orientation.
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
# What Pillow raises for files that are broken or forged.
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
    """Bytes that are no picture to publish; the message says why, as the rest of a sentence."""


@dataclass(frozen=True)
class Format:
    name: str
    extension: str
    mime_type: str
    options: dict


JPEG = Format("JPEG", "jpg", "image/jpeg", {"quality": 90})
PNG = Format("PNG", "png", "image/png", {})
FORMATS = {
    "JPEG": JPEG,
    "MPO": JPEG,  # a JPEG with further pictures behind it, as the cameras of phones write it
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
    """Return the picture to publish and its copies by size; PictureError when body is none.

    The picture is body itself, unless its metadata turns it or tells where it was taken: then it
    is written anew, upright and without any.
    """
    with _opened(body, max_pixels) as image:
        form, turn = FORMATS[image.format], _turn(image)
        anew = turn is not None or _tells_place(image)
        picture = Picture(body, form, *image.size)
        if not anew:
            # A JPEG is decoded at a fraction of its size where that is enough.
            image.draft(None, (2 * MEDIUM[0], 2 * MEDIUM[1]))
        image = _in_colours(image, form)
        if turn is not None:
            image = image.transpose(turn)
        if anew:
            picture = _encoded(image, form)
        # The 256 colours of a GIF do not survive scaling.
        form = PNG if form.name == "GIF" else form
        return picture, {
            "thumbnail": _encoded(_thumbnail(image, picture), form),
            "medium": _encoded(_medium(image, picture), form),
        }


@contextmanager
def _opened(body, max_pixels):
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


def _turn(image):
    return TURNS.get(image.getexif().get(ExifTags.Base.Orientation))


def _tells_place(image):
    exif, xmp = image.getexif(), image.info.get("xmp", b"")
    return bool(exif.get_ifd(ExifTags.IFD.GPSInfo)) or b"GPS" in xmp


def _in_colours(image, form):
    """Return image in a mode that can be scaled and that the format can hold, with no metadata."""
    before = image
    if image.mode.startswith("I"):
        # 16 bits of grey, which Pillow would clip instead of scaling.
        image = image.convert("I").point(lambda grey: grey / 256).convert("L")
    clear = image.has_transparency_data and form is not JPEG
    mode = "RGBA" if clear else "L" if image.mode == "L" else "RGB"
    if image.mode != mode:
        image = image.convert(mode)
    # A colour profile is one of the mode that it was made for.
    image.info = {"icc_profile": before.info.get("icc_profile")} if image is before else {}
    return image


def _thumbnail(image, picture):
    size = min(picture.width, THUMBNAIL[0]), min(picture.height, THUMBNAIL[1])
    return ImageOps.fit(image, size)


def _medium(image, picture):
    ratio = min(1, MEDIUM[0] / picture.width, MEDIUM[1] / picture.height)
    size = max(1, round(picture.width * ratio)), max(1, round(picture.height * ratio))
    return image.resize(size, Resampling.LANCZOS)


def _encoded(image, form):
    out = BytesIO()
    image.save(out, form.name, icc_profile=image.info.get("icc_profile"), **form.options)
    return Picture(out.getvalue(), form, *image.size)
