"""Where a rule's messages may go."""

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from ..conf import conf
from ..exceptions import Invalid
from ..lib import posting
from ..models import AlertRule

MAX_ADDRESSES = 20


def cleaned(channel: str, target: str) -> str:
    """Return a target without surplus blanks; raises Invalid if nothing can be sent there."""
    if channel == AlertRule.Channel.WEBHOOK:
        return _webhook(target.strip())
    return _addresses(target)


def _webhook(url: str) -> str:
    try:
        posting.check(url, conf.webhook_networks)
    except posting.PostError as e:
        raise Invalid({"target": [str(e)]}) from e
    return url


def _addresses(target: str) -> str:
    addresses = AlertRule(target=target).addresses
    if not 1 <= len(addresses) <= MAX_ADDRESSES:
        sentence = f"Name 1 to {MAX_ADDRESSES} e-mail addresses, separated by commas."
        raise Invalid({"target": [sentence]})
    for address in addresses:
        try:
            validate_email(address)
        except ValidationError as e:
            raise Invalid({"target": [f"'{address}' is not an e-mail address."]}) from e
    return ", ".join(addresses)
