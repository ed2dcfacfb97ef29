"""Parameters of the operation about commands."""

from rest_framework import serializers

from .options import Options


class RunCommand(Options):
    cmd = serializers.CharField(
        max_length=1000, help_text="One of the command lines that are allowed."
    )
