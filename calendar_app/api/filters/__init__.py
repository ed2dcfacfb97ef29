"""The query parameters of each list, as django-filter filtersets."""
