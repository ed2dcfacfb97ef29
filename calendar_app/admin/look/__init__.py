"""The admin's look: Unfold's where Unfold is among the installed apps, Django's own elsewhere.

Both modules offer the same names, so that the rest of the admin is written once.
"""

from django.apps import apps

if apps.is_installed("unfold"):
    from .unfold import *  # noqa: F403
else:
    from .plain import *  # noqa: F403
