from django.apps import AppConfig


class ProjectConfig(AppConfig):
    name = "config"
    verbose_name = "Operation"
    default_auto_field = "django.db.models.BigAutoField"
