"""Values that must not be seen after convert --redact, and where a person's could be: what the tests of it share."""

import base64
import json
import os
import random

from captures import record_of, write
from support import credhook, records

SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 32)
RANDOM = random.Random(SEED)
EVENTS = [json.loads(line) for line in credhook("build", "all", "--seed", 1).expect(0).out.splitlines()]


def percent(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def all_forms(mark):
    raw_mark = mark.encode()
    return [mark, raw_mark.hex(), percent(mark), "-".join(mark[i:i + 4] for i in range(0, 16, 4)),
            " ".join(mark[i:i + 4] for i in range(0, 16, 4)), "".join(f"\\u{byte:04x}" for byte in raw_mark),
            *(base64.b64encode(b"x" * skip + raw_mark).decode().lower()[4 if skip else 0:-4] for skip in range(3))]


class Marks:
    """Numbers of 16 digits that stand for what must not be seen."""

    def __init__(self):
        self.given = []

    def new(self):
        self.given.append(str(RANDOM.randrange(10**15, 10**16)))
        return self.given[-1]

    def in_all(self, value, is_key=False):
        """The value with marks in the place of its leaves; keys that the specification names stay."""
        if isinstance(value, dict):
            marked = {key: self.in_all(member) for key, member in value.items()}
            marked[f"k{self.new()}"] = {f"n{self.new()}": [int(self.new()), f"two {self.new()} words", self.new()]}
            return marked
        if isinstance(value, bool) or value is None or is_key:
            return value
        if isinstance(value, str):
            mark = self.new()
            return RANDOM.choice([mark, f"J\u00e9 {mark}", f"{mark}@example.com", f"a-{mark}-z", f"\u5f20{mark}", percent(mark),
                                  base64.b64encode(mark.encode()).decode(), mark.encode().hex(),
                                  " ".join(mark[i:i + 4] for i in range(0, 16, 4))])
        return int(self.new())

    def find(self, what, data):
        """In any encoding a value may have got."""
        text, forms = data.decode("utf-8", "replace").lower(), {}
        for mark in self.given:
            for form in all_forms(mark):
                forms.setdefault(len(form), set()).add(form)
        for length, some in forms.items():
            found = some & {text[at:at + length] for at in range(len(text) - length + 1)}
            assert not found, f"SEED={SEED}: {what} has a mark as {found}"


def request(marks, body, keep=None):
    """With marks in its target, in the names and values of its headers, and where a parser might quote it."""
    target = f"/hook/{marks.new()}/a%20{marks.new()}/{percent(marks.new())}?{marks.new()}={marks.new()}&x={percent(marks.new())}"
    if keep == "absolute":
        target = f"http://h{marks.new()}.example.com:80{target}"
    fields = [("Host", f"h{marks.new()}.example.com"), ("Content-Type", f"application/json; p={marks.new()}"),
              ("Authorization", f"Bearer {marks.new()}"), ("User-Agent", f"agent/{marks.new()}"),
              ("Accept", f"*/*;q={marks.new()}"), (f"X-{marks.new()}", marks.new()), ("Cookie", f"a={marks.new()}"),
              ("X-Request-Id", marks.new()), ("X-Bytes", "\xff" + marks.new()), ("Content-Length", str(len(body)))]
    if keep == "no type":
        del fields[1]
    head = f"POST {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
    return head.encode("latin-1") + body


def requests(marks):
    bodies = [json.dumps(marks.in_all(event)).encode() for event in EVENTS]
    marked = marks.in_all(EVENTS[0])
    bodies += [json.dumps(marked, ensure_ascii=False, indent=1).encode()]
    # Valid but for their members that nobody knows.
    for event in EVENTS:
        known = json.loads(json.dumps(event))
        known["details"]["alertDetails" if "alertDetails" in known["details"] else "other"] = marks.in_all({"a": "b"})
        bodies.append(json.dumps(known).encode())
    bodies += [b'{"service":"user","details":{"firstName":"' + marks.new().encode(), marks.new().encode() + b" x",
               b"\xff\xfe" + marks.new().encode(), b'{"a":"\xff' + marks.new().encode() + b'"}', b"",
               b"[" * 70 + marks.new().encode(), marks.new().encode(), b'"' + marks.new().encode() + b'"',
               ('{"%s":1,"%s":2,"x":1.%s,"y":1e%s}' % ((marks.new(),) * 2 + (marks.new(), marks.new()))).encode(),
               ('{"service":"%s","event":%s,"path":"/api/%s"}' % (marks.new(), marks.new(), marks.new())).encode(),
               ("{" + "\n" * 3000 + '"\\u0061":"\\u003%s"}' % "\\u003".join(marks.new())).encode()]
    boundary = marks.new()
    bodies += [f'--{boundary}\r\nContent-Disposition: form-data; name="{marks.new()}"\r\n\r\n{marks.new()}\r\n--{boundary}--\r\n'
               .encode(), f"a={marks.new()}&{marks.new()}=b".encode(), base64.b64encode(bodies[0]), bodies[0][:200],
               bodies[0].decode().encode("utf-16")]
    # In a plain field, in groups as people write numbers; and as the key of a modifier.
    mark = marks.new()
    groups = "-".join(mark[i:i + 4] for i in range(0, 16, 4))
    bodies += [json.dumps({"service": groups, "details": {"bureau": groups, "scoreModifiers": {groups: 1}}}).encode()]
    chunked = (f"POST /hook HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;{marks.new()}={marks.new()}\r\n{{}}\r\n"
               f"0\r\nX-{marks.new()}: {marks.new()}\r\n\r\n").encode()
    return [request(marks, body) for body in bodies] + [request(marks, bodies[0], keep="no type"),
                                                        request(marks, bodies[0], keep="absolute"), chunked]


def key_file(folder, name="key", content=b"0123456789abcdef", mode=0o600):
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def converted(folder, name, *args, requests_=None):
    """What convert --redact makes of these requests."""
    source = write(b"".join(record_of(number, one, remote="127.0.0.1:5123", event=None, valid=False) for number, one
                            in enumerate(requests_ or [post(json.dumps(event).encode()) for event in EVENTS], 1)))
    result = credhook("convert", source, *(args or ["--redact"]), "-o", folder / name)
    return records(folder / name) if (folder / name).exists() else [], result


def post(body):
    return (b"POST / HTTP/1.1\r\nHost: hooks.example.com\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" %
            len(body) + body)
