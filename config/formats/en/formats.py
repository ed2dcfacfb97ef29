"""How the admin writes dates and times: as the APIs do; weeks begin with Monday."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i:s"
FIRST_DAY_OF_WEEK = 1
