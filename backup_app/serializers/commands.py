"""Parameters of the operation about commands."""

from rest_framework import serializers

from .options import Options


class RunCommand(Options):
    cmd = serializers.CharField(max_length=1000, help_text="A command line that is allowed.")
