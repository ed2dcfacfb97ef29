"""The files of a storage: labels, volumes with their tar, manifests; and how they are removed."""
