"""Databases of their own with a number of generated events, kept from one run to the next."""

from copy import deepcopy

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connections
from django.db.models import F

from calendar_app.demo.generate import generate
from calendar_app.models import Event, Image, Tag

FILLED = "Unused"  # a tag of no event, added last
IMAGES = 100
SIZE = {"width": 300, "height": 200, "mime-type": "image/jpeg", "filesize": 9000}


class Store:
    """A database of the server or kind that the settings name, with ``number`` events in it."""

    def __init__(self, number):
        self.number = number
        self.connection = connections.create_connection("default")
        self.connection.settings_dict = deepcopy(self.connection.settings_dict)
        self.connection.settings_dict["TEST"]["NAME"] = self._name()
        self.use()
        self.connection.creation.create_test_db(verbosity=0, keepdb=True, serialize=False)
        self._fill()

    def use(self):
        """Make this the project's database, with nothing in the cache from another one."""
        if connections["default"] is not self.connection:
            connections["default"] = self.connection
            cache.clear()

    def _name(self):
        name = f"benchmark_{self.number}_events"
        is_file = self.connection.vendor == "sqlite"
        return str(settings.DATA_DIR / f"{name}.sqlite3") if is_file else name

    def _fill(self):
        if Tag.objects.filter(name=FILLED).exists():
            return
        # What a run that was stopped has left.
        call_command("flush", interactive=False, verbosity=0)
        generate(self.number)
        _add_images()
        Tag.objects.create(name=FILLED)
        with self.connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("ANALYZE")


def _add_images():
    """Give each event one of a few images, which no file belongs to: none is opened."""
    first = Image.objects.bulk_create(_image(number) for number in range(IMAGES))[0]
    Event.objects.update(image_id=first.pk + F("id") % IMAGES)


def _image(number):
    sizes = {kind: {**SIZE, "file": f"{number}-{kind}.jpg"} for kind in ("thumbnail", "medium")}
    return Image(file=f"{number}.jpg", width=1200, height=800, filesize=90000, sizes=sizes)
