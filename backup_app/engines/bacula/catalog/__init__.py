"""Reads Bacula's tables in PostgreSQL; imports no other room of this engine."""
