"""What the operations on mailboxes accept."""

from rest_framework import serializers

from .options import Options


class MailboxOptions(Options):
    mailbox = serializers.CharField(max_length=254, help_text="A mail address, in any case.")


class MailboxSearch(Options):
    search = serializers.CharField(max_length=254, help_text="A part of a mail address.")
