"""The configuration files of a throwaway Bacula, as an operator would have written them."""

DIRECTOR = """\
Director {{
  Name = {director}
  DirAddress = {address}
  DirPort = {port}
  QueryFile = "/etc/bacula/scripts/query.sql"
  WorkingDirectory = "{folder}/work"
  PidDirectory = "{folder}/work"
  Maximum Concurrent Jobs = 20
  Password = "{password}"
  Messages = Daemon
  FD Connect Timeout = 5
  SD Connect Timeout = 5
  Heartbeat Interval = 3
}}
Console {{
  Name = limited
  Password = "{password}"
  CommandACL = status, .api, .status, .clients, version
  ClientACL = *all*
  JobACL = *all*
}}
{consoles}Catalog {{
  Name = MyCatalog
  dbname = "{database}"
  dbuser = "{db_user}"
  dbpassword = "{db_password}"
  DB Address = "{db_host}"
  DB Port = {db_port}
}}
Messages {{ Name = Daemon; append = "{folder}/bacula.log" = all, !skipped }}
Messages {{
  Name = Standard
  append = "{folder}/bacula.log" = all, !skipped
  catalog = all, !skipped, !saved
}}
Storage {{
  Name = File1
  Address = {sd_address}
  SDPort = {sd_port}
  Password = "{sd_password}"
  Device = FileChgr
  Autochanger = File1
  Media Type = File1
  Maximum Concurrent Jobs = 10
  Heartbeat Interval = 3
}}
Pool {{
  Name = Default
  Pool Type = Backup
  Recycle = yes
  AutoPrune = yes
  Volume Retention = 30 days
  Maximum Volume Jobs = 1
  Maximum Volume Bytes = 2G
  Maximum Volumes = 1000
  Label Format = "Vol-"
}}
FileSet {{
  Name = "operator-files"
  Include {{
    Options {{ signature = MD5 }}
    File = "{folder}/own"
  }}
}}
JobDefs {{
  Name = operator
  Level = Incremental
  Client = one-fd
  FileSet = "operator-files"
  Storage = File1
  Pool = Default
  Messages = Standard
  Accurate = yes
  Maximum Concurrent Jobs = 5
  Reschedule Incomplete Jobs = no
}}
Job {{ Name = operator-backup; Type = Backup; JobDefs = operator }}
Job {{ Name = operator-restore; Type = Restore; JobDefs = operator; Where = "{folder}/restored" }}
@|"sh -c 'find {folder}/operator.d {folder}/conf.d -name \\"*.conf\\" | sort | sed s/^/@/'"
"""

# A console with TLS by certificates.
TLS_CONSOLE = """\
Console {{
  Name = {name}
  Password = "{password}"
  CommandACL = *all*
  CatalogACL = *all*
  ClientACL = *all*
  PoolACL = *all*
  TLS Enable = yes
  TLS Require = {required}
  TLS Verify Peer = {verified}
  TLS CA Certificate File = "{folder}/authority.pem"
  TLS Certificate = "{folder}/{certificate}.pem"
  TLS Key = "{folder}/{certificate}.key"{more}
}}
"""

# A console with TLS by a key, which Bacula 15 then requires.
PSK_CONSOLE = """\
Console {{
  Name = keyed
  Password = "{password}"
  CommandACL = *all*
  CatalogACL = *all*
  ClientACL = *all*
  PoolACL = *all*
  TLS Require = yes
}}
"""

CLIENT = """\
Client {{
  Name = {name}
  Address = {address}
  FDPort = {port}
  Catalog = MyCatalog
  Password = "{password}"
  File Retention = 60 days
  Job Retention = 6 months
  AutoPrune = no
  Maximum Concurrent Jobs = 10
  Heartbeat Interval = 3
}}
"""

STORAGE = """\
Storage {{
  Name = test-sd
  SDAddress = {address}
  SDPort = {port}
  WorkingDirectory = "{folder}/work"
  PidDirectory = "{folder}/work"
  Maximum Concurrent Jobs = 40
  Heartbeat Interval = 3
}}
Director {{ Name = {director}; Password = "{password}" }}
Messages {{ Name = Standard; director = {director} = all }}
Autochanger {{
  Name = FileChgr
  Device = Dev0, Dev1, Dev2
  Changer Command = ""
  Changer Device = /dev/null
}}
{devices}"""

DEVICE = """\
Device {{
  Name = Dev{number}
  Media Type = File1
  Device Type = File
  Archive Device = "{folder}/volumes"
  LabelMedia = yes
  Random Access = yes
  AutomaticMount = yes
  RemovableMedia = no
  AlwaysOpen = no
  Autochanger = yes
  Drive Index = {number}
  Maximum Concurrent Jobs = 1
}}
"""

FILE_DAEMON = """\
FileDaemon {{
  Name = {name}
  FDAddress = {address}
  FDPort = {port}
  WorkingDirectory = "{folder}/work"
  PidDirectory = "{folder}/work"
  Plugin Directory = "{plugins}"
  Maximum Concurrent Jobs = 20
  Heartbeat Interval = 3
}}
Director {{ Name = {director}; Password = "{password}" }}
Messages {{ Name = Standard; director = {director} = all, !skipped, !restored }}
"""

CONSOLE = """\
Director {{ Name = {director}; DIRport = {port}; address = {address}; Password = "{password}" }}
"""
