"""The log of the admin as the history of a record of which no values are kept."""

from django.contrib.admin.models import LogEntry


class Logged:
    """A base of an admin whose records only have the log of the admin: who changed which fields."""

    object_history_template = "calendar_app/admin/history/log.html"

    def get_paginator(self, request, queryset, *args, **kwargs):
        """Return the pages of a list; those of a log begin with the newest."""
        if queryset.model is LogEntry:
            queryset = queryset.reverse()
        return super().get_paginator(request, queryset, *args, **kwargs)
