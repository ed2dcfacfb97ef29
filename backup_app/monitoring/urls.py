"""The route of the metrics, for the place in a project where Prometheus looks: ``/metrics``."""

from django.urls import path

from .views import metrics

urlpatterns = [path("metrics", metrics, name="metrics")]
