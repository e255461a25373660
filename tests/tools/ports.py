"""Ports of the loopback for servers that somebody else begins: lent to one process at a time."""

import random
import socket

_held = []  # until this process ends


def _first_ephemeral():
    """From here on the kernel gives ports to connections, which may take one between two servers."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as f:
            return int(f.read().split()[0])
    except OSError:
        return 49152  # RFC 6335, section 6


def free_port():
    """A port at which nothing listens, and that no other process gets which asks here, in another root neither: it holds an
    abstract socket by its name, of which there is one where there is one of the port, and no file is left behind."""
    end = max(_first_ephemeral(), 12000)
    while True:
        port = random.randrange(end - 10000, end)
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0credhook-test-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            lock.close()
        else:
            _held.append(lock)
            return port
