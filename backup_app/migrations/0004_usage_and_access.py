import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def keep_what_staff_saw(apps, schema_editor):
    """Let everyone who has permissions of ours see all accounts, as they did before.

    A new database has no such users and groups yet.
    """
    using = schema_editor.connection.alias
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    users = apps.get_model(settings.AUTH_USER_MODEL).objects.using(using)
    ours = permissions.filter(content_type__app_label="backup_app")
    groups = apps.get_model("auth", "Group").objects.using(using)
    seeing = [
        *groups.filter(permissions__in=ours).distinct(),
        *users.filter(user_permissions__in=ours).distinct(),
    ]
    if not seeing:
        return
    types = apps.get_model("contenttypes", "ContentType").objects.using(using)
    kind, _ = types.get_or_create(app_label="backup_app", model="accountaccess")
    sees_all, _ = permissions.get_or_create(
        content_type=kind,
        codename="all_accounts",
        defaults={"name": "Can see the backups of all accounts"},
    )
    for one in seeing:
        held = one.permissions if hasattr(one, "permissions") else one.user_permissions
        held.add(sees_all)


class Migration(migrations.Migration):

    dependencies = [
        ('backup_app', '0003_restore_report'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name_plural': 'account access',
                'ordering': ['user', 'account'],
                'permissions': [('all_accounts', 'Can see the backups of all accounts')],
            },
        ),
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('protected_bytes', models.PositiveBigIntegerField(default=0)),
                ('stored_bytes', models.PositiveBigIntegerField(default=0)),
            ],
            options={
                'verbose_name_plural': 'usage',
                'ordering': ['day', 'id'],
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('status', 'failed')), fields=['ended'], name='failed_jobs'),
        ),
        migrations.AddField(
            model_name='accountaccess',
            name='account',
            field=models.ForeignKey(help_text='Whose records.', on_delete=django.db.models.deletion.CASCADE, related_name='backup_staff', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='accountaccess',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_access', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='usage',
            name='account',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_usage', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='usage',
            name='storage',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='usage', to='backup_app.storage'),
        ),
        migrations.AddConstraint(
            model_name='accountaccess',
            constraint=models.UniqueConstraint(fields=('user', 'account'), name='access_to_an_account'),
        ),
        migrations.AddConstraint(
            model_name='usage',
            constraint=models.UniqueConstraint(fields=('day', 'account', 'storage'), name='usage_of_a_day'),
        ),
        migrations.RunPython(keep_what_staff_saw, migrations.RunPython.noop),
    ]
