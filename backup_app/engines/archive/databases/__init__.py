"""Dumping and loading the databases of clients, with the tools of their servers."""
