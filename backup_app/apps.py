from django.apps import AppConfig, apps


class BackupConfig(AppConfig):
    name = "backup_app"
    verbose_name = "Backup service"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from django.db.models.signals import post_migrate

        from . import checks  # noqa: F401
        from .services import staff_groups

        post_migrate.connect(staff_groups.make_groups, sender=self)
        if apps.is_installed("django_tasks_db"):
            self._recover_in_workers()

    def _recover_in_workers(self):
        from django.db.models.signals import post_migrate
        from django_tasks_db.compat import task_started

        from .jobs import heartbeat

        task_started.connect(heartbeat.beat_from_first_task)
        post_migrate.connect(heartbeat.wake_after_migrate, sender=self)
