"""Parameters and answer of the operation that runs commands."""

from rest_framework import serializers

from .answer import Answer
from .options import Options


class RunCommand(Options):
    cmd = serializers.CharField(
        max_length=1000, help_text="One of the command lines that are allowed."
    )


# --- Answers ---


class CommandResult(Answer):
    result = serializers.CharField(allow_blank=True)
