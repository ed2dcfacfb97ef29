"""Exports and imports of the admin's lists, where django-import-export is an installed app."""

from django.apps import apps

if apps.is_installed("import_export"):
    from .mixins import ImageExports, Transfers
else:

    class ImageExports:
        """Adds nothing."""

    class Transfers:
        """Adds nothing."""


__all__ = ["ImageExports", "Transfers"]
