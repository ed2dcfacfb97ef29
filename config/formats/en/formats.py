"""How the admin writes dates and times: as the APIs do, and never broken across lines."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d\N{NO-BREAK SPACE}H:i:s"
