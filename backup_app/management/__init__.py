"""Management commands, and their shared parts."""
