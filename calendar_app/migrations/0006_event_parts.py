import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("calendar_app", "0005_covering_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="children",
                to="calendar_app.event",
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                fields=["parent", "start_utc", "id"],
                condition=models.Q(("parent__isnull", False)),
                name="calendar_app_event_parent_id",
            ),
        ),
    ]
