"""Pictures are read in processes of their own, which can take neither much memory nor much time."""

import os
import signal
import struct
import subprocess
import sys
import threading
import zlib
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import PIL.Image
import pytest
from django.core.files.base import ContentFile

from calendar_app.lib import decoding, pictures
from calendar_app.lib.decoding import read
from calendar_app.lib.pictures import PictureError
from calendar_app.services import images

from ...attacks import rounds
from ..support.api_client import P, client_of
from ..support.pictures import TURNED, exif, photo

LIMITS = {"max_pixels": 50_000_000, "max_memory": 512_000_000}
SIX_AT_ONCE = """
import re, resource, sys, threading
from concurrent.futures import ThreadPoolExecutor
from calendar_app.lib import decoding

body = sys.stdin.buffer.read()
decode = lambda _: decoding.read(body, max_pixels=50_000_000, max_memory=512_000_000)
decoding.WAIT_SECONDS, decoding.queue_places = 600, threading.Semaphore(6)
with ThreadPoolExecutor(6) as pool:
    widths = {picture.width for picture, _ in pool.map(decode, range(int(sys.argv[1])))}
own = re.search(r"VmHWM:\\s*([0-9]+)", open("/proc/self/status").read())[1]
print(*widths, own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

ENDLESS = """
from calendar_app.lib import decoding

def read(*args):
    while True:
        pass

decoding.CPU_SECONDS, decoding.pictures.read = 1, read
decoding.main("1", "100000000")
"""


def png(width, height, depth=8, colours=6, channels=4, chunks=b""):
    """Return a black PNG, which takes a thousandth of its pixels."""
    row = b"\0" * (1 + width * channels * depth // 8)
    compress = zlib.compressobj(9)
    rows = b"".join(compress.compress(row) for _ in range(height)) + compress.flush()
    head = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunks + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


@pytest.mark.parametrize(
    "body",
    [
        photo("JPEG", exif=exif(TURNED, place=True)),
        photo("GIF"),
        photo("WEBP", mode="RGBA"),
        photo("AVIF", size=(40, 30)),
        photo("PNG", size=(1, 1)),
    ],
)
def test_a_picture_is_read_as_in_this_process(body):
    assert read(body, **LIMITS) == pictures.read(body, LIMITS["max_pixels"])


@pytest.mark.parametrize("body", [b"", b"x" * 1000, photo()[:500], png(40, 30)])
def test_so_is_what_is_none(body):
    with pytest.raises(PictureError) as here:
        pictures.read(body, max_pixels=1000)
    with pytest.raises(PictureError) as there:
        read(body, max_pixels=1000, max_memory=LIMITS["max_memory"])

    assert str(there.value) == str(here.value)


BOMB = zlib.compress(b"\0" * 100_000_000, 9)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(png(4000, 4000), id="many pixels"),
        pytest.param(png(3000, 3000, depth=16), id="deep colours"),
        pytest.param(photo("WEBP", size=(3000, 3000)), id="WebP"),
        pytest.param(photo("JPEG", size=(8000, 3000), progressive=True), id="progressive JPEG"),
        pytest.param(photo("AVIF", size=(4000, 4000), quality=1, speed=10), id="AVIF"),
        pytest.param(photo("GIF", size=(5000, 5000)), id="GIF"),
        pytest.param(
            photo("WEBP", size=(2000, 2000), save_all=True, append_images=[
                PIL.Image.new("RGB", (2000, 2000))
            ]), id="animation"
        ),
        pytest.param(png(1, 1, chunks=chunk(b"iCCP", b"a\0\0" + BOMB)), id="colour profile"),
        pytest.param(png(1, 1, chunks=chunk(b"zTXt", b"a\0\0" + BOMB)), id="text"),
    ],
)  # fmt: skip
def test_what_needs_more_memory_is_refused(body):
    with pytest.raises(PictureError):
        read(body, max_pixels=LIMITS["max_pixels"], max_memory=50_000_000)


def test_the_refusal_says_why(media, settings):
    settings.CALENDAR_IMAGE_MAX_MEMORY = 50_000_000

    with pytest.raises(images.ImageError) as refusal:
        images.store(ContentFile(png(4000, 4000), "sky.png"))

    assert str(refusal.value) == "'sky.png' needs more memory than the limit."


def test_a_decoder_that_fails_is_logged(monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(PictureError, match="its decoder failed or took too long"):
        read(photo(), **LIMITS)
    assert "returned non-zero exit status 1" in caplog.text


def test_a_decoder_that_takes_too_long_is_killed():
    with pytest.raises(subprocess.CalledProcessError) as ended:
        decoding._run([sys.executable, "-c", ENDLESS], b"")

    assert ended.value.returncode in {-signal.SIGXCPU, -signal.SIGKILL}


def test_a_decoder_knows_no_secrets(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hidden")
    command = [sys.executable, "-c", "import os; print(sorted(os.environ))"]

    assert b"SECRET" not in decoding._run(command, b"")
    assert b"PYTHONPATH" in decoding._run(command, b"")


@pytest.mark.django_db
def test_who_waits_too_long_is_told_to_come_again(media, monkeypatch):
    monkeypatch.setattr(decoding, "WAIT_SECONDS", 0.01)
    with decoding.read_lock:
        answer = client_of(role="Contributor").post(
            f"{P}/images", {"file": ContentFile(photo(), "a.png")}, format="multipart"
        )

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["code"] == "rest_busy"


def test_few_threads_wait_for_their_turn(monkeypatch):
    monkeypatch.setattr(decoding, "WAIT_SECONDS", 600)
    number = decoding.MAX_WAITING + 2
    with ThreadPoolExecutor(number) as pool, decoding.read_lock:
        reading = [pool.submit(read, photo(), **LIMITS) for _ in range(number)]
        refused, waiting = wait(reading, return_when=FIRST_COMPLETED)

    assert [type(each.exception()) for each in refused] == [decoding.Busy]
    assert all(each.result() for each in waiting)


def test_one_is_read_at_a_time(monkeypatch):
    inside, most, run = [], [], decoding._run

    def counted(*args):
        inside.append(threading.get_ident())
        most.append(len(inside))
        output = run(*args)
        inside.pop()
        return output

    monkeypatch.setattr(decoding, "_run", counted)
    monkeypatch.setattr(decoding, "WAIT_SECONDS", 600)
    monkeypatch.setattr(decoding, "queue_places", threading.Semaphore(6))
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: read(photo(), **LIMITS), range(6)))

    assert (len(most), max(most)) == (6, 1)


@pytest.mark.attack
def test_six_large_pictures_at_once_take_the_memory_of_one():
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", SIX_AT_ONCE, str(rounds(3, 12))],
        input=png(7000, 7000, depth=16),
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
    )

    width, own, decoders = map(int, done.stdout.split())
    assert width == 7000
    assert own < 100_000  # KB
    assert decoders < 560_000
