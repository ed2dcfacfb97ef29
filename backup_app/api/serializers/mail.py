"""What the operations on mailboxes accept."""

from rest_framework import serializers

from .options import Options


class MailboxOptions(Options):
    mailbox = serializers.CharField(max_length=254, help_text="Mail address, in any case.")


class MailboxSearch(Options):
    search = serializers.CharField(max_length=254, help_text="Part of a mail address, in any case.")
