#!/usr/bin/env python3
"""A coordinator of kinds kmeans, kmeans.columns.predict and kcagc (method "basic"), after
proto/PROTOCOL.md and docs/secure-sum.md.

For kmeans it needs no numerics: it adds masked words, broadcasts sums, and relays sealed messages.
For the other kinds it assigns nodes or rows (kcagc.py).

    coordinator.py --config coordinator.json --job job.json --ready-file FILE

The configuration is that of the C coordinator (listen, parties, identity). A job of kcagc must be
the effective job as in run.json, since this program has no presets. Exit status 0: the job is done;
2: a party ended the job or broke the protocol.
"""
import argparse
import functools
import json
import operator
import os
import secrets
import ssl
import sys
import threading

import numpy as np

import kcagc
import secsum
import wire
from wire import Broken, Reader, u16, u32, u64, field


class Coordinator:
    version = wire.VERSION
    # sums that begin a phase: sum 0 begins "totals", sum 2 begins "kmeans"
    firsts = (0, 2)

    def __init__(self, config, job, ready_file=None):
        self.names = sorted(config["parties"])
        offered = {"schema": 1} | job
        self.what, self.job = wire.whole(offered), json.dumps(offered).encode()
        self.context = wire.context(config["identity"], server=True)
        self.server = wire.listen(config["listen"])
        self.job_id = secrets.token_bytes(16)
        self.attempt, self.progress, self.sums = 1, 0, 0
        self.party, self.over = [], threading.Event()
        self.said, self.word = True, None  # word: format of sums that are not broadcast
        if ready_file:
            host, port = self.server.getsockname()[:2]
            with open(ready_file + ".new", "w", encoding="ascii") as f:
                f.write(f"{host}:{port}\n")
            os.rename(ready_file + ".new", ready_file)

    # ---- the link ----

    def admit(self):
        """Accepts connections until every party of the roster is connected; sorts them by name."""
        at = {}
        while len(at) < len(self.names):
            sock, _ = self.server.accept()
            try:
                c = wire.Connection(self.context.wrap_socket(sock, server_side=True))
            except ssl.SSLError as e:
                print(f"a stranger: {e}", file=sys.stderr)
                continue
            assert c.peer in self.names, f"{c.peer} is not in the roster"
            kind, body = c.read_frame()
            assert kind in (wire.HELLO,
                            wire.RESUME), f"{c.peer} sent message {kind}, expected HELLO"
            if kind == wire.RESUME:  # the peer resumes an attempt that has ended
                c.link(wire.REFUSED, u16(wire.AGAIN) + field(b"another attempt follows"))
                c.close()
                continue
            r = Reader(body)
            low, high, software = r.number(2), r.number(2), r.bytes(0, 64)
            r.options()
            assert low <= wire.VERSION <= high, (
                f"{c.peer} ({software.decode()}) speaks {low} to {high}")
            self.greet(c)
            c.begin(self.job_id)
            at[c.peer] = c
            self.party = list(at.values())  # connections that beat() keeps alive
        self.party = [at[name] for name in self.names]

    def greet(self, c):
        c.link(wire.WELCOME, u16(self.version) + field(b"interop") + u32(5000) + wire.OPTION)

    def beat(self):
        while not self.over.wait(0.25):
            for c in self.party:
                c.beat(self.progress)

    # ---- the first messages of every job ----

    def offered(self, c):
        """Returns the parties in the offer, the submitter, and the parties that were left out,
        each with the first attempt without it."""
        return [name.encode() for name in self.names], b"interop", []

    def offer(self):
        for c in self.party:
            names, submitter, left = self.offered(c)
            body = self.job_id + u32(self.attempt) + field(self.job) + field(submitter) + u32(
                len(names))
            body += b"".join(map(field,
                                 names)) + u32(len(left)) + b"".join(
                                     u32(n) + field(name) for n, name in left)
            c.send(wire.OFFER, body + wire.OPTION)
        accepts = []
        for c in self.party:
            r = Reader(c.recv((wire.ACCEPT,))[1])
            job_hash, rows, columns, rest = r.take(32), r.number(8), r.number(4), r.take(64)
            r.end()
            if self.what["kind"] not in kcagc.KINDS:
                assert rows == 0 and rest == bytes(64), f"{c.peer} says more than its kind asks for"
            accepts.append((job_hash, rows, columns, rest))
        self.agree(accepts)
        self.rows, self.columns = rows, columns

    def agree(self, accepts):
        assert len(set(accepts)) == 1, "parties do not agree on job, nodes or columns"

    def keys(self):
        own = [c.recv((wire.KEY,))[1] for c in self.party]
        for c in self.party:
            c.send(wire.KEYS, u32(len(own)) + b"".join(own))

    # ---- sealed messages: passed on as they are ----

    def sealed(self, c, what, to):
        body = c.recv((wire.SEALED,))[1]
        r = Reader(body)
        got = r.number(2), r.number(4), r.number(4)
        r.bytes(16, 1 << 20)
        r.end()
        assert got == (what, self.party.index(c),
                       to), f"{c.peer} sent SEALED {got}, expected {what} to {to}"
        return body

    def group_key(self):
        self.key_of(wire.GROUP_KEY)
        if self.what["kind"] in ("fedsc", "kmeans"):
            self.exchange(wire.COLUMNS)

    def key_of(self, what):
        for to in range(1, len(self.party)):
            self.party[to].send(wire.SEALED, self.sealed(self.party[0], what, to))

    def exchange(self, what):
        """Relays a box from each party to each other, after all boxes have arrived."""
        boxes = [
            (to, self.sealed(c, what, to))
            for c in self.party
            for to in range(len(self.party))
            if self.party[to] is not c
        ]
        for to, body in boxes:
            self.party[to].send(wire.SEALED, body)

    def told_words(self):
        """Relays the words by which parties compare what they received: each party sends a word for
        each other party, and gets the exclusive or of the words for it."""
        L, words = len(self.party), []
        if L == 1:
            return
        for l, c in enumerate(self.party):
            r = Reader(c.recv((wire.TOLD,))[1])
            own = r.bytes(16 * (L - 1), 16 * (L - 1))
            r.end()
            words.append([own[at : at + 16] for at in range(0, len(own), 16)])
            words[-1].insert(l, bytes(16))
        for to, c in enumerate(self.party):
            of = (int.from_bytes(words[l][to], "big") for l in range(L))
            c.send(wire.TOLD,
                   field(self.told_word(to,
                                        functools.reduce(operator.xor, of).to_bytes(16, "big"))))

    def told_word(self, to, word):
        return word

    # ---- sums ----

    def vector(self, c, first, word="<u8", tagged=False):
        """Returns a party's masked vector: the words of the sum, the canary and, if `tagged`, the
        tag as two more words. first: body of the first chunk, or None."""
        words, root = [], self.root()
        while True:
            r = Reader(first if first is not None else c.recv((wire.MASKED,))[1])
            first = None
            group, number, count, offset = r.number(4), r.number(8), r.number(8), r.number(8)
            chunk, tag = np.frombuffer(r.bytes(0, 1 << 20), word), r.bytes(0, 16)
            r.end()
            have = sum(map(len, words))
            assert (group, number, offset) == (root, self.sums,
                                               have), f"{c.peer} sent another chunk than is due"
            words.append(chunk)
            last = have + len(chunk) == count
            assert len(tag) == 16 * bool(last
                                         and tagged), f"{c.peer} sent {len(tag)} bytes of a tag"
            if last:
                return np.concatenate(words + [np.frombuffer(tag, "<u8")] * bool(tagged))

    def root(self):
        """Returns the number of the group of all parties: parties are nodes 0 .. L-1, so it is
        L."""
        return len(self.party)

    def sum(self, count, word=None):
        """Returns a sum that is not broadcast. word: bits of a word and of its fraction; default:
        those of the job."""
        bits, fraction = word or self.word
        total = sum(self.vector(c, None, f"<u{bits // 8}") for c in self.party)
        assert len(total) == count + 1, f"parties sum {len(total)} words, expected {count + 1}"
        self.look_at(total[-1])
        if not self.said:
            self.told_words()
        self.said = True
        self.sums += 1
        self.progress += 1
        return secsum.decode(total[:-1], bits, fraction)

    def phase(self, _):
        self.said = False

    def choose(self, what, value):
        for c in self.party:
            c.send(wire.CHOICE, u16(what) + u64(value))

    def bound(self):
        """Tells the parties e, and returns it: the squared length of each joint vector is at most
        2^e."""
        e = secsum.bound_join(self.sum(secsum.BOUND_WORDS, secsum.WIDE))
        self.choose(wire.CHOICE_BOUND, e + 200)
        return e

    def tell_labels(self, kind, values, label):
        for c in self.party:
            self.tell_one_labels(c, kind, values, label)

    def tell_one_labels(self, c, kind, values, label):
        for body in wire.label_bodies(self.root(), values, label):
            c.send(kind, body)

    def agree_word(self):
        self.phase("bound")
        self.word = kcagc.word(self.what, len(self.party), self.rows, self.bound)

    def joint(self):
        self.agree_word()
        kcagc.KINDS[self.what["kind"]](self.what, self.rows, self).run()

    def add(self, first, tagged=True):
        """Returns the sum's words and its tag as two words, without the canary."""
        vectors = [self.vector(c, body, tagged=tagged) for c, body in zip(self.party, first)]
        total = sum(vectors)
        if tagged:
            tag = sum(int.from_bytes(v[-2:].tobytes(), "little")
                      for v in vectors) % secsum.TAG_PRIME
            total[-2:] = np.frombuffer(tag.to_bytes(16, "little"), "<u8")
        canary = len(total) - (3 if tagged else 1)
        self.look_at(total[canary])
        return np.delete(total, canary)

    def look_at(self, canary):
        assert canary == len(self.party), "the masks do not cancel"

    def tell(self, total):
        for c in self.party:
            self.tell_one(c, self.root(), self.sums, total)

    def tell_one(self, c, group, number, words):
        """Sends a sum to one party. words: the sum, and its tag as two words."""
        most, tag, words = wire.CHUNK // 8, words[-2:].astype("<u8").tobytes(), words[:-2]
        for at in range(0, max(len(words), 1), most):
            chunk = words[at : at + most].astype("<u8").tobytes()
            c.send(wire.SUM, u32(group) + u64(number) + u64(len(words)) + u64(at) + field(chunk)
                   + field(tag if at + most >= len(words) else b""))

    def rounds(self):
        """Adds and broadcasts sums until the parties compare what they received, which is the end
        of the job. They also compare with the first sum of each phase."""
        while True:
            first = [c.recv((wire.MASKED, wire.TOLD, wire.PROTOTYPES)) for c in self.party]
            if first[0][0] == wire.PROTOTYPES:
                self.clear([body for _, body in first])
                continue
            if first[0][0] == wire.TOLD:
                for c, frame in zip(self.party, first):
                    c.unread.append(frame)
                return
            total = self.add([body for _, body in first])
            if self.sums in self.firsts and len(self.party) > 1:
                self.told_words()
            self.tell(total)
            self.sums += 1
            self.progress += 1

    def clear(self, first):
        raise AssertionError("a party shows what its kind does not ask for")

    def done(self):
        self.told_words()
        self.heads = [c.recv((wire.DONE,))[1] for c in self.party]
        assert all(head[:4] == u32(1) for head in self.heads), "a party without a ledger"
        self.last_word()

    def last_word(self):
        for c in self.party:
            c.send(wire.DONE, u32(len(self.heads)) + b"".join(head[4:] for head in self.heads))

    # ---- a job from start to end ----

    def run(self):
        threading.Thread(target=self.beat, daemon=True).start()
        self.admit()
        self.offer()
        self.keys()
        if self.what["kind"] in kcagc.KINDS:
            self.joint()
        else:
            self.group_key()
            self.rounds()
        self.done()
        for c in self.party:  # reads until the party disconnects, after it acknowledged DONE
            try:
                c.recv(())
            except (Broken, AssertionError):
                c.close()
        self.over.set()


class Following(Coordinator):
    """A coordinator that computes the next step itself, for kinds with more broadcasts than sums. A
    class that computes (fedsc.Half) asks it for sums as a party asks its link. The terms of that
    class have the right length but no rows."""

    def __init__(self, *args):
        super().__init__(*args)
        self.first = {}  # phase -> number of the first sum in its latest run

    def phase(self, name):
        self.said, self.first[name] = False, self.sums

    def bind(self, numbers):
        pass

    def sum(self, term=None):
        """Returns a sum; without a term its length is not checked."""
        total = self.add([None] * len(self.party))
        assert term is None or len(total) == len(
            term) + 2, f"a sum of {len(total) - 2} words, expected {len(term)}"
        if not self.said and len(self.party) > 1:
            self.told_words()
        self.said = True
        told = self.forged(total)
        self.tell(told)
        self.sums += 1
        self.progress += 1
        return secsum.decode(told[:-2], *secsum.WIDE)

    def forged(self, total):
        """Returns what is broadcast instead of a sum and its tag; hostile coordinators override
        it."""
        return total

    def tell_numbers(self, c, numbers):
        """Sends numbers of the coordinator as MATRIX."""
        for body in wire.real_bodies(self.root(), numbers, "<f8"):
            c.send(wire.MATRIX, body)

    def basis(self, value, vectors):
        for c in self.party:
            self.tell_numbers(c, value)
            self.tell_numbers(c, vectors)


def arguments(parser):
    parser.add_argument("--config", required=True)
    parser.add_argument("--job", required=True)
    parser.add_argument("--ready-file")
    a = parser.parse_args()
    with open(a.config, encoding="utf-8") as f:
        config = json.load(f)
    here = os.path.dirname(os.path.abspath(a.config))
    config["identity"] = {k: os.path.join(here, v) for k, v in config["identity"].items()}
    with open(a.job, encoding="utf-8") as f:
        return a, config, json.load(f)


def main():
    a, config, job = arguments(
        argparse.ArgumentParser(
            description="a coordinator of kmeans, kmeans.columns.predict or kcagc"))
    try:
        Coordinator(config, job, a.ready_file).run()
    except (Broken, AssertionError) as e:
        print(f"interop: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
