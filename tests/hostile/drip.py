#!/usr/bin/env python3
"""drip.py -- keeps connections to a daemon's HTTP server open by sending single bytes.

    drip.py HOW N ADDRESS READY [PKI NAME]

HOW is one of
    request    a request whose header never ends: one byte every 3 s
    body       a POST whose body never ends: one byte every 3 s
    watch      /events, which has no end
    unread     request after request, without reading the answers
    handshake  a TLS handshake whose first record never ends
ADDRESS is HOST:PORT or unix:PATH. With PKI and NAME the connections use TLS and NAME's
certificate. DRIP_UID is the user that the process becomes. If the daemon closes a connection,
drip.py opens a new one within 3 s. It writes the file READY when it has tried to open all N
connections.
"""

import os
import select
import socket
import ssl
import sys
import time

EVERY_S = 3
HEAD = b"GET /api/status HTTP/1.1\r\nHost: localhost\r\nX-Drip: "
POST = b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n"
WATCH = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
WHOLE = b"GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO = bytes.fromhex("16030102000100")
FIRST = {"request": HEAD, "body": POST, "watch": WATCH, "unread": WHOLE, "handshake": HELLO}


def connect(how, address, context):
    """Returns a connection that has sent its first bytes, or None if it was refused."""
    try:
        if address.startswith("unix:"):
            s = socket.socket(socket.AF_UNIX)
            s.connect(address[5:])
        else:
            host, port = address.rsplit(":", 1)
            s = socket.create_connection((host, int(port)), timeout=5)
        if context and how != "handshake":
            s = context.wrap_socket(s, server_hostname="coordinator")
        s.sendall(FIRST[how])
        s.setblocking(False)
        return s
    except OSError:
        return None


def drip(how, s):
    """Sends one more byte; for "unread" one more request, for "watch" nothing. Returns False if
    the daemon has closed the connection."""
    try:
        if how == "unread":
            s.send(WHOLE)
        elif how != "watch":
            s.send(b"x")
        if how == "unread":
            return True
        if isinstance(s, ssl.SSLSocket) or select.select([s], [], [], 0)[0]:
            return len(s.recv(65536)) > 0
        return True
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return True
    except OSError:
        return False


def main():
    how, n, address, ready = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    if "DRIP_UID" in os.environ:
        os.setgroups([])
        os.setuid(int(os.environ["DRIP_UID"]))
    context = None
    if len(sys.argv) > 5:
        pki, name = sys.argv[5:7]
        context = ssl.create_default_context(cafile=f"{pki}/ca.crt")
        context.load_cert_chain(f"{pki}/{name}.crt", f"{pki}/{name}.key")
    held = [connect(how, address, context) for _ in range(n)]
    open(ready, "w").close()
    while True:
        time.sleep(EVERY_S)
        for i, s in enumerate(held):
            if s and not drip(how, s):
                s.close()
                held[i] = s = None
            if not s:
                held[i] = connect(how, address, context)


main()
