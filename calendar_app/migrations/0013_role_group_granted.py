from django.db import migrations, models

OWN = ["add", "change", "delete", "view"]
POSTS = ["event", "venue", "organizer"]
TERMS = ["category", "tag"]
# What the groups were given so far.
RIGHTS = {
    "Contributor": {**dict.fromkeys(POSTS, OWN), "image": ["add", "view"]},
    "Author": {
        **{model: [*OWN, "publish"] for model in POSTS},
        **{model: ["add", "view"] for model in TERMS},
        "image": ["add", "view"],
    },
    "Editor": {
        **{model: [*OWN, "publish", "edit_others"] for model in POSTS},
        **dict.fromkeys([*TERMS, "image"], OWN),
    },
}


def note_rights(apps, schema_editor):
    """Note what earlier versions gave the groups, which an administrator may have taken away."""
    role_groups = apps.get_model("calendar_app", "RoleGroup").objects
    for role, rights in RIGHTS.items():
        granted = sorted(f"{verb}_{model}" for model, verbs in rights.items() for verb in verbs)
        role_groups.using(schema_editor.connection.alias).filter(role=role).update(granted=granted)


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0012_delivery_sees_all")]

    operations = [
        migrations.AddField(
            model_name="rolegroup", name="granted", field=models.JSONField(default=list)
        ),
        migrations.RunPython(note_rights, migrations.RunPython.noop),
    ]
