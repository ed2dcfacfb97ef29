"""Django's tasks: since Django 6 its own, before that the backport ``django_tasks``."""

import django

if django.VERSION >= (6, 0):
    from django.tasks import default_task_backend, task
else:
    from django_tasks import (  # type: ignore[assignment,no-redef]
        default_task_backend,
        task,
    )

__all__ = ["default_task_backend", "task"]
