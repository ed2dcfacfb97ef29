"""Names of the records that changes refer to, as far as a user may see them."""

from collections import defaultdict

from django.contrib.auth import get_user_model

from ... import permissions
from ...models import Category, Change, Event, Image, Organizer, Post, Tag, Venue
from ...services import images

# The fields that refer to other records, and the models of these.
MODELS = {
    "venues": Venue,
    "organizers": Organizer,
    "categories": Category,
    "tags": Tag,
    "author_id": get_user_model(),
    "image_id": Image,
    "parent_id": Event,
}


class Names:
    """Looks up, for ``user``, the records that fields of ``owner`` refer to: {field: IDs}.

    In a number of queries that does not grow with them.
    """

    def __init__(self, user, wanted, owner):
        self.user, self.owner = user, owner
        ids = defaultdict(set)
        for name, some in wanted.items():
            ids[self._model(name)] |= set(some)
        self.there = {model: model._base_manager.in_bulk(some) for model, some in ids.items()}
        self.usable = {
            model: set(self._usable(model).filter(pk__in=some).values_list("pk", flat=True))
            for model, some in ids.items()
        }
        self.gone = {}
        for model, some in ids.items():
            if lost := some - self.there[model].keys():
                kind = model._meta.model_name
                rows = Change.objects.filter(kind=kind, record_id__in=lost, verb="deleted")
                titles = dict(rows.values_list("record_id", "title"))
                self.gone |= {(model, pk): title for pk, title in titles.items()}

    def is_usable(self, name, pk):
        """Return whether the user may link a record to the one that a field refers to."""
        return pk in self.usable[self._model(name)]

    def text(self, name, pk):
        """Return what the record is called; if the user may not see it, only its kind."""
        model = self._model(name)
        kind = model._meta.verbose_name
        sees_all = not issubclass(model, Post) or permissions.may_edit_others(self.user, model)
        record = self.there[model].get(pk)
        if record is None:
            title = self.gone.get((model, pk)) if sees_all else None
            return f"“{title}” (deleted)" if title else f"{_one(kind)} that was deleted"
        if self.is_usable(name, pk):
            return f"“{record}”"
        if sees_all and getattr(record, "is_trashed", False):
            return f"“{record}” (in the trash)"
        return f"{_one(kind)} that you may not see"

    def _model(self, name):
        return Category if self.owner is Category and name == "parent_id" else MODELS[name]

    def _usable(self, model):
        if model is Image:
            return images.visible_to(self.user)
        if model is Event:
            return Event.objects.disclosed_to(self.user)
        if issubclass(model, Post):
            return model.objects.visible_to(self.user)
        return model._base_manager.all()


def _one(kind):
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"
