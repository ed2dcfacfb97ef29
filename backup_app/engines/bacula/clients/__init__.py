"""The configuration, commands and databases of clients."""
