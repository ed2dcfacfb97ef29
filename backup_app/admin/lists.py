"""What all of the app's pages in the admin have in common."""

from unfold.admin import ModelAdmin


class BackupAdmin(ModelAdmin):
    """A list that takes as many queries for a hundred records as for one."""

    list_filter_submit = True
    list_per_page = 50
    show_full_result_count = False


class ReadOnly:
    """For what the service writes and nobody changes."""

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
