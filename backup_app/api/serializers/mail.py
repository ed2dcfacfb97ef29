"""Parameters and answers of the operations on mailboxes."""

from rest_framework import serializers

from .answer import Answer, LocalTimeField
from .fields import Options


class MailboxOptions(Options):
    mailbox = serializers.CharField(max_length=254, help_text="Mail address, in any case.")


class MailboxSearch(Options):
    search = serializers.CharField(max_length=254, help_text="Part of a mail address, in any case.")


# --- Answers ---


class PstFile(Answer):
    mailbox = serializers.CharField()
    file = serializers.CharField(source="pst_path")
    file_id = serializers.IntegerField(source="pst_file_id", allow_null=True)
    job_id = serializers.IntegerField(allow_null=True)
    size = serializers.IntegerField(source="pst_size", allow_null=True)
    mtime = LocalTimeField(source="pst_mtime", allow_null=True)


class StorePath(Answer):
    mailbox = serializers.CharField()
    path = serializers.CharField(source="store_path")


class Mailboxes(Answer):
    mailboxes = serializers.ListField(child=serializers.CharField())
