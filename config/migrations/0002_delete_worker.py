"""Workers become the backup app's: those that died before this are taken over after it."""

from django.db import migrations


def copy(apps, schema_editor):
    workers = apps.get_model("config", "Worker").objects.all()
    moved = apps.get_model("backup_app", "Worker")
    moved.objects.bulk_create(
        moved(name=row.name, process=row.host, started=row.started, seen=row.seen)
        for row in workers
    )


class Migration(migrations.Migration):
    dependencies = [("config", "0001_initial"), ("backup_app", "0002_worker")]

    operations = [
        migrations.RunPython(copy, migrations.RunPython.noop),
        migrations.DeleteModel("Worker"),
    ]
