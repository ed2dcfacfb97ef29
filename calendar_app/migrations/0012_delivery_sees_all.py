from django.db import migrations, models


def take_what_waits_from_its_webhook(apps, schema_editor):
    """Let what waits for a webhook be sent to it; what the others have shown is not known."""
    deliveries = apps.get_model("calendar_app", "WebhookDelivery").objects
    waiting = deliveries.using(schema_editor.connection.alias).filter(status="waiting")
    waiting.filter(webhook__sees_all=False).update(sees_all=False)


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0011_history")]

    operations = [
        migrations.AddField(
            model_name="webhookdelivery",
            name="sees_all",
            field=models.BooleanField(
                default=True, editable=False, verbose_name="shows what the public may not see"
            ),
            preserve_default=False,
        ),
        migrations.RunPython(take_what_waits_from_its_webhook, migrations.RunPython.noop),
    ]
