"""A right listener (WSGI) on the store that $STORE names: a key that is unique, one transaction, a 2xx after it."""

import hashlib
import json
import os

STORE = os.environ["STORE"]
TABLE = "create table if not exists n (digest varchar(64) primary key, body text)"


class Postgres:
    """Connected by the environment: PGHOST, PGDATABASE."""

    def __init__(self):
        import psycopg2  # pylint: disable=import-outside-toplevel,import-error
        self.open = lambda: psycopg2.connect("")
        with self.open() as db, db.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(1)")
            cursor.execute(TABLE)

    def insert(self, key, body):
        with self.open() as db, db.cursor() as cursor:
            cursor.execute("insert into n values (%s, %s) on conflict do nothing", (key, body))

    def all(self):
        with self.open() as db, db.cursor() as cursor:
            cursor.execute("select body from n")
            return [row[0] for row in cursor.fetchall()]


class MariaDB:
    """Connected by MYSQL_UNIX_PORT."""

    def __init__(self):
        import pymysql  # pylint: disable=import-outside-toplevel,import-error
        self.open = lambda: pymysql.connect(unix_socket=os.environ["MYSQL_UNIX_PORT"], user="root", database="hook")
        with self.open() as db, db.cursor() as cursor:
            cursor.execute(TABLE)

    def insert(self, key, body):
        with self.open() as db:
            with db.cursor() as cursor:
                cursor.execute("insert ignore into n values (%s, %s)", (key, body))
            db.commit()


class Redis:
    """A set of keys and a list, in one script."""
    script = "if redis.call('sadd', 'keys', ARGV[1]) == 1 then redis.call('rpush', 'hooks', ARGV[2]) end"

    def __init__(self):
        import redis  # pylint: disable=import-outside-toplevel,import-error
        self.client = redis.Redis(unix_socket_path=os.environ["REDIS_SOCKET"])

    def insert(self, key, body):
        self.client.eval(self.script, 0, key, body)


store = {"postgres": Postgres, "mariadb": MariaDB, "redis": Redis}[STORE]()


def app(environ, start_response):
    status, response = "204 No Content", b""
    if environ["REQUEST_METHOD"] == "GET":
        status, response = "200 OK", json.dumps(store.all()).encode()
    else:
        body = environ["wsgi.input"].read()
        try:
            json.loads(body)["details"]["clientKey"]  # pylint: disable=expression-not-assigned
            store.insert(hashlib.sha256(body).hexdigest(), body.decode())
        except (ValueError, KeyError, TypeError):
            status = "400 Bad Request"
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(response)))])
    return [response]
