"""The wheel: what is in it, and projects that it is installed in."""
