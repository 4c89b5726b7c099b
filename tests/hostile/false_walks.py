"""A party of fedwalk, mode "walks", that reads ties between the others' vertices. It is honest, or
malicious and claims false ties. The coordinator is honest.

Each walk that comes to a vertex of the party carries all its tokens so far. The dictionary gives
the number of ties. The party guesses so many pairs of tokens: those that most often follow each
other. An honest party sees only the walks that come to its vertices by chance.

A malicious party claims ties between its vertices and all vertices of the others, so a walk soon
comes back. At each step it sends invented walks, to each vertex of the others in equal numbers,
as many as receivers accept. The tokens after the invented ones belong to true ties.

The party finds rows of the others by hashes of ids that it guesses.
"""
import collections
import hmac
import os
import struct

import numpy as np

import fedspectral
import kmeans
import wire
from wire import field

PIECE, LEAST = 262128, 4096
DIMS = 128
SURE = 1000  # weight of a pair in a walk without pool vertices; other pairs have weight 1
FALSE_TIES = 2  # false ties that the party claims for each vertex of another party


def padded(n):
    step = LEAST
    while step * 8 <= n:
        step *= 2
    return -(-n // step) * step


class Honest(fedspectral.Party):
    def __init__(self, what, ids, ties, guesses, link):
        """ties: pairs of an own id and another id."""
        super().__init__(what, ids, None, link)
        self.ties, self.guesses = ties, guesses
        self.random, self.seen = np.random.default_rng(1), set()
        self.count = collections.Counter()

    # ---- batches ----

    def exchange(self, what, batch):
        """Sends each other party its part of batch, and returns the batch from each."""
        link, got = self.link, {}
        for j in link.s.others():
            text = struct.pack("<Q", len(batch[j])) + batch[j]
            text = text.ljust(padded(len(text)), b"\0")
            for at in range(0, len(text) + 1, PIECE):  # the last piece is shorter
                link.send_sealed(j, what, text[at : at + PIECE])
        for j in link.s.others():
            text, last = b"", PIECE
            while last == PIECE:
                sender, piece = link.sealed(link.conn.recv([wire.SEALED])[1], what)
                assert sender == j, "a batch out of its place"
                text, last = text + piece, len(piece)
            length, = struct.unpack_from("<Q", text)
            got[j] = text[8 : 8 + length]
        return got

    # ---- vertices ----

    def directory(self):
        """Exchanges which party has which row, and finds the names of rows whose ids it guesses."""
        salt, others = os.urandom(16), self.link.s.others()
        entries = sorted((hmac.digest(salt, i, "sha256")[:16], int(r))
                         for i, r in zip(self.ids, self.row))
        own = salt + b"".join(h + struct.pack("<I", r) for h, r in entries)
        self.host = np.full(self.n, self.link.s.own)
        self.name = dict(zip(self.row.tolist(), self.ids))
        for j, batch in self.exchange(wire.BATCH_DIRECTORY, {j: own for j in others}).items():
            at = {batch[e : e + 16]: struct.unpack_from("<I", batch, e + 16)[0]
                  for e in range(16, len(batch), 20)}
            self.host[list(at.values())] = j
            for i in self.guesses:
                h = hmac.digest(batch[:16], i, "sha256")[:16]
                if h in at:
                    self.name[at[h]] = i
        self.foreign = np.flatnonzero(self.host != self.link.s.own)

    def claimed(self):
        """Returns ties as pairs of an own row and another row."""
        row = {i: r for r, i in self.name.items()}
        return {(row[a], row[b]) for a, b in self.ties if a in row and b in row}

    def agree_ties(self):
        own, s = self.claimed(), self.link.s
        batch = {j: b"".join(struct.pack("<II", *t) for t in sorted(own) if self.host[t[1]] == j)
                 for j in s.others()}
        for b in self.exchange(wire.BATCH_TIES, batch).values():
            own |= {(ours, theirs) for theirs, ours in struct.iter_unpack("<II", b)}
        own |= {(b, a) for a, b in own if self.host[b] == s.own}
        self.neighbours = {int(r): sorted(b for a, b in own if a == r) for r in self.row}

    # ---- the tree, which the attack does not use ----

    def construct(self):
        link, n, k = self.link, self.n, self.what["bins"]
        k = int(np.log(n)) if k == "auto" else k
        rng, place, bin_of = kmeans.Random(self.what["seed"], 1), np.arange(n), np.zeros(n, int)
        for i in range(n, 1, -1):
            j = rng.below(i)
            place[[i - 1, j]] = place[[j, i - 1]]
        bin_of[place] = np.arange(n) % k
        own = np.zeros((len(self.row), k))
        for i, r in enumerate(np.sort(self.row)):
            np.add.at(own[i], bin_of[self.neighbours[int(r)]], 1)
        for body in wire.real_bodies(link.s.own, own, "<f8"):
            link.conn.send(wire.DEGREES, body)
        self.C = wire.reals(lambda: link.recv(wire.BLOCK), link.root, n * k, "<f4").reshape(n, k)
        link.recv_labels(wire.TREE, 2 * n, 2 * (n - 1))
        link.recv_labels(wire.LISTS, n, n)
        for values in (n, 2**32 - 1):
            wire.labels(lambda: link.recv(wire.LISTS), link.root, values)
        link.say()
        assert link.conn.recv([wire.TOLD])[1] == field(
            link.due), "another party was told other things"
        link.due = None

    # ---- walks ----

    def begin(self):
        """Yields the first walks. A walk is its present row and its tokens."""
        for r in self.neighbours:
            for _ in range(self.what["walks"] if self.neighbours[r] else 0):
                yield r, ()

    def turn(self, at, tokens):
        u = int(self.random.choice(self.neighbours[at]))
        return u, tokens + (u,)

    def going(self, t, here):
        """Yields the walks that leave in superstep t, from those that are here."""
        for at, tokens in here:
            at, tokens = self.turn(at, tokens)
            while self.host[at] == self.link.s.own and len(tokens) < t:
                at, tokens = self.turn(at, tokens)
            if len(tokens) == self.what["length"]:
                self.finished.append(tokens)
            else:
                yield at, tokens

    def walk(self):
        own, self.finished, here = self.link.s.own, [], list(self.begin())
        for t in range(1, self.what["length"]):
            batch, stay = collections.defaultdict(bytes), []
            for at, tokens in self.going(t, here):
                if self.host[at] == own:
                    stay.append((at, tokens))
                else:
                    batch[self.host[at]] += struct.pack("<IH%dH" % len(tokens), at, len(tokens),
                                                        *tokens)
            here = stay
            for b in self.exchange(wire.BATCH_WALKS, batch).values():
                here += self.came(t, b)
        list(self.going(self.what["length"], here))
        tokens = np.array(self.finished, int).ravel()
        for body in wire.label_bodies(own, self.n,
                                      tokens) if len(tokens) else [wire.no_labels(own, self.n)]:
            self.link.conn.send(wire.WALKS, body)

    def came(self, t, batch):
        at = 0
        while at < len(batch):
            row, count = struct.unpack_from("<IH", batch, at)
            tokens = struct.unpack_from("<%dH" % count, batch, at + 6)
            at += 6 + 2 * count
            self.note(tokens, len(tokens) == t)
            yield row, tokens

    def note(self, tokens, sure):
        """Counts the pairs in a walk. sure: the walk has a token for each step, so it has met no
        pool."""
        for i in range(self.made(tokens), len(tokens)):
            if sure or tokens[: i + 1] not in self.seen:
                self.count[tuple(sorted(tokens[i - 1 : i + 1]))] += SURE if sure else 1
            self.seen.add(tokens[: i + 1])

    def made(self, tokens):
        """Returns the index of the first token after a true step; invented tokens precede it."""
        return 1

    def found(self):
        """Returns as many pairs of the others' vertices as the dictionary counts ties between
        them."""
        theirs = np.maximum(self.C[self.foreign].sum(axis=1), 0).sum() - sum(
            self.host[b] != self.link.s.own for r in self.neighbours for b in self.neighbours[r])
        pairs = [p for p, _ in self.count.most_common() if p[0] != p[1] and self.foreign_pair(p)]
        names = [tuple(sorted((self.name[a].decode(), self.name[b].decode()))) for a, b in pairs]
        return set(names[: int(round(theirs / 2))])

    def foreign_pair(self, pair):
        return all(self.host[r] != self.link.s.own and r in self.name for r in pair)

    def run(self):
        link = self.link
        self.row = self.rows()
        self.directory()
        self.agree_ties()
        self.construct()
        self.walk()
        wire.reals(lambda: link.conn.recv([wire.EMBEDDING])[1], link.root, len(self.row) * DIMS,
                   "<f4")
        wire.labels(lambda: link.conn.recv([wire.LISTS])[1], link.root, self.n, len(self.row))
        wire.labels(lambda: link.conn.recv([wire.LISTS])[1], link.root, self.n)
        link.s.leave_group(range(len(link.s.names)), link.transcript)
        link.begin_group()
        link.phase("attack")
        link.word = (64, 24)
        link.add(np.zeros(10))
        link.told(14)
        return np.zeros(0)


class False_(Honest):
    def claimed(self):
        return super().claimed() | {
            (int(r), int(v)) for v in self.foreign
            for r in self.random.choice(self.row, FALSE_TIES, replace=False)}

    def begin(self):
        self.made_up = set()
        return ()

    def going(self, t, here):
        """Invents as many walks as have come; at first as many as an honest party begins. With
        more walks than all parties begin, the job may not end."""
        new = len(here) if t > 1 else len(self.row) * self.what["walks"]
        if t == self.what["length"]:
            return
        for v in self.random.permutation(np.resize(self.random.permutation(self.foreign),
                                                   new)).tolist():
            made_up = (*self.random.integers(0, self.n, t - 1).tolist(), v)
            self.made_up.add(made_up)
            yield v, made_up

    def made(self, tokens):
        return max((i for i in range(2, len(tokens)) if tokens[:i] in self.made_up), default=1)
