"""The hints that mend a file, each with what it is printed for, at each depth at which that can stand.

House/hints_test.py holds the source to this table: a hint with a command of COMMANDS that no row of HINTS is of fails
there. e2e/hints_test.py makes the inputs, runs what is printed, and asks that it helps.
"""

import json

# What a hint may tell people to type, besides credhook itself.
COMMANDS = ("jq", "sed", "iconv", "curl", "unzip", "tshark", "mitmdump", "yq", "perl", "python3", "grep", "gzip", "cp", "chmod",
            "tail", "head", "shuf", "tac", "rm")
ALERT = {"service": "alerts", "event": "push", "method": "push", "details": {
    "alertDetails": {"disputeStatus": "Submission"}, "alertId": 42, "appKey": "5f0d4f3e-8a4a-4a54-9f0e-0a6f1f7c1d11",
    "bureau": "abc", "alertType": "NEW", "clientKey": "c-1"}}
GOOD = json.dumps(ALERT)
LATIN = json.dumps({**ALERT, "details": {**ALERT["details"], "bureau": "caf\u00e9"}}, ensure_ascii=False)
RECORD = {"v": 1, "seq": 1, "received_at": "2026-01-02T03:04:05.000000Z", "method": "POST", "target": "/",
          "headers": [["Content-Type", "application/json"]], "body": GOOD}
ENTRY = {"startedDateTime": "2026-01-02T03:04:05.000Z", "time": 1, "request": {
    "method": "POST", "url": "http://127.0.0.1/hook", "httpVersion": "HTTP/1.1",
    "headers": [{"name": "Authorization", "value": "Bearer s3cret"}],
    "postData": {"mimeType": "application/json", "text": GOOD}}, "response": {"status": 200}}

FILE, LINE, RECEIVED = "file", "line", "received"
EVERYWHERE = (FILE, LINE, RECEIVED)

# Words of the hint -> what it is printed for (one or more inputs), and the depths; None in place of the depths: where it is tried.
HINTS = {
    r"remove it: sed -i '1s/": ("\ufeff" + GOOD, (FILE, RECEIVED)),
    r"remove it: sed -i 's/": ("\ufeff" + GOOD, (LINE,)),
    "convert it: iconv -f UTF-16 -t": (GOOD.encode("utf-16"), (FILE, RECEIVED)),
    "iconv -f UTF-16LE": (GOOD.encode("utf-16-le"), (FILE, RECEIVED)),
    "iconv -f UTF-16BE": (GOOD.encode("utf-16-be"), (FILE, RECEIVED)),
    "convert it: iconv -f UTF-32 -t": (GOOD.encode("utf-32"), b"\0\0\xfe\xff" + GOOD.encode("utf-32-be"), (FILE, RECEIVED)),
    "iconv -f UTF-32LE": (GOOD.encode("utf-32-le"), (FILE, RECEIVED)),
    "iconv -f UTF-32BE": (GOOD.encode("utf-32-be"), (FILE, RECEIVED)),
    "iconv -f ISO-8859-1": (LATIN.encode("latin-1"), (FILE, RECEIVED)),
    "the payload is in \\\"": (*(json.dumps({key: ALERT}) for key in ("body", "PROFILE", "a: b", "> FILE |", "KEY")), EVERYWHERE),
    "the payload is in the string": (json.dumps(GOOD), EVERYWHERE),
    "split the array into one payload per line": (f"[{GOOD}, {GOOD}]", EVERYWHERE),
    "take the payloads out": (json.dumps({"a": [{"b": ALERT}]}), EVERYWHERE),
    ": jq -c %s%s%s": None,  # the line of the four above
    ": jq -c '(%s) // .'": None,
    "send the object itself: jq -c '.details|=fromjson'": (json.dumps({**ALERT, "details": json.dumps(ALERT["details"])}), (FILE, RECEIVED)),
    "send the object itself: jq -c '(select(": (json.dumps({**ALERT, "details": json.dumps(ALERT["details"])}), (LINE,)),
    "put each payload on a line: jq -c .": (json.dumps(ALERT, indent=1) + "\n" + json.dumps(ALERT, indent=1), (FILE,)),
    "where each line is a payload, the name says so: cp": ("{\n" + GOOD + "\n", GOOD + "\n{\n" + GOOD + "\n", (FILE,)),
    "put each record on a line: jq -c .{INTO}": (2 * (json.dumps(RECORD, indent=2) + "\n"), (FILE,)),
    "put each record on a line: jq -c '.[]'": (json.dumps([RECORD, RECORD]), (FILE,)),
    "put each record on a line: jq -c '{EACH}": (json.dumps({"a": {"records": [RECORD, RECORD]}}), (FILE,)),
    "make a HAR file of them: jq -n": (json.dumps([ENTRY, ENTRY]), (FILE,)),
    "send what was recorded in it: credhook replay": None,  # e2e/format_test.py sends a HAR file
    "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.ndjson": (2 * (json.dumps(RECORD) + "\n"), None),
    "convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.ndjson": None,  # e2e/format_test.py types it
    # Exports of other tools: e2e/exports_test.py runs the line of each.
    "jq -c '..|.body?,.Body?": None, "jq -c '..|.body?|., .json?": None, "jq -c '": None, "grep -a '^{": None,
    "jq -rc '.payload//empty": None, "mitmdump -nr FILE": None, "tshark -r FILE": None, "perl -lpe": None,
    "jq -r '..|.": None, "python3 -c 'import csv": None, "unpack it: unzip FILE": None,
    "unpack it: gzip -dc FILE > FILE.ndjson": None,  # e2e/format_test.py types it
}
