def counted(numbers):
    """Return ``{model: number}`` in words, in its order: ``2 events, 1 venue and 3 tags``."""
    parts = [
        f"{number} {model._meta.verbose_name if number == 1 else model._meta.verbose_name_plural}"
        for model, number in numbers.items()
        if number
    ]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
