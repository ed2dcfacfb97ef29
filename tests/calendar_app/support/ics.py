def ics(*events, head=""):
    """Return an iCalendar file of these VEVENTs (their lines); one without a UID gets its own."""
    parts = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN", *head.splitlines()]
    for number, lines in enumerate(events):
        uid = "" if "UID" in lines else f"UID:{number}@example.org\n"
        parts += f"BEGIN:VEVENT\n{uid}{lines.strip()}\nEND:VEVENT".splitlines()
    return "\r\n".join([*parts, "END:VCALENDAR", ""]).encode()
