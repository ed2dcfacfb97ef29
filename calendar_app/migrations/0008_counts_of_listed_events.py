from django.db import migrations
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce


def recount(apps, schema_editor):
    """Count for each term the events that the public finds in lists."""
    event = apps.get_model("calendar_app", "Event")
    for name, field in [("category", "categories"), ("tag", "tags")]:
        counts = (
            getattr(event, field)
            .through.objects.filter(
                **{name: OuterRef("pk")},
                event__status="publish",
                event__hide_from_listings=False,
                event__password="",
            )
            .order_by()
            .values(name)
            .annotate(number=Count("pk"))
            .values("number")
        )
        apps.get_model("calendar_app", name).objects.update(count=Coalesce(Subquery(counts), 0))


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0007_cost_of_many_amounts")]

    operations = [migrations.RunPython(recount, migrations.RunPython.noop)]
