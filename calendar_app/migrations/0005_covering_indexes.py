from django.conf import settings
from django.db import migrations, models

# The tables that link events to terms are Django's own, which have no Meta to declare indexes in.
CREATE = (
    "CREATE INDEX calendar_app_event_{0}_{1}_event ON calendar_app_event_{0} ({1}_id, event_id)"
)
DROP = "DROP INDEX calendar_app_event_{0}_{1}_event"
TERMS = [("categories", "category"), ("tags", "tag")]


class Migration(migrations.Migration):
    dependencies = [
        ("calendar_app", "0004_change"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(model_name="event", name="calendar_event_list"),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                fields=["status", "start_utc", "id", "end_utc", "hide_from_listings", "password"],
                name="calendar_event_list",
            ),
        ),
        *(migrations.RunSQL(CREATE.format(*term), DROP.format(*term)) for term in TERMS),
    ]
