"""The Bacula engine, which drives a Director that backs up many machines."""

from .engine import BaculaEngine

__all__ = ["BaculaEngine"]
