"""All tables, as version 0.1.0 has them.

It stands for the migrations of before: a database that has had all of those has had this one.
"""

import calendar_app.models.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


# What TrigramExtension does needs psycopg, also where the database is another one.
EXTENSION = "CREATE EXTENSION IF NOT EXISTS pg_trgm"
# On what "icontains" compares: the upper case of a column's text.
SEARCHED = ["title", "description", "excerpt"]
INDEX = (
    "CREATE INDEX calendar_event_{0}_words ON calendar_app_event "
    'USING gin (UPPER("{0}"::text) gin_trgm_ops)'
)


def make_search_indexes(apps, schema_editor):
    """Make trigram indexes for the search of events where the database has them."""
    if schema_editor.connection.vendor == "postgresql":
        for statement in [EXTENSION, *map(INDEX.format, SEARCHED)]:
            schema_editor.execute(statement)


class Migration(migrations.Migration):

    replaces = [
        ('calendar_app', '0001_initial'),
        ('calendar_app', '0002_groups'),
        ('calendar_app', '0003_search_indexes'),
        ('calendar_app', '0004_source_version'),
        ('calendar_app', '0005_names'),
        ('calendar_app', '0006_lists_of_few'),
        ('calendar_app', '0007_cost_of_many_amounts'),
        ('calendar_app', '0008_counts_of_listed_events'),
        ('calendar_app', '0009_wrong_passwords'),
        ('calendar_app', '0010_tombstones'),
        ('calendar_app', '0011_tombstones_of_trash'),
    ]

    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name='Category',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('slug', models.SlugField(allow_unicode=True, blank=True, max_length=200, unique=True)),
                ('description', models.TextField(blank=True)),
                ('count', models.PositiveIntegerField(db_index=True, default=0, editable=False)),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='children', to='calendar_app.category')),
            ],
            options={
                'verbose_name_plural': 'categories',
                'ordering': ['name', 'id'],
                'abstract': False,
                'constraints': [
                    models.UniqueConstraint(django.db.models.functions.text.Lower('name'), models.F('parent'), name='calendar_category_name_unique_below_parent'),
                    models.UniqueConstraint(django.db.models.functions.text.Lower('name'), condition=models.Q(('parent', None)), name='calendar_category_name_unique_at_top'),
                    models.CheckConstraint(condition=models.Q(('parent', None), models.Q(('parent', models.F('id')), _negated=True), _connector='OR'), name='calendar_category_not_own_parent'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.ImageField(height_field='height', max_length=255, upload_to='calendar/%Y/%m/', width_field='width')),
                ('title', models.CharField(blank=True, max_length=255)),
                ('width', models.PositiveIntegerField(default=0, editable=False)),
                ('height', models.PositiveIntegerField(default=0, editable=False)),
                ('filesize', models.PositiveBigIntegerField(default=0, editable=False, help_text='bytes')),
                ('sizes', models.JSONField(default=dict, editable=False)),
                ('source_url', models.URLField(blank=True, db_index=True, help_text='Where it was fetched from.', max_length=2000)),
                ('created', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], default='publish', max_length=10)),
                ('status_before_trash', models.CharField(blank=True, choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], editable=False, max_length=10)),
                ('slug', models.SlugField(allow_unicode=True, blank=True, help_text='Made from the title when empty.', max_length=200)),
                ('description', models.TextField(blank=True)),
                ('excerpt', models.TextField(blank=True)),
                ('date', calendar_app.models.fields.WallTimeField(blank=True, help_text="In the site's time zone.", verbose_name='publication date')),
                ('date_utc', models.DateTimeField(editable=False)),
                ('modified', calendar_app.models.fields.WallTimeField(editable=False)),
                ('modified_utc', models.DateTimeField(db_index=True, editable=False)),
                ('image_url', models.URLField(blank=True, editable=False, help_text='Of an image still to be fetched.', max_length=2000)),
                ('source_id', models.CharField(blank=True, editable=False, max_length=255, null=True)),
                ('global_id_lineage', models.JSONField(blank=True, default=list, editable=False)),
                ('title', models.TextField()),
                ('all_day', models.BooleanField(default=False)),
                ('start_date', calendar_app.models.fields.WallTimeField(verbose_name='start')),
                ('end_date', calendar_app.models.fields.WallTimeField(verbose_name='end')),
                ('timezone', models.CharField(blank=True, help_text="The site's when empty.", max_length=64, verbose_name='time zone')),
                ('timezone_abbr', models.CharField(editable=False, max_length=64)),
                ('start_utc', models.DateTimeField(editable=False, verbose_name='start (UTC)')),
                ('end_utc', models.DateTimeField(editable=False, verbose_name='end (UTC)')),
                ('duration', models.PositiveBigIntegerField(editable=False, help_text='seconds')),
                ('cost', models.CharField(blank=True, max_length=2000)),
                ('website', models.URLField(blank=True, max_length=2000)),
                ('show_map', models.BooleanField(default=True)),
                ('show_map_link', models.BooleanField(default=True)),
                ('hide_from_listings', models.BooleanField(default=False)),
                ('sticky', models.BooleanField(default=False)),
                ('featured', models.BooleanField(default=False)),
                ('ticketed', models.BooleanField(default=False)),
                ('password', models.CharField(blank=True, editable=False, help_text='Hashed.', max_length=128)),
                ('custom_fields', models.JSONField(blank=True, default=dict)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('categories', models.ManyToManyField(blank=True, related_name='events', to='calendar_app.category')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='children', to='calendar_app.event')),
                ('image', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='calendar_app.image')),
            ],
            options={
                'ordering': ['start_utc', 'id'],
                'permissions': [('publish_event', 'Can publish events'), ('edit_others_event', 'Can edit the events of others')],
                'abstract': False,
                'indexes': [
                    models.Index(fields=['author', 'status'], name='calendar_event_author'),
                    models.Index(fields=['slug'], name='calendar_event_slug'),
                    models.Index(fields=['status', 'start_utc', 'id', 'end_utc', 'hide_from_listings'], name='calendar_event_list'),
                    models.Index(fields=['start_utc', 'id'], name='calendar_event_start'),
                    models.Index(fields=['duration'], name='calendar_event_duration'),
                    models.Index(condition=models.Q(('featured', True)), fields=['status', 'start_utc', 'id'], name='calendar_event_featured'),
                    models.Index(condition=models.Q(('ticketed', True)), fields=['status', 'start_utc', 'id'], name='calendar_event_ticketed'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('status', 'trash'), _negated=True), fields=('slug',), name='calendar_event_slug_unique'),
                    models.UniqueConstraint(fields=('source_id',), name='calendar_event_source_unique'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['publish', 'future', 'draft', 'pending', 'private', 'trash'])), name='calendar_event_status_known'),
                    models.CheckConstraint(condition=models.Q(('end_utc__gte', models.F('start_utc'))), name='calendar_event_ends_after_start'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Organizer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], default='publish', max_length=10)),
                ('status_before_trash', models.CharField(blank=True, choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], editable=False, max_length=10)),
                ('slug', models.SlugField(allow_unicode=True, blank=True, help_text='Made from the title when empty.', max_length=200)),
                ('description', models.TextField(blank=True)),
                ('excerpt', models.TextField(blank=True)),
                ('date', calendar_app.models.fields.WallTimeField(blank=True, help_text="In the site's time zone.", verbose_name='publication date')),
                ('date_utc', models.DateTimeField(editable=False)),
                ('modified', calendar_app.models.fields.WallTimeField(editable=False)),
                ('modified_utc', models.DateTimeField(db_index=True, editable=False)),
                ('image_url', models.URLField(blank=True, editable=False, help_text='Of an image still to be fetched.', max_length=2000)),
                ('source_id', models.CharField(blank=True, editable=False, max_length=255, null=True)),
                ('global_id_lineage', models.JSONField(blank=True, default=list, editable=False)),
                ('name', models.CharField(max_length=255)),
                ('phone', models.CharField(blank=True, max_length=64)),
                ('website', models.URLField(blank=True, max_length=2000)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('image', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='calendar_app.image')),
                ('source_version', models.CharField(blank=True, editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-date_utc', '-id'],
                'permissions': [('publish_organizer', 'Can publish organizers'), ('edit_others_organizer', 'Can edit the organizers of others')],
                'abstract': False,
                'indexes': [
                    models.Index(fields=['author', 'status'], name='calendar_organizer_author'),
                    models.Index(fields=['slug'], name='calendar_organizer_slug'),
                    models.Index(fields=['status', '-date_utc', '-id'], name='calendar_organizer_list'),
                    models.Index(django.db.models.functions.text.Lower('name'), name='calendar_organizer_name'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('status', 'trash'), _negated=True), fields=('slug',), name='calendar_organizer_slug_unique'),
                    models.UniqueConstraint(fields=('source_id',), name='calendar_organizer_source_unique'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['publish', 'future', 'draft', 'pending', 'private', 'trash'])), name='calendar_organizer_status_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='EventOrganizer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='organizer_links', to='calendar_app.event')),
                ('organizer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='event_links', to='calendar_app.organizer')),
            ],
            options={
                'ordering': ['position', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('organizer', 'event'), name='calendar_event_organizer_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='event',
            name='organizers',
            field=models.ManyToManyField(blank=True, related_name='events', through='calendar_app.EventOrganizer', to='calendar_app.organizer'),
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stamp', models.PositiveBigIntegerField(default=0)),
                ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('pk', 1)), name='calendar_revision_single_row')],
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('slug', models.SlugField(allow_unicode=True, blank=True, max_length=200, unique=True)),
                ('description', models.TextField(blank=True)),
                ('count', models.PositiveIntegerField(db_index=True, default=0, editable=False)),
            ],
            options={
                'ordering': ['name', 'id'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='calendar_tag_name_unique')],
            },
        ),
        migrations.AddField(
            model_name='event',
            name='tags',
            field=models.ManyToManyField(blank=True, related_name='events', to='calendar_app.tag'),
        ),
        migrations.CreateModel(
            name='Venue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], default='publish', max_length=10)),
                ('status_before_trash', models.CharField(blank=True, choices=[('publish', 'Published'), ('future', 'Scheduled'), ('draft', 'Draft'), ('pending', 'Pending review'), ('private', 'Private'), ('trash', 'In the trash')], editable=False, max_length=10)),
                ('slug', models.SlugField(allow_unicode=True, blank=True, help_text='Made from the title when empty.', max_length=200)),
                ('description', models.TextField(blank=True)),
                ('excerpt', models.TextField(blank=True)),
                ('date', calendar_app.models.fields.WallTimeField(blank=True, help_text="In the site's time zone.", verbose_name='publication date')),
                ('date_utc', models.DateTimeField(editable=False)),
                ('modified', calendar_app.models.fields.WallTimeField(editable=False)),
                ('modified_utc', models.DateTimeField(db_index=True, editable=False)),
                ('image_url', models.URLField(blank=True, editable=False, help_text='Of an image still to be fetched.', max_length=2000)),
                ('source_id', models.CharField(blank=True, editable=False, max_length=255, null=True)),
                ('global_id_lineage', models.JSONField(blank=True, default=list, editable=False)),
                ('name', models.CharField(max_length=255)),
                ('address', models.CharField(blank=True, max_length=255)),
                ('city', models.CharField(blank=True, max_length=255)),
                ('country', models.CharField(blank=True, max_length=255)),
                ('province', models.CharField(blank=True, max_length=255)),
                ('state', models.CharField(blank=True, max_length=255)),
                ('zip', models.CharField(blank=True, max_length=64)),
                ('phone', models.CharField(blank=True, max_length=64)),
                ('website', models.URLField(blank=True, max_length=2000)),
                ('stateprovince', models.CharField(blank=True, help_text='Follows the country when empty.', max_length=255, verbose_name='state or province')),
                ('geo_lat', models.FloatField(blank=True, help_text='degrees, -90 to 90', null=True, verbose_name='latitude')),
                ('geo_lng', models.FloatField(blank=True, help_text='degrees, -180 to 180', null=True, verbose_name='longitude')),
                ('show_map', models.BooleanField(default=True)),
                ('show_map_link', models.BooleanField(default=True)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('image', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='calendar_app.image')),
                ('source_version', models.CharField(blank=True, editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-date_utc', '-id'],
                'permissions': [('publish_venue', 'Can publish venues'), ('edit_others_venue', 'Can edit the venues of others')],
                'abstract': False,
                'indexes': [
                    models.Index(fields=['author', 'status'], name='calendar_venue_author'),
                    models.Index(fields=['slug'], name='calendar_venue_slug'),
                    models.Index(fields=['status', '-date_utc', '-id'], name='calendar_venue_list'),
                    models.Index(fields=['geo_lat', 'geo_lng'], name='calendar_venue_position'),
                    models.Index(django.db.models.functions.text.Lower('name'), name='calendar_venue_name'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('status', 'trash'), _negated=True), fields=('slug',), name='calendar_venue_slug_unique'),
                    models.UniqueConstraint(fields=('source_id',), name='calendar_venue_source_unique'),
                    models.CheckConstraint(condition=models.Q(('status__in', ['publish', 'future', 'draft', 'pending', 'private', 'trash'])), name='calendar_venue_status_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('geo_lat', None), ('geo_lng', None)), models.Q(('geo_lat__range', (-90, 90)), ('geo_lng__range', (-180, 180))), _connector='OR'), name='calendar_venue_position_on_earth'),
                ],
            },
        ),
        migrations.CreateModel(
            name='EventVenue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='venue_links', to='calendar_app.event')),
                ('venue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='event_links', to='calendar_app.venue')),
            ],
            options={
                'ordering': ['position', 'id'],
                'constraints': [
                    models.UniqueConstraint(fields=('venue', 'event'), name='calendar_event_venue_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='event',
            name='venues',
            field=models.ManyToManyField(blank=True, related_name='events', through='calendar_app.EventVenue', to='calendar_app.venue'),
        ),
        migrations.AddField(
            model_name='event',
            name='source_version',
            field=models.CharField(blank=True, editable=False, max_length=64),
        ),
        migrations.CreateModel(
            name='WrongPassword',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('network', models.CharField(max_length=45)),
                ('time', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='calendar_app.event')),
            ],
            options={
                'indexes': [models.Index(fields=['network', 'time'], name='calendar_wrong_passwords')],
            },
        ),
        migrations.CreateModel(
            name='Tombstone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10)),
                ('record_id', models.PositiveBigIntegerField()),
                ('audience', models.CharField(choices=[('public', 'The public'), ('writers', 'The author and editors'), ('author', 'A former author')], max_length=10)),
                ('modified_utc', models.DateTimeField()),
                ('source_id', models.CharField(blank=True, max_length=255)),
                ('start_utc', models.DateTimeField(null=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['modified_utc', 'id'],
                'indexes': [models.Index(fields=['kind', 'modified_utc', 'id'], name='calendar_tombstone_list'), models.Index(fields=['kind', 'record_id'], name='calendar_tombstone_record')],
            },
        ),
        migrations.RunPython(make_search_indexes, migrations.RunPython.noop),
    ]
