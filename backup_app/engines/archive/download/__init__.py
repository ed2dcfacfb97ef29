"""Downloads: planning the tar of a view, and reading any part of it from the volumes."""
