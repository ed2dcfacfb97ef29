from django.contrib.auth.models import Group
from django.db import models


class RoleGroup(models.Model):
    """The group that was made for a role; without one it was deleted since, and is not made again.

    A group that has only the name of one is somebody else's and never gets rights.
    """

    role = models.CharField(max_length=20, unique=True)
    group = models.OneToOneField(Group, models.SET_NULL, null=True, related_name="+")
    # The permissions that it was given: what it has not is new, or was taken away on purpose.
    granted = models.JSONField(default=list)

    class Meta:
        default_permissions = ()

    def __str__(self):
        return self.role
