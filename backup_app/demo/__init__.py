"""The demo: a client of this machine with a folder of small files."""
