import random
import struct
import zlib
from io import BytesIO

import PIL.Image
import PIL.ImageCms
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_app.lib.pictures import PictureError, read

from ..support.pictures import TURNED, exif, looks, opened, photo

FORMATS = {
    "JPEG": ("jpg", "image/jpeg"),
    "PNG": ("png", "image/png"),
    "GIF": ("gif", "image/gif"),
    "WEBP": ("webp", "image/webp"),
    "AVIF": ("avif", "image/avif"),
}
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>48,51N</exif:GPSLatitude></x:xmpmeta>'


def published(body):
    return read(body, 10_000_000)[0]


def copies(body):
    return read(body, 10_000_000)[1]


class TestPicture:
    @pytest.mark.parametrize("form", FORMATS)
    def test_is_kept_as_it_is(self, form):
        body = photo(form)

        picture = published(body)

        assert picture.body == body
        assert (picture.width, picture.height) == (600, 400)
        assert (picture.format.extension, picture.format.mime_type) == FORMATS[form]

    @pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "AVIF"])
    def test_keeps_metadata_that_tell_no_place(self, form):
        body = photo(form, exif=exif())

        assert published(body).body == body

    @pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "AVIF"])
    def test_loses_metadata_that_tell_its_place(self, form):
        body = photo(form, exif=exif(place=True))

        picture = published(body)

        assert dict(opened(body).getexif()) != {}
        assert dict(opened(picture.body).getexif()) == {}
        assert picture.body != body
        assert (picture.width, picture.height) == (600, 400)
        assert looks(picture.body, (25, 50)) == "red"

    @pytest.mark.parametrize("form", ["JPEG", "WEBP", "AVIF"])
    def test_loses_a_place_in_xmp(self, form):
        body = photo(form, xmp=XMP)

        assert b"GPSLatitude" in body
        assert b"GPSLatitude" not in published(body).body

    @pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "AVIF"])
    def test_is_turned_upright(self, form):
        picture = published(photo(form, exif=exif(TURNED)))

        assert (picture.width, picture.height) == opened(picture.body).size == (400, 600)
        assert looks(picture.body, (50, 25)) == "red"
        assert looks(picture.body, (50, 75)) == "blue"
        assert dict(opened(picture.body).getexif()) == {}

    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_looks_as_viewers_show_it(self, orientation):
        body = photo("JPEG", exif=exif(orientation))
        shown = PIL.ImageOps.exif_transpose(opened(body))

        picture = published(body)

        assert (picture.width, picture.height) == shown.size
        places = [(25, 25), (75, 25), (25, 75), (75, 75)]
        out = BytesIO()
        shown.save(out, "PNG")
        assert [looks(picture.body, place) for place in places] == [
            looks(out.getvalue(), place) for place in places
        ]

    def test_of_a_phone_with_several_in_one_is_a_jpeg(self):
        second = opened(photo())
        body = photo("MPO", save_all=True, append_images=[second])

        assert opened(body).format == "MPO"
        assert published(body).format.mime_type == "image/jpeg"
        assert published(body).body == body

    def test_that_moves_is_kept_moving(self):
        body = photo("GIF", save_all=True, append_images=[opened(photo("GIF")).rotate(180)])

        assert opened(published(body).body).n_frames == 2


class TestCopies:
    @pytest.mark.parametrize("form", FORMATS)
    def test_are_a_square_and_a_small_whole(self, form):
        made = copies(photo(form))

        assert {name: (copy.width, copy.height) for name, copy in made.items()} == {
            "thumbnail": (150, 150),
            "medium": (300, 200),
        }
        for copy in made.values():
            assert opened(copy.body).size == (copy.width, copy.height)
            assert opened(copy.body).get_format_mimetype() == copy.format.mime_type
            assert [looks(copy.body, (x, 50)) for x in (20, 80)] == ["red", "blue"]

    @pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "AVIF"])
    def test_tell_nothing_of_the_camera_and_stand_upright(self, form):
        made = copies(photo(form, exif=exif(TURNED, place=True)))

        assert (made["medium"].width, made["medium"].height) == (200, 300)
        assert all(dict(opened(copy.body).getexif()) == {} for copy in made.values())
        assert looks(made["thumbnail"].body, (50, 20)) == "red"

    @pytest.mark.parametrize(
        ("size", "thumbnail", "medium"),
        [
            ((1, 1), (1, 1), (1, 1)),
            ((100, 50), (100, 50), (100, 50)),
            ((1000, 20), (150, 20), (300, 6)),
            ((10, 3000), (10, 150), (1, 300)),
            ((300, 300), (150, 150), (300, 300)),
        ],
    )
    def test_are_never_larger_than_the_picture(self, size, thumbnail, medium):
        made = copies(photo(size=size))

        assert (made["thumbnail"].width, made["thumbnail"].height) == thumbnail
        assert (made["medium"].width, made["medium"].height) == medium

    @pytest.mark.parametrize(
        ("form", "mode"),
        [
            ("JPEG", "L"),
            ("JPEG", "CMYK"),
            ("PNG", "1"),
            ("PNG", "L"),
            ("PNG", "LA"),
            ("PNG", "P"),
            ("PNG", "RGBA"),
            ("GIF", "P"),
            ("WEBP", "RGBA"),
            ("AVIF", "RGBA"),
        ],
    )
    def test_are_made_of_every_kind_of_colours(self, form, mode):
        made = copies(photo(form, mode=mode))

        assert opened(made["medium"].body).size == (300, 200)

    def test_of_16_bit_grey_keep_their_grey(self):
        out = BytesIO()
        PIL.Image.new("I;16", (400, 400), 0x8000).save(out, "PNG")

        assert opened(copies(out.getvalue())["medium"].body).getpixel((9, 9)) == 0x80

    @pytest.mark.parametrize("form", ["PNG", "GIF", "WEBP", "AVIF"])
    def test_stay_transparent(self, form):
        out = BytesIO()
        PIL.Image.new("RGBA", (400, 400), (255, 0, 0, 0)).save(out, form)

        medium = opened(copies(out.getvalue())["medium"].body)

        assert medium.getpixel((9, 9))[3] == 0

    def test_keep_the_colour_profile(self):
        profile = PIL.ImageCms.ImageCmsProfile(PIL.ImageCms.createProfile("sRGB")).tobytes()

        made = copies(photo("JPEG", icc_profile=profile))

        assert opened(made["medium"].body).info["icc_profile"] == profile


class TestRefusal:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"hello",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"%PDF-1.7",
            photo("BMP"),
            photo("TIFF"),
            photo("ICO", size=(64, 64)),
            b"\n" + photo(),
        ],
    )
    def test_of_what_is_none_of_the_formats(self, body):
        with pytest.raises(PictureError, match="is not a JPEG, PNG, GIF, WebP or AVIF image"):
            published(body)

    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("percent", [50, 90])
    def test_of_what_is_cut_short(self, form, percent):
        body = photo(form)

        with pytest.raises(PictureError):
            published(body[: len(body) * percent // 100])

    def test_of_too_many_pixels_is_exact(self):
        body = photo(size=(100, 50))

        assert read(body, 5000)[0].width == 100
        with pytest.raises(PictureError, match="has 100 x 50 pixels"):
            read(body, 4999)

    @pytest.mark.parametrize("size", [(30_000, 30_000), (2**31 - 1, 2**31 - 1), (65_536, 1)])
    def test_of_a_bomb_comes_before_it_is_unpacked(self, size):
        def chunk(kind, data):
            return (
                struct.pack(">I", len(data))
                + kind
                + data
                + struct.pack(">I", zlib.crc32(kind + data))
            )

        head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0))
        body = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000))

        with pytest.raises(PictureError, match="pixels"):
            read(body + chunk(b"IEND", b""), 50_000_000)

    @pytest.mark.filterwarnings("ignore::UserWarning:PIL")
    @settings(deadline=None, max_examples=150)
    @given(st.sampled_from([*FORMATS, "MPO"]), st.integers(0, 2**32))
    def test_is_the_only_failure_of_damaged_files(self, form, seed):
        chance = random.Random(seed)  # noqa: S311 no secret
        body = bytearray(
            photo(form, size=(40, 30), **({"exif": exif(TURNED)} if form == "JPEG" else {}))
        )
        for _ in range(chance.choice([1, 2, 5, 20])):
            body[chance.randrange(len(body))] = chance.randrange(256)

        try:
            picture, made = read(bytes(body), 1_000_000)
        except PictureError:
            return
        assert picture.width > 0
        assert set(made) == {"thumbnail", "medium"}
