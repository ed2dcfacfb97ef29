"""Callers and what they may do: API keys, logins, rights, subusers, throttling and the audit."""
