"""The backup service's tables."""

from .account import AccountAccess, ApiKey, LoginAttempt
from .alert import AlertDelivery, AlertRule, AlertState
from .audit import AuditEntry
from .catalog import Entry, Folder, FolderNames, Volume
from .client import Client
from .download import Download
from .fileset import Fileset
from .job import Fault, Job, JobLog, JobSource
from .mailbox import Mailbox
from .maintenance import MaintenancePlan, MaintenanceRun
from .pool import Pool
from .staff_group import StaffGroup
from .storage import Storage, Zone
from .subuser import Grant, Subuser
from .usage import Usage
from .worker import Worker

__all__ = [
    "AccountAccess",
    "AlertDelivery",
    "AlertRule",
    "AlertState",
    "ApiKey",
    "AuditEntry",
    "Client",
    "Download",
    "Entry",
    "Fault",
    "Fileset",
    "Folder",
    "FolderNames",
    "Grant",
    "Job",
    "JobLog",
    "JobSource",
    "LoginAttempt",
    "Mailbox",
    "MaintenancePlan",
    "MaintenanceRun",
    "Pool",
    "StaffGroup",
    "Storage",
    "Subuser",
    "Usage",
    "Volume",
    "Worker",
    "Zone",
]
