"""Takes the pictures of the README anew: ``make test JOBS=0 ARGS=tests/pictures.py``."""

from io import BytesIO
from pathlib import Path

import pytest
from django.core.management import call_command
from PIL import Image

from .backup_app.support.answering_engine import answering_engine
from .backup_app.support.estate import backup, make_estate

FOLDER = Path(__file__).parents[1] / "docs/pictures"
WIDTH = 1400

pytestmark = pytest.mark.django_db(transaction=True)


def take(page, name, height):
    """Photograph the top of a page, in as many colours as a small file has."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.wait_for_load_state("networkidle")
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
    colours = shot.quantize(256, dither=Image.Dither.NONE)
    FOLDER.mkdir(exist_ok=True)
    colours.save(FOLDER / f"{name}.png", optimize=True)


def test_the_start_page_of_the_admin(viewer):
    with answering_engine(disk=(1000 * 10**9, 500 * 10**9)):
        clients = make_estate(viewer.user)
        for days in reversed(range(12)):  # which makes as much as the chart says is stored
            backup(clients["web1"], hours_ago=8 + 24 * days)
        viewer.open("/admin/")
        take(viewer.page, "admin", 1130)


def test_a_month_of_the_public_pages(live_server, page):
    call_command("seed_demo")
    page.goto(f"{live_server.url}/events/month/")
    take(page, "month", 1190)
