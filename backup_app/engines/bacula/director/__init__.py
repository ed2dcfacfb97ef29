"""Talks to the Director's console, and starts and follows jobs there."""
