"""All tables, as version 0.1.0 has them.

It stands for the migrations of before: a database that has had all of those has had this one.
"""

import backup_app.models.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('backup_app', '0001_initial'),
        ('backup_app', '0002_engine_names'),
        ('backup_app', '0003_storage_label'),
        ('backup_app', '0004_fault'),
        ('backup_app', '0005_login_attempts'),
        ('backup_app', '0006_leftovers'),
    ]

    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name='Storage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(unique=True)),
                ('kind', models.CharField(choices=[('folder', 'Folder'), ('device', 'device of the engine')], default='folder', editable=False, max_length=30)),
                ('path', models.CharField(blank=True, help_text='Absolute path of the folder.', max_length=500)),
                ('capacity', models.PositiveBigIntegerField(blank=True, help_text='Bytes that may be used; empty for the whole disk.', null=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Zone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(unique=True)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('engine', models.CharField(default='default', help_text='Alias of an engine in BACKUP_ENGINES.', max_length=50)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(blank=True, help_text='What the key is for.', max_length=100)),
                ('prefix', models.CharField(editable=False, max_length=12, unique=True)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expires', models.DateTimeField(blank=True, null=True)),
                ('revoked', models.DateTimeField(blank=True, editable=False, null=True)),
                ('last_used', models.DateTimeField(blank=True, editable=False, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_api_keys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'API key',
                'ordering': ['-created', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Fileset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('include', models.JSONField(default=list)),
                ('exclude', models.JSONField(blank=True, default=list)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('databases', models.JSONField(blank=True, default=list)),
                ('verify', models.BooleanField(default=False, help_text='Verify each backup once it is complete.')),
                ('schedule', models.CharField(blank=True, help_text='Cron expression for clients without one of their own.', max_length=100)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_filesets', to=settings.AUTH_USER_MODEL)),
                ('engine_name', models.CharField(blank=True, help_text='Its name in the engine, if it was adopted from there; otherwise empty.', max_length=127)),
            ],
            options={
                'ordering': ['name', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'name'), name='fileset_name_of_account'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Client',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('ip', models.GenericIPAddressField(unpack_ipv4=True, verbose_name='IP address')),
                ('internal_ip', models.GenericIPAddressField(blank=True, null=True, unpack_ipv4=True, verbose_name='internal IP address')),
                ('system', models.CharField(choices=[('unix', 'Unix'), ('windows', 'Windows')], default='unix', max_length=10)),
                ('schedule', models.CharField(blank=True, help_text='Cron expression, such as 30 2 * * *.', max_length=100)),
                ('scheduled', models.DateTimeField(blank=True, editable=False, help_text='Scheduled backups up to this time have been started.', null=True)),
                ('connection', models.CharField(choices=[('ssh', 'over SSH'), ('local', 'this machine'), ('agent', 'through an agent')], default='ssh', max_length=10)),
                ('ssh_user', models.CharField(default='root', max_length=64, verbose_name='SSH user')),
                ('ssh_port', models.PositiveIntegerField(default=22, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(65535)], verbose_name='SSH port')),
                ('host_key', models.TextField(blank=True, help_text='Pinned public keys of its SSH server, one per line: type and key.')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('deleted', models.DateTimeField(blank=True, db_index=True, editable=False, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_clients', to=settings.AUTH_USER_MODEL)),
                ('fileset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='clients', to='backup_app.fileset')),
            ],
            options={
                'ordering': ['name', 'id'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('account', 'name'), name='client_name_of_account'),
                    models.UniqueConstraint(condition=models.Q(('deleted', None)), fields=('account', 'ip'), name='client_ip_of_account'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Folder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', backup_app.models.fields.BytesField()),
                ('path', backup_app.models.fields.BytesField()),
                ('path_hash', backup_app.models.fields.BytesField(max_length=16)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='folders', to='backup_app.client')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='folders', to='backup_app.folder')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.UniqueConstraint(fields=('client', 'path_hash'), name='folder_of_a_client'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='backup_app.client')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('type', models.CharField(choices=[('backup', 'Backup'), ('restore', 'Restore'), ('verify', 'Verify')], max_length=10)),
                ('level', models.CharField(blank=True, choices=[('Full', 'Full'), ('Differential', 'Differential'), ('Incremental', 'Incremental')], max_length=12, null=True)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('canceling', 'Canceling'), ('completed', 'Completed'), ('warnings', 'Warnings'), ('failed', 'Failed'), ('canceled', 'Canceled')], default='queued', max_length=10)),
                ('engine', models.CharField(help_text='Alias of an engine in BACKUP_ENGINES.', max_length=50)),
                ('request', models.JSONField(blank=True, default=dict)),
                ('requested_by', models.CharField(blank=True, max_length=254)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('started', models.DateTimeField(blank=True, null=True)),
                ('ended', models.DateTimeField(blank=True, null=True)),
                ('files', models.PositiveBigIntegerField(default=0)),
                ('bytes', models.PositiveBigIntegerField(default=0)),
                ('stored_bytes', models.PositiveBigIntegerField(default=0)),
                ('errors', models.PositiveIntegerField(default=0)),
                ('files_done', models.PositiveBigIntegerField(default=0)),
                ('bytes_done', models.PositiveBigIntegerField(default=0)),
                ('bytes_expected', models.PositiveBigIntegerField(default=0)),
                ('message', models.CharField(blank=True, max_length=1000)),
                ('worker', models.CharField(blank=True, max_length=300)),
                ('seen', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_jobs', to=settings.AUTH_USER_MODEL)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='backup_app.client')),
                ('fileset', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='jobs', to='backup_app.fileset')),
                ('parent', models.ForeignKey(blank=True, help_text='The backup that this one builds on, restores or verifies.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='children', to='backup_app.job')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [
                    models.Index(fields=['client', 'type', 'status', 'id'], name='jobs_of_a_client'),
                    models.Index(fields=['account', 'status', 'id'], name='jobs_of_an_account'),
                    models.Index(fields=['account', 'id'], name='jobs_newest_first'),
                    models.Index(fields=['client', 'id'], name='jobs_of_a_client_newest'),
                    models.Index(fields=['client', 'started'], name='jobs_by_start'),
                    models.Index(condition=models.Q(('status__in', ['queued', 'running', 'canceling'])), fields=['status', 'seen'], name='open_jobs'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('status__in', ['running', 'canceling'])), fields=('client',), name='one_job_at_work_a_client'),
                    models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running', 'canceling']), ('type', 'backup')), fields=('client',), name='one_open_backup_a_client'),
                    models.CheckConstraint(condition=models.Q(('ended', None), ('started', None), ('ended__gte', models.F('started')), _connector='OR'), name='job_ends_after_start'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', backup_app.models.fields.BytesField()),
                ('kind', models.CharField(choices=[('f', 'file'), ('d', 'directory'), ('l', 'symlink'), ('h', 'hardlink'), ('p', 'fifo'), ('b', 'device'), ('-', 'gone')], max_length=1)),
                ('size', models.BigIntegerField(default=0)),
                ('mtime_ns', models.BigIntegerField(default=0)),
                ('ctime_ns', models.BigIntegerField(default=0)),
                ('inode', models.BigIntegerField(default=0)),
                ('mode', models.PositiveIntegerField(default=0)),
                ('owner', models.CharField(blank=True, max_length=100)),
                ('group', models.CharField(blank=True, max_length=100)),
                ('target', backup_app.models.fields.BytesField(default=b'')),
                ('sha256', backup_app.models.fields.BytesField(max_length=32, null=True)),
                ('offset', models.BigIntegerField(default=0)),
                ('length', models.BigIntegerField(default=0)),
                ('folder', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='backup_app.folder')),
                ('node', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='backup_app.folder')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='backup_app.job')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['id'],
                'indexes': [
                    models.Index(condition=models.Q(('node__isnull', False)), fields=['node'], name='entries_of_a_node'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('folder', 'name', 'job'), name='entry_of_a_job'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Download',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('preparing', 'Preparing'), ('ready', 'Ready'), ('failed', 'Failed')], default='preparing', max_length=10)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('plan', models.BinaryField(default=b'')),
                ('message', models.CharField(blank=True, max_length=1000)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='download', to='backup_app.job')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='JobLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('time', models.DateTimeField(default=django.utils.timezone.now)),
                ('level', models.CharField(choices=[('info', 'Info'), ('warning', 'Warning'), ('error', 'Error')], default='info', max_length=10)),
                ('message', models.TextField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='backup_app.job')),
            ],
            options={
                'verbose_name': 'job log line',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='JobSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='source_links', to='backup_app.job')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dependent_links', to='backup_app.job')),
            ],
            options={
                'ordering': ['source_id'],
                'constraints': [
                    models.UniqueConstraint(fields=('job', 'source'), name='source_of_a_job'),
                ],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='sources',
            field=models.ManyToManyField(related_name='dependents', through='backup_app.JobSource', to='backup_app.job'),
        ),
        migrations.CreateModel(
            name='Mailbox',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mailbox', models.CharField(max_length=254)),
                ('store_path', models.CharField(blank=True, max_length=4096)),
                ('pst_path', models.CharField(blank=True, max_length=4096)),
                ('pst_file_id', models.BigIntegerField(blank=True, null=True)),
                ('pst_size', models.BigIntegerField(blank=True, null=True)),
                ('pst_mtime', models.DateTimeField(blank=True, null=True)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mailboxes', to='backup_app.client')),
                ('job', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mailboxes', to='backup_app.job')),
            ],
            options={
                'verbose_name_plural': 'mailboxes',
                'ordering': ['mailbox'],
                'constraints': [
                    models.UniqueConstraint(fields=('client', 'mailbox'), name='mailbox_of_a_client'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Pool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('retention_days', models.PositiveIntegerField(default=30, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(36500)])),
                ('keep_full', models.PositiveIntegerField(default=1, help_text='Number of full backups kept per client, however old they are.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)])),
                ('quota_bytes', models.PositiveBigIntegerField(blank=True, help_text='Bytes that backups may take; empty for no limit.', null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_pools', to=settings.AUTH_USER_MODEL)),
                ('storage', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='backup_app.storage')),
                ('engine_name', models.CharField(blank=True, help_text='Its name in the engine, if it was adopted from there; otherwise empty.', max_length=127)),
            ],
            options={
                'ordering': ['name', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'name'), name='pool_name_of_account'),
                ],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='pool',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='backup_app.pool'),
        ),
        migrations.AddField(
            model_name='client',
            name='pool',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='clients', to='backup_app.pool'),
        ),
        migrations.AddField(
            model_name='job',
            name='storage',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='backup_app.storage'),
        ),
        migrations.CreateModel(
            name='Subuser',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('login', models.CharField(max_length=100, unique=True)),
                ('first_name', models.CharField(max_length=100)),
                ('last_name', models.CharField(max_length=100)),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail')),
                ('password', models.CharField(editable=False, max_length=128)),
                ('bmr', models.BooleanField(default=False, help_text='May restore whole machines.', verbose_name='bare metal restore')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backup_subusers', to=settings.AUTH_USER_MODEL)),
                ('clients', models.ManyToManyField(related_name='subusers', through='backup_app.Grant', to='backup_app.client')),
            ],
            options={
                'ordering': ['login'],
            },
        ),
        migrations.AddField(
            model_name='grant',
            name='subuser',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='backup_app.subuser'),
        ),
        migrations.CreateModel(
            name='Volume',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(help_text="Relative to the storage's folder.", max_length=500)),
                ('size', models.PositiveBigIntegerField()),
                ('tar_size', models.PositiveBigIntegerField()),
                ('sha256', backup_app.models.fields.BytesField(max_length=32)),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='volume', to='backup_app.job')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='storage',
            name='zone',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='storages', to='backup_app.zone'),
        ),
        migrations.AddField(
            model_name='client',
            name='zone',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='clients', to='backup_app.zone'),
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('time', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('login', models.CharField(help_text='The login that the request was made with.', max_length=254)),
                ('operation', models.CharField(max_length=50)),
                ('target', models.CharField(blank=True, max_length=500)),
                ('outcome', models.CharField(choices=[('done', 'Done'), ('refused', 'Refused'), ('wrong login', 'Wrong Login')], max_length=12)),
                ('detail', models.CharField(blank=True, max_length=500)),
                ('address', models.CharField(blank=True, max_length=45)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='backup_audit', to=settings.AUTH_USER_MODEL)),
                ('count', models.PositiveIntegerField(default=1)),
                ('hour', models.DateTimeField(editable=False, null=True)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-time', '-id'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('hour__isnull', False)), fields=('hour', 'address', 'login'), name='audit_wrong_login_in_hour'),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.UniqueConstraint(fields=('subuser', 'client'), name='grant_of_a_client'),
        ),
        migrations.AddField(
            model_name='client',
            name='agent_port',
            field=models.PositiveIntegerField(default=9102, help_text="Port on which the engine's agent listens.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(65535)]),
        ),
        migrations.AddField(
            model_name='client',
            name='engine_name',
            field=models.CharField(blank=True, help_text='Its name in the engine, if it was adopted from there; otherwise empty.', max_length=127),
        ),
        migrations.AddField(
            model_name='job',
            name='engine_job_id',
            field=models.BigIntegerField(blank=True, editable=False, null=True, verbose_name="engine's job ID"),
        ),
        migrations.AddField(
            model_name='job',
            name='engine_state',
            field=models.JSONField(blank=True, default=dict, editable=False),
        ),
        migrations.AddField(
            model_name='storage',
            name='engine_name',
            field=models.CharField(blank=True, help_text='Its name in the engine, if it was adopted from there; otherwise empty.', max_length=127),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(fields=('engine', 'engine_job_id'), name='one_job_an_engine_job'),
        ),
        migrations.AddField(
            model_name='storage',
            name='label',
            field=models.UUIDField(blank=True, editable=False, null=True, unique=True),
        ),
        migrations.CreateModel(
            name='Fault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(max_length=300)),
                ('message', models.CharField(max_length=1000)),
                ('seen', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='LoginAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(help_text='Service that the login was for.', max_length=20)),
                ('login', models.CharField(help_text='Digest of the login.', max_length=64)),
                ('network', models.CharField(max_length=45)),
                ('failed', models.BooleanField(default=True)),
                ('time', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['login', 'time'], name='attempts_of_login'),
                    models.Index(fields=['network', 'time'], name='attempts_of_network'),
                ],
            },
        ),
        migrations.AddField(
            model_name='job',
            name='has_leftovers',
            field=models.BooleanField(default=False, editable=False, help_text='Data of an unsuccessful job could not be removed yet.'),
        ),
        migrations.AddIndex(
            model_name='job',
            index=models.Index(condition=models.Q(('has_leftovers', True)), fields=['id'], name='jobs_with_leftovers'),
        ),
    ]
