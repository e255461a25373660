"""Listeners that keep what they get, right ones and wrong ones, for `credhook test --observe ... -- COMMAND`:

    store_app.py NAME FOLDER     listens at $CREDHOOK_URL, and keeps in FOLDER/db (SQLite) or FOLDER/log
    store_app.py dump NAME FOLDER    prints what it keeps: what --observe is given
"""

import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ROWS = "create table if not exists n (id integer primary key autoincrement, key text unique, body text, repeats integer default 0, at text)"
PLAIN = "create table if not exists n (id integer primary key autoincrement, key text, body text, at text)"
CUSTOMERS = "create table if not exists n (client text primary key, body text, state text, at text)"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def now():
    return time.strftime("%Y-%m-%d %H:%M:%S")


class Store:
    """Keeps a row of each notification, whose key is unique; commits before the response."""
    table = ROWS
    shown = "select * from n"

    def __init__(self, folder):
        self.folder = folder
        with self.open() as db:
            db.execute("pragma journal_mode=wal")
            db.execute(self.table)

    def open(self):
        return sqlite3.connect(self.folder / "db", timeout=20)

    def key(self, text, payload):
        del payload
        return digest(text)

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert or ignore into n (key, body, at) values (?, ?, ?)", (self.key(text, payload), text, now()))

    def take(self, text, payload):
        """Returns the status, and perhaps what is to be done after the response."""
        self.insert(text, payload)
        return 200, None


class Counted(Store):
    """Shows how many there are."""
    shown = "select count(*) from n"


class Hashes(Store):
    """Shows no identifiers."""
    shown = "select key from n"


class Counters(Store):
    """Counts the repeats of a row, and when the last one came."""

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert into n (key, body, at) values (?, ?, ?) on conflict (key) do update set repeats = repeats + 1, "
                       "at = excluded.at", (digest(text), text, now()))


class Normalised(Store):
    """The key does not depend on the spelling."""

    def key(self, text, payload):
        return digest(json.dumps(payload, sort_keys=True))


class Customers(Store):
    """One row a customer, with the last notification."""
    table = CUSTOMERS

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert into n values (?, ?, '', ?) on conflict (client) do update set body = excluded.body, at = excluded.at",
                       (payload["details"]["clientKey"], text, now()))


class CustomersCounted(Customers):
    """The same, of which only the number is shown."""
    shown = "select count(*) from n"


class Enrolled(Store):
    """The state of each customer."""
    table = CUSTOMERS
    shown = "select client || '|' || state from n"

    def insert(self, text, payload):
        if payload["service"] == "monitoring" and payload["path"] == "/api/monitoring/v2":
            state = "enrolled" if payload["method"] == "post" else "cancelled"
            with self.open() as db:
                db.execute("insert into n values (?, '', ?, ?) on conflict (client) do update set state = excluded.state",
                           (payload["details"]["clientKey"], state, now()))


class Firsts(Store):
    """The first notification of each service to a customer, and how many there were."""
    table = "create table if not exists n (customer text primary key, body text, keys text)"
    shown = "select customer, body, length(keys) / 64 from n"

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert into n values (?, ?, ?) on conflict (customer) do update set keys = keys || excluded.keys "
                       "where instr(keys, excluded.keys) = 0",
                       (payload["service"] + " " + payload["details"]["clientKey"], text, digest(text)))


class Tally(Store):
    """How many different notifications of each kind a customer had."""
    table = "create table if not exists n (client text, kind text, count integer, primary key (client, kind))"
    shown = "select * from n"

    def __init__(self, folder):
        super().__init__(folder)
        with self.open() as db:
            db.execute("create table if not exists known (key text primary key)")

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("begin immediate")
            if db.execute("insert or ignore into known values (?)", (digest(text),)).rowcount:
                db.execute("insert into n values (?, ?, 1) on conflict do update set count = count + 1",
                           (payload["details"]["clientKey"], " ".join((payload["service"], payload["method"], payload.get("path", "")))))


class TallyOfKinds(Tally):
    """The same, of which the sums are shown."""
    shown = "select kind, sum(count) from n group by kind"


class Alerts(Store):
    """Alerts alone."""

    def insert(self, text, payload):
        if payload["service"] == "alerts":
            with self.open() as db:
                db.execute("insert or ignore into n (key, body, at) values (?, ?, ?)", (payload["details"]["alertId"], text, now()))


class Files(Store):
    """A file of each alert, which has its name when it is whole; one that was being written stays when it is ended."""

    def __init__(self, folder):
        self.folder = folder / "alerts"
        self.folder.mkdir(exist_ok=True)

    def insert(self, text, payload):
        if payload["service"] != "alerts":
            return
        whole = self.folder / str(payload["details"]["alertId"])
        part = self.folder / f"{whole.name}.{threading.get_ident()}.part"
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        time.sleep(0.02)
        part.replace(whole)


class Log(Store):
    """A log, whose repeats are dropped when it is read."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.file = open(folder / "log", "ab")  # pylint: disable=consider-using-with

    def insert(self, text, payload):
        with self.lock:
            self.file.write(json.dumps(payload).encode() + b"\n")
            self.file.flush()
            os.fdatasync(self.file.fileno())


class Queue(Store):
    """A queue on disk, which is worked off a second later."""

    def __init__(self, folder):
        super().__init__(folder)
        with self.open() as db:
            db.execute("create table if not exists inbox (id integer primary key, key text unique, body text, due real)")
        threading.Thread(target=self.work, daemon=True).start()

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert or ignore into inbox (key, body, due) values (?, ?, ?)", (digest(text), text, time.time() + 1))

    def work(self):
        while True:
            with self.open() as db:
                db.execute("begin immediate")
                for number, key, text in db.execute("select id, key, body from inbox where due < ?", (time.time(),)).fetchall():
                    db.execute("insert or ignore into n (key, body, at) values (?, ?, ?)", (key, text, now()))
                    db.execute("update inbox set due = 1e12 where id = ?", (number,))
            time.sleep(0.1)


class Document(Store):
    """One JSON file, which is read, changed, and written anew under a lock."""
    takes = 0

    def __init__(self, folder):
        self.path = folder / "all.json"
        self.lock = threading.Lock()
        if not self.path.exists():
            self.path.write_text("[]", encoding="utf-8")

    def insert(self, text, payload):
        with self.lock:
            self.rewrite(text)

    def rewrite(self, text):
        kept = json.loads(self.path.read_text(encoding="utf-8"))
        if text not in kept:
            kept.append(text)
        time.sleep(self.takes)
        part = self.path.with_name(f"{threading.get_ident()}.part")
        part.write_text(json.dumps(kept), encoding="utf-8")
        part.replace(self.path)


class Last(Store):
    """Nothing but the last notification."""
    table = "create table if not exists n (id integer primary key, body text)"

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert or replace into n values (1, ?)", (text,))


class Late(Store):
    """Stores after the response."""

    def take(self, text, payload):
        def later():
            print("storing what was responded to", flush=True)
            time.sleep(0.25)
            self.insert(text, payload)
        return 200, later


class Flushed(Store):
    """A queue in memory, which is written every 0.7 s."""

    def __init__(self, folder):
        super().__init__(folder)
        self.waiting, self.lock = [], threading.Lock()
        threading.Thread(target=self.flush, daemon=True).start()

    def take(self, text, payload):
        with self.lock:
            self.waiting.append((text, payload))
        return 200, None

    def flush(self):
        while True:
            time.sleep(0.7)
            with self.lock:
                waiting, self.waiting = self.waiting, []
            for text, payload in waiting:
                self.insert(text, payload)


class LookThenInsert(Store):
    """Two steps, between which the same may come."""
    table = PLAIN
    takes = 0.02

    def insert(self, text, payload):
        with self.open() as db:
            known = db.execute("select 1 from n where key = ?", (digest(text),)).fetchone()
        time.sleep(self.takes)
        if not known:
            with self.open() as db:
                db.execute("insert into n (key, body, at) values (?, ?, ?)", (digest(text), text, now()))


class Rewritten(Document):
    """The same without a lock: what another one has written meanwhile is lost."""
    takes = 0.02

    def insert(self, text, payload):
        self.rewrite(text)


class RewrittenCounted(Rewritten):
    """The same, by their number."""


class KeyOfPath(Store):
    """Too coarse a key."""

    def key(self, text, payload):
        return payload.get("path", "") + payload["details"]["clientKey"]


class KeyOfService(Store):
    """An even coarser one."""

    def key(self, text, payload):
        return payload["service"] + payload["details"]["clientKey"]


class Swallows(KeyOfPath):
    """The same, where what the database says to a second one is printed."""

    def insert(self, text, payload):
        try:
            with self.open() as db:
                db.execute("insert into n (key, body, at) values (?, ?, ?)", (self.key(text, payload), text, now()))
        except sqlite3.IntegrityError:
            traceback.print_exc()


class KeepsAll(Store):
    """Repeats, too."""
    table = PLAIN

    def insert(self, text, payload):
        with self.open() as db:
            db.execute("insert into n (key, body, at) values ('', ?, ?)", (text, now()))


class KeepsAllCounted(KeepsAll):
    """The same, by their number."""
    shown = "select count(*) from n"


class Memory(Store):
    """Empties what it keeps when it starts."""

    def __init__(self, folder):
        super().__init__(folder)
        with self.open() as db:
            db.execute("delete from n")


class KnownOnly(Store):
    """Drops what is about a customer whom it does not know."""

    def insert(self, text, payload):
        with self.open() as db:
            known = payload["service"] == "user" or db.execute("select 1 from n where body like ?",
                                                               (f"%{payload['details']['clientKey']}%",)).fetchone()
        if known:
            super().insert(text, payload)


class KeepsRefused(Store):
    """Stores first, and refuses then; what comes again is known."""

    def take(self, text, payload):
        self.insert(text, payload)
        return (200 if isinstance(payload.get("details"), dict) else 400), None


class Clashes(Store):
    """Turns the error of a unique key into a 500."""

    def take(self, text, payload):
        try:
            with self.open() as db:
                db.execute("insert into n (key, body, at) values (?, ?, ?)", (digest(text), text, now()))
        except sqlite3.IntegrityError:
            return 500, None
        return 200, None


class Conflicts(Clashes):
    """Into a 409."""

    def take(self, text, payload):
        status, after = super().take(text, payload)
        return 409 if status == 500 else status, after


class MarkFirst(Store):
    """Marks it as known, and stores it in another transaction."""

    def __init__(self, folder):
        super().__init__(folder)
        with self.open() as db:
            db.execute("create table if not exists known (key text primary key)")

    def insert(self, text, payload):
        with self.open() as db:
            is_new = db.execute("insert or ignore into known values (?)", (digest(text),)).rowcount
        if is_new:
            # Two that come together are not in step: of one that gets its 2xx the other one is amid its work.
            time.sleep(0.2 if int(digest(text)[0], 16) % 2 else 0.4)
            super().insert(text, payload)


class WorkThenMark(Queue):
    """A queue on disk, whose work is done in one transaction, and marked as done in another one."""
    table = PLAIN

    def work(self):
        while True:
            with self.open() as db:
                waiting = db.execute("select id, key, body from inbox where due < 1e12").fetchall()
            for _, key, text in waiting:
                with self.open() as db:
                    db.execute("insert into n (key, body, at) values (?, ?, ?)", (key, text, now()))
            time.sleep(1 if waiting else 0.01)  # nearly always there is something that is done, and not marked
            with self.open() as db:
                db.executemany("update inbox set due = 1e12 where id = ?", [(number,) for number, _, _ in waiting])


class MemoryKeys(Store):
    """Knows in memory what it has had."""
    table = PLAIN

    def __init__(self, folder):
        super().__init__(folder)
        self.known, self.lock = set(), threading.Lock()

    def insert(self, text, payload):
        with self.lock, self.open() as db:
            if digest(text) not in self.known:
                db.execute("insert into n (key, body, at) values ('', ?, ?)", (text, now()))
            self.known.add(digest(text))


class Hundred(Store):
    """Keeps the last hundred."""

    def insert(self, text, payload):
        super().insert(text, payload)
        with self.open() as db:
            db.execute("delete from n where id <= (select max(id) from n) - 100")


class CancelsAll(Store):
    """What cancels a service cancels it for everybody who has the code."""
    table = "create table if not exists n (id integer primary key autoincrement, key text unique, client text, body text, code text, state text)"

    def insert(self, text, payload):
        details = payload["details"]
        with self.open() as db:
            db.execute("begin immediate")
            if payload["service"] == "monitoring" and payload["method"] == "delete" and "enrollmentCode" in details:
                db.execute("update n set state = 'cancelled' where code = ?", (details["enrollmentCode"],))
            db.execute("insert or ignore into n (key, client, body, code, state) values (?, ?, ?, ?, 'active')",
                       (digest(text), details["clientKey"], text, details.get("enrollmentCode")))


class SkipsOffCycle(Store):
    """Drops reports off cycle."""

    def insert(self, text, payload):
        if payload["details"].get("offCycle") != "true":
            super().insert(text, payload)


class Parsed(Store):
    """Keeps a zip and a change as numbers, the latter without its sign, and an alertId as a double."""
    table = ("create table if not exists n (id integer primary key autoincrement, key text unique, client text, zip integer, "
             "change integer, alert real, name text, state text)")

    def insert(self, text, payload):
        details = payload["details"]
        state = details.get("offCycle") or details.get("alertDetails", {}).get("disputeStatus")
        with self.open() as db:
            db.execute("insert or ignore into n (key, client, zip, change, alert, name, state) values (?, ?, ?, ?, ?, ?, ?)",
                       (digest(text), details["clientKey"], details.get("address", {}).get("zip"), abs(int(details.get("change", 0))),
                        details.get("alertId"), details.get("firstName"), state))


class Nothing(Store):
    """Keeps nothing."""

    def insert(self, text, payload):
        print("could not store: database is locked", flush=True)


def by_name(name):
    return {kind.__name__: kind for kind in globals().values() if isinstance(kind, type) and issubclass(kind, Store)}[name]


def handler(store):
    class Handler(BaseHTTPRequestHandler):
        """Responds 400 to what is not a notification."""
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            after = None
            try:
                payload = json.loads(text)
                if isinstance(store, KeepsRefused) or isinstance(payload["details"], dict):
                    status, after = store.take(text, payload)
                else:
                    status = 400
            except (ValueError, KeyError, TypeError):
                status = 400
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.wfile.flush()
            if after:
                after()

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    return Handler


def dump(kind, folder):
    if kind is Files:
        print(*os.listdir(folder / "alerts"), sep="\n")
        return
    if issubclass(kind, Document):
        kept = json.loads((folder / "all.json").read_text(encoding="utf-8"))
        print(len(kept) if kind is RewrittenCounted else json.dumps(kept))
        return
    if kind is Log:
        path = folder / "log"
        for line in sorted(set(path.read_text(encoding="utf-8").splitlines())) if path.exists() else ():
            print(line)
        return
    with sqlite3.connect(f"file:{folder}/db?mode=ro", uri=True, timeout=20) as db:
        for row in db.execute(kind.shown):
            print(*row, sep="|")


if sys.argv[1] == "dump":
    dump(by_name(sys.argv[2]), Path(sys.argv[3]))
else:
    url = urlsplit(os.environ["CREDHOOK_URL"])
    ThreadingHTTPServer.request_queue_size = 128
    ThreadingHTTPServer((url.hostname, url.port), handler(by_name(sys.argv[1])(Path(sys.argv[2])))).serve_forever()
