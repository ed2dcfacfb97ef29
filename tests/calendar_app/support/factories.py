"""Records to test with; whatever a test does not name is ordinary."""

import datetime as dt

import factory
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.files.base import ContentFile
from factory.django import DjangoModelFactory

from calendar_app.models import Category, Event, Organizer, Tag, Venue
from calendar_app.services import events, images

from .pictures import photo


class UserFactory(DjangoModelFactory):
    """A user in the group ``role`` (Editor, Author, Contributor) or in none."""

    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence("user{}@example.org".format)
    email = factory.SelfAttribute("username")
    password = factory.django.Password("secret")

    @factory.post_generation
    def role(self, create, name, **kwargs):
        if name:
            self.groups.add(Group.objects.get(name=name))


class CategoryFactory(DjangoModelFactory):
    class Meta:
        model = Category

    name = factory.Sequence("Category {}".format)


class TagFactory(DjangoModelFactory):
    class Meta:
        model = Tag

    name = factory.Sequence("Tag {}".format)


class VenueFactory(DjangoModelFactory):
    class Meta:
        model = Venue

    name = factory.Sequence("Venue {}".format)


class OrganizerFactory(DjangoModelFactory):
    class Meta:
        model = Organizer

    name = factory.Sequence("Organizer {}".format)


class EventFactory(DjangoModelFactory):
    """An event of one hour; ``categories``, ``tags``, ``venues``, ``organizers`` take lists."""

    class Meta:
        model = Event

    title = factory.Sequence("Event {}".format)
    start_date = dt.datetime(2027, 3, 1, 10)
    end_date = factory.LazyAttribute(lambda event: event.start_date + dt.timedelta(hours=1))

    @classmethod
    def _create(cls, model, *args, password="", **fields):
        names = ("categories", "tags", "venues", "organizers")
        links = {name: fields.pop(name) for name in names if name in fields}
        event = model(**fields)
        event.set_password(password)
        events.save(event, **links)
        return event


def make_image(author=None, **fields):
    """Store an image of 600 x 400 pixels; the caller sets MEDIA_ROOT."""
    return images.store(ContentFile(photo(), "photo.png"), author=author, **fields)
