"""The public HTML pages, which the ``url`` of each record names."""
