from django.db import migrations


def bury_trash(apps, schema_editor):
    """Leave tombstones of what is in the trash already."""
    tombstone = apps.get_model("calendar_app", "Tombstone")
    for kind in ("event", "venue", "organizer"):
        trash = apps.get_model("calendar_app", kind).objects.filter(status="trash")
        for post in trash.iterator():
            # What was hidden had left all lists before.
            if getattr(post, "hide_from_listings", False):
                continue
            was_public = post.status_before_trash == "publish"
            tombstone.objects.bulk_create(
                tombstone(
                    kind=kind,
                    record_id=post.pk,
                    audience=audience,
                    author_id=post.author_id,
                    modified_utc=post.modified_utc,
                    source_id=post.source_id or "",
                    start_utc=getattr(post, "start_utc", None),
                )
                for audience in (["public", "writers"] if was_public else ["writers"])
            )


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0010_tombstones")]

    operations = [migrations.RunPython(bury_trash, migrations.RunPython.noop)]
