"""Users and groups in the look of the rest of the admin."""

from django.contrib import admin
from django.contrib.auth import admin as auth
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from calendar_app.admin.history.views import Acting

admin.site.index_title = "Overview"
admin.site.unregister([User, Group])


@admin.register(User)
class UserAdmin(Acting, auth.UserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(auth.GroupAdmin, ModelAdmin):
    pass
