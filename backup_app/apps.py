from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "backup_app"
    verbose_name = "Backup service"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from . import checks  # noqa: F401
