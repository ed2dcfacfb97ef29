"""What runs on clients: their configuration, commands and databases."""
