"""Answers of the operations on downloads."""

from rest_framework import serializers

from ...models import Download
from .answer import Answer


class DownloadPreparing(Answer):
    file_name = serializers.CharField()
    state = serializers.ChoiceField([Download.State.PREPARING])


class DownloadReady(Answer):
    file_name = serializers.CharField()
    size = serializers.IntegerField()
    chunks = serializers.IntegerField()
    chunk_size = serializers.IntegerField()
    state = serializers.ChoiceField([Download.State.READY])
