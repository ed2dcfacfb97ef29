"""Helpers that know no noun of this app and could be published by themselves."""
