"""Pictures to test with, as bytes."""

from io import BytesIO

import PIL.Image

RED, BLUE = (255, 0, 0), (0, 0, 255)
TURNED = 6  # the EXIF orientation of a camera held upright


def photo(form="PNG", size=(600, 400), mode="RGB", **options):
    """Return a picture, red on the left and blue on the right."""
    image = PIL.Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    out = BytesIO()
    image.convert(mode).save(out, form, **options)
    return out.getvalue()


def exif(orientation=1, place=False):
    """Return the EXIF data of a camera that knows how it is held and perhaps where it is."""
    data = PIL.Image.Exif()
    data[PIL.ExifTags.Base.Orientation] = orientation
    data[PIL.ExifTags.Base.Make] = "Camera"
    if place:
        data.get_ifd(PIL.ExifTags.IFD.GPSInfo)[PIL.ExifTags.GPS.GPSLatitudeRef] = "N"
    return data


def opened(body):
    image = PIL.Image.open(BytesIO(body))
    image.load()
    return image


def looks(body, place):
    """Return what colour is seen at a place given in hundredths of width and height."""
    image = opened(body).convert("RGB")
    x, y = (side * part // 100 for side, part in zip(image.size, place, strict=True))
    red, _, blue = image.getpixel((x, y))
    return "red" if red > 200 and blue < 60 else "blue" if blue > 200 and red < 60 else "other"
