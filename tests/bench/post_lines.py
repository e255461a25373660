"""Posts each line of standard input to a URL, in the head that a usual sender and a usual proxy make, of which some is new in
each request: python3 post_lines.py URL"""

import random
import socket
import sys
from urllib.parse import urlsplit

CONNECTIONS = 64
numbers = random.Random(1)


def digits(count):
    return f"{numbers.getrandbits(4 * count):0{count}x}"


def uuid():
    return "-".join(digits(n) for n in (8, 4, 4, 4, 12))


def request(host, body):
    return (f"POST /webhooks/credit?tenant=acme-lending HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Java-http-client/17.0.9\r\n"
            "Accept: application/json, */*;q=0.8\r\nAccept-Encoding: gzip\r\nContent-Type: application/json; charset=utf-8\r\n"
            f"Authorization: Bearer 6f1d0c9b2e7a4835b1c6d7e8f9a0b1c2d3e4f5a6\r\nX-Request-Id: {uuid()}\r\n"
            f"X-Forwarded-For: 203.0.113.{numbers.randrange(1, 9)}\r\nX-Forwarded-Proto: https\r\n"
            f"traceparent: 00-{digits(32)}-{digits(16)}-01\r\nX-Signature: sha256={digits(64)}\r\n"
            f"Connection: keep-alive\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


def main():
    url = urlsplit(sys.argv[1])
    sockets = [socket.create_connection((url.hostname, url.port)) for _ in range(CONNECTIONS)]
    while bodies := [line.strip() for _, line in zip(sockets, sys.stdin.buffer)]:
        for sock, body in zip(sockets, bodies):
            sock.sendall(request(url.netloc, body))
        for sock in sockets[:len(bodies)]:
            if not sock.recv(4096).startswith(b"HTTP/1.1 200 "):
                sys.exit("a notification was not taken in")


main()
