"""proto/PROTOCOL.md in Python: TLS, frames, and parts of their bodies.

For tests: one thread reads each connection, another sends heartbeats. OpenSSL permits one thread at
a time per connection, so a lock protects it. If a peer breaks the protocol, an AssertionError or a
Broken tells what was expected.
"""
import hashlib
import json
import os
import queue
import re
import select
import socket
import ssl
import struct
import threading

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

VERSION = 7
HELLO, WELCOME, REFUSED, HEARTBEAT, ACK, RESUME = range(1, 7)
OFFER, ACCEPT, DECLINE, KEY, KEYS, MASKED, DONE, ABORT = range(10, 18)
CHOICE, MATRIX, PADDING, BLOCK, ASKING, SUM, TOLD = range(18, 25)
CHOICE_BOUND = 9
LOCAL_CLUSTERS, CELLS, STARTS, ASSIGNMENT, CLUSTERS, RESULT, KEPT = range(30, 37)
LANDMARKS = 38
UPLOAD = 40
SEALED, IDS, ROWS = range(50, 53)
PROTOTYPES = 70
TREE, DEGREES, TIES, LISTS, WALKS, EMBEDDING = range(60, 66)
IDS_KEY, GROUP_KEY, ROWS_OF_SOME, COLUMNS = 1, 3, 4, 7  # purposes of SEALED
BATCH_DIRECTORY, BATCH_TIES, BATCH_WALKS = 10, 11, 12
AGAIN = 7
FRAME_MAX = (1 << 20) + (64 << 10)
CHUNK = 256 << 10


class Broken(Exception):
    """The connection has ended, or the peer has ended the job."""


def u16(n):
    return struct.pack(">H", n)


def u32(n):
    return struct.pack(">I", n)


def u64(n):
    return struct.pack(">Q", n)


def field(data):
    return u32(len(data)) + data


# an unknown option at the end of HELLO, WELCOME and OFFER
OPTION = u16(0xFFFF) + field(b"of another release")


def whole(job):
    """Returns the job of an offer with the defaults of its schema from
    docs/reference/schemas.md."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../docs/reference/schemas.md")
    with open(page, encoding="utf-8") as f:
        of = re.search(
            rf"\*\*{re.escape(job['kind'])}\*\*, schema {job['schema']}\n\n((?:    .*\n)+)",
            f.read())
    assert of, f"kind {job['kind']} has no schema {job['schema']}"
    job = json.loads(json.dumps(job))
    for path, default in (word.split("=", 1) for word in of[1].split() if "=" in word):
        *objects, last = path.split(".")
        at = job
        for name in objects:
            at = at.setdefault(name, {})
        try:
            at.setdefault(last, json.loads(default))
        except ValueError:
            at.setdefault(last, default)
    return job


class Reader:
    """Reads the fields of a body in order; end() checks that no bytes remain."""

    def __init__(self, body):
        self.body, self.at = body, 0

    def take(self, n):
        assert self.at + n <= len(
            self.body), f"a body of {len(self.body)} bytes ends in a field of {n}"
        self.at += n
        return self.body[self.at - n : self.at]

    def number(self, n):
        return int.from_bytes(self.take(n), "big")

    def bytes(self, least, most):
        n = self.number(4)
        assert least <= n <= most, f"a field of {n} bytes, expected {least} to {most}"
        return self.take(n)

    def options(self):
        """Skips fields of later releases to the end of the body."""
        last = 0
        while self.at < len(self.body):
            number = self.number(2)
            assert number > last, "options that do not rise"
            self.bytes(0, 1024)
            last = number

    def end(self):
        assert self.at == len(self.body), f"{len(self.body) - self.at} bytes too many"


def context(identity, server):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    c.minimum_version = ssl.TLSVersion.TLSv1_3
    c.check_hostname = False  # names and keys are compared with the roster
    c.verify_mode = ssl.CERT_REQUIRED
    c.load_cert_chain(identity["certificate"], identity["key"])
    c.load_verify_locations(identity["ca"])
    if server:
        c.num_tickets = 0
    return c


class Connection:
    """The connection to one peer. send() and recv() transfer the frames of the job."""

    def __init__(self, sock):
        self.sock = sock
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cert = x509.load_der_x509_certificate(sock.getpeercert(binary_form=True))
        names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        self.peer = names.get_values_for_type(x509.DNSName)[0]
        self.spki = cert.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.fingerprint = hashlib.sha256(self.spki).digest()
        self.job, self.sent, self.received = bytes(8), 0, 0
        self.lock, self.writing = threading.Lock(), threading.Lock()
        self.frames, self.open = queue.Queue(), True
        sock.setblocking(False)
        self.unread = []  # frames that arrived early

    # ---- frames ----

    def _turn(self, step, *args):
        """Returns step(*args), repeated until it need not wait for the socket."""
        while True:
            read, write = [self.sock], []
            with self.lock:
                try:
                    return step(*args)
                except ssl.SSLWantReadError:
                    pass
                except ssl.SSLWantWriteError:
                    read, write = write, read
            select.select(read, write, [], 1)

    def _write(self, kind, job, number, body):
        data = memoryview(u32(16 + len(body)) + u16(kind) + u16(0) + job + u32(number) + body)
        with self.writing:  # a frame is written as a whole
            while data:
                data = data[self._turn(self.sock.send, data) :]

    def link(self, kind, body):
        self._write(kind, bytes(8), 0, body)

    def send(self, kind, body):
        """Sends a frame. If the peer has disconnected, sends nothing; recv() reports the reason."""
        self.sent += 1
        try:
            self._write(kind, self.job, self.sent, body)
        except (OSError, ValueError):
            self.open = False

    def _exactly(self, n):
        data = bytearray()
        while len(data) < n:
            more = self._turn(self.sock.recv, n - len(data))
            if not more:
                raise Broken(f"{self.peer} closed the connection")
            data += more
        return bytes(data)

    def read_frame(self):
        length = int.from_bytes(self._exactly(4), "big")
        assert 16 <= length <= FRAME_MAX, f"{self.peer} sent a frame of {length} bytes"
        head = self._exactly(16)
        kind, flags, job, number = struct.unpack(">HH8sI", head)
        assert flags == 0, f"{self.peer} sent flags {flags}"
        body = self._exactly(length - 16)
        if kind < 10:
            assert job == bytes(8) and number == 0, f"{self.peer} sent a link frame of a job"
        else:
            self.received += 1
            assert job == self.job, f"{self.peer} sent a frame of another job"
            assert number == self.received, (
                f"{self.peer} sent frame {number}, expected {self.received}")
        return kind, body

    # ---- a job: a thread reads, so that acknowledgements and heartbeats are never late ----

    def begin(self, job_id):
        self.job = job_id[:8]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while True:
                kind, body = self.read_frame()
                if kind >= 10:
                    self.link(ACK, u32(self.received))
                if kind not in (HEARTBEAT, ACK, PADDING, ASKING):
                    self.frames.put((kind, body))
        except (OSError, ValueError, AssertionError, Broken) as e:
            self.open = False
            self.frames.put((None, str(e)))

    def beat(self, progress):
        if self.open:
            try:
                self.link(HEARTBEAT, u64(progress))
            except (OSError, ValueError):
                self.open = False

    def recv(self, expected, timeout=60):
        try:
            kind, body = self.unread.pop() if self.unread else self.frames.get(timeout=timeout)
        except queue.Empty:
            raise Broken(f"{self.peer} has sent nothing for {timeout} s") from None
        if kind is None:
            raise Broken(body)
        if kind in (DECLINE, ABORT):
            r = Reader(body)
            code, ending = r.number(2), r.number(2)
            # DECLINE may name an unknown parameter, or a party without a pin
            text = r.bytes(0, 1024 if kind == ABORT else 64)
            r.end()
            assert ending and (not text
                               or (kind == DECLINE and ending in (18, 19))), "a party's words"
            raise Broken(f"{self.peer} {'says' if kind == ABORT else 'declined the job'}: ending "
                         f"{ending}, code {code}"
                         + (f", {'job.' if ending == 18 else ''}{text.decode('ascii')}" if text
                            else ""))
        assert kind in expected, f"{self.peer} sent message {kind}, expected {expected}"
        return kind, body

    def close(self):
        self.open = False
        with self.lock:
            try:
                self.sock.unwrap()
            except (OSError, ValueError):
                pass
            self.sock.close()


# ---- vectors of labels: each is at most `values` and has as many bits, the lowest first ----

def pack(values, label):
    bits = np.asarray(label)[:, None] >> np.arange(max(values.bit_length(), 1)) & 1
    return np.packbits(bits.astype(np.uint8).ravel(), bitorder="little").tobytes()


def unpack(values, count, packed):
    width = max(values.bit_length(), 1)
    assert len(packed) == (count * width
                           + 7) // 8, f"{len(packed)} bytes for {count} labels of {width} bits"
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
    label = bits[: count * width].reshape(count, width) @ (1 << np.arange(width))
    assert not bits[count * width :].any() and (label <= values).all(), f"labels above {values}"
    return label


def label_bodies(group, values, label):
    """Yields the chunks of one vector."""
    label, most = np.ravel(label), CHUNK * 8 // max(values.bit_length(), 1) & ~7
    for at in range(0, len(label), most):
        yield u32(group) + u32(values) + u64(len(label)) + u64(at) + field(
            pack(values, label[at : at + most]))


def no_labels(group, values):
    return u32(group) + u32(values) + u64(0) + u64(0) + field(b"")


def labels(recv, group, values, count=None):
    """Returns a vector of labels. recv() returns the bodies of its chunks. If count is None, the
    sender determines the length."""
    label = np.zeros(0, int)
    while count is None or len(label) < count:
        r = Reader(recv())
        head, packed = (r.number(4), r.number(4), r.number(8), r.number(8)), r.bytes(0, 1 << 20)
        r.end()
        if count is None:
            count = head[2]
            assert count <= 1 << 30, f"{count} labels"
            if not count:
                break
        assert head == (group, values, count,
                        len(label)), f"labels {head}, expected {group, values, count, len(label)}"
        here = len(packed) * 8 // max(values.bit_length(), 1)
        here = min(count - len(label), here & ~7 if here < count - len(label) else here)
        assert here, "a chunk of no labels"
        label = np.append(label, unpack(values, here, packed))
    return label


def real_bodies(group, numbers, word):
    """Yields the chunks of one vector of numbers. word: "<f8" or "<f4"."""
    numbers = np.asarray(numbers, dtype=word).ravel()
    most = CHUNK // numbers.itemsize
    for at in range(0, max(len(numbers), 1), most):
        yield u32(group) + u64(len(numbers)) + u64(at) + field(numbers[at : at + most].tobytes())


def reals(recv, group, count, word):
    got = np.zeros(0, dtype=word)
    while len(got) < count:
        r = Reader(recv())
        head, here = (r.number(4), r.number(8),
                      r.number(8)), np.frombuffer(r.bytes(1, 1 << 20), word)
        r.end()
        assert head == (group, count,
                        len(got)), f"numbers {head}, expected {group, count, len(got)}"
        got = np.append(got, here)
    return got


def listen(address):
    host, port = address.rsplit(":", 1)
    return socket.create_server((host, int(port)))


def abort_body(code, text=b"", ending=0):
    return u16(code) + u16(ending) + field(text)
