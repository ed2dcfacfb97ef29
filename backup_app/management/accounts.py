from django.contrib.auth import get_user_model
from django.core.management.base import CommandError


def account_by_email(email):
    """Return the account with an e-mail address; raises CommandError unless exactly one has it."""
    accounts = list(get_user_model().objects.filter(email__iexact=email)[:2])
    if len(accounts) != 1:
        number = "Several accounts have" if accounts else "No account has"
        raise CommandError(f"{number} the e-mail address '{email}'.")
    return accounts[0]
