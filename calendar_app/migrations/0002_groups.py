from django.contrib.auth.management import create_permissions
from django.db import migrations

OWN = ["add", "change", "delete", "view"]
POSTS = ["event", "venue", "organizer"]
TERMS = ["category", "tag"]

RIGHTS = {
    "Contributor": {**{model: OWN for model in POSTS}, "image": ["add", "view"]},
    "Author": {
        **{model: [*OWN, "publish"] for model in POSTS},
        **{model: ["add", "view"] for model in TERMS},
        "image": ["add", "view"],
    },
    "Editor": {
        **{model: [*OWN, "publish", "edit_others"] for model in POSTS},
        **{model: OWN for model in [*TERMS, "image"]},
    },
}


def make_groups(apps, schema_editor):
    # Permissions are otherwise made after the last migration, too late for the groups.
    config = apps.get_app_config("calendar_app")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0, using=schema_editor.connection.alias)
    config.models_module = None

    Group = apps.get_model("auth", "Group")
    Permission = apps.get_model("auth", "Permission")
    for name, rights in RIGHTS.items():
        group, _ = Group.objects.get_or_create(name=name)
        codenames = [f"{verb}_{model}" for model, verbs in rights.items() for verb in verbs]
        group.permissions.add(
            *Permission.objects.filter(
                content_type__app_label="calendar_app", codename__in=codenames
            )
        )


class Migration(migrations.Migration):
    dependencies = [
        ("calendar_app", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
