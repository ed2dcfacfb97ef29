"""Bacula: a Director that runs the backups of many machines, which this engine drives."""

from .engine import BaculaEngine

__all__ = ["BaculaEngine"]
