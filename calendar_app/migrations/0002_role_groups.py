import django.db.models.deletion
from django.db import migrations, models

ROLES = ["Contributor", "Author", "Editor"]


def note_earlier_groups(apps, schema_editor):
    """Note the groups that the migrations of before 0.1.0 made: those that have our permissions.

    In a new database no group can have any yet, since permissions are made after all migrations. A
    group that is missing beside others was deleted, and is not to come back.
    """
    using = schema_editor.connection.alias
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    ours = permissions.filter(content_type__app_label="calendar_app")
    groups = apps.get_model("auth", "Group").objects.using(using)
    found = {
        group.name: group for group in groups.filter(name__in=ROLES, permissions__in=ours).distinct()
    }
    role_groups = apps.get_model("calendar_app", "RoleGroup").objects.using(using)
    role_groups.bulk_create(
        role_groups.model(role=role, group=found.get(role)) for role in ROLES if found
    )


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("calendar_app", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="RoleGroup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("role", models.CharField(max_length=20, unique=True)),
                (
                    "group",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="auth.group",
                    ),
                ),
            ],
            options={"default_permissions": ()},
        ),
        migrations.RunPython(note_earlier_groups, migrations.RunPython.noop),
    ]
