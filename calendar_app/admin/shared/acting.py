"""Lets the history name the user of the admin."""

from functools import update_wrapper

from ...services.actor import acting


class Acting:
    """The first base of an admin whose pages change the calendar."""

    def get_urls(self):
        found = super().get_urls()
        for pattern in found:
            pattern.callback = _acting(pattern.callback)
        return found


def _acting(view):
    def decorated(request, *args, **kwargs):
        with acting(request.user, "admin"):
            return view(request, *args, **kwargs)

    return update_wrapper(decorated, view)
