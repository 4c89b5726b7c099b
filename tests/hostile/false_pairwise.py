#!/usr/bin/env python3
"""A second implementation of a party of fedsc, variant "pairwise". It can lie to an honest
coordinator, and counts the rows of the others that it reads.

    false_pairwise.py --config FILE --coordinator HOST:PORT --labels FILE --truth FOLDER... [--lie
    LIE]

The job has `dims` and `kernel.width`, and `rounds` is 0, so that the landmarks are the
dictionary.

    half       one similarity of its own half is changed by 1e-3
    product    the first product for the last party encrypts the negative number
    cipher     the last party receives a ciphertext of 0
    key        the last party receives a key of 2047 bits
    short      the last party receives a key and ciphertexts without their first byte
    many       the last party receives products of one row too many
    unit       it encrypts unit vectors in place of the first d rows. So it reads each
               w = Kzz c of another party's row, and from w the row. Kzz has the similarities
               of the landmarks Z, c the row's coefficients. It computes its own half from
               these w, so no check finds the lie

FOLDER has the others' data. The last line of stdout is {"read": N, "of": N, "ended": "..."}.
`read` counts the rows of the others that the party reads with an error of at most 1 % of their
standard deviation. Without a lie the party computes them from the equations of its own rows.
"""
import argparse
import json
import os
import random
import struct
import sys

import numpy as np

for beside in "../interop", "../vectors":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), beside))

import kmeans  # noqa: E402
import paillier  # noqa: E402
import party  # noqa: E402
from party import wire  # noqa: E402

CIPHERS, PRODUCTS, PAIRWISE = 13, 14, 18  # purposes of SEALED; PAIRWISE is bound to the masks
PIECE, SLOTS, KEY, LEN = 262128, 33, 256, 512


def padded(n):
    step = 4096
    while 8 * step <= n:
        step *= 2
    return -(-n // step) * step


def exchange(link, what, batch):
    """Sends each other party its part of batch, and returns the other parties' batches."""
    for j in link.s.others():
        text = struct.pack("<Q", len(batch[j])) + batch[j]
        text = text.ljust(padded(len(text)), b"\0")
        for at in range(0, len(text) + 1, PIECE):
            link.send_sealed(j, what, text[at : at + PIECE])
    theirs = {}
    for j in link.s.others():
        text, last = b"", PIECE
        while last == PIECE:
            sender, piece = link.sealed(link.conn.recv([wire.SEALED])[1], what)
            assert sender == j, "a batch out of its place"
            text, last = text + piece, len(piece)
        size = struct.unpack("<Q", text[:8])[0]
        assert len(text) == padded(8
                                   + size) and not any(
                                       text[8 + size :]), "a batch that ends otherwise"
        theirs[j] = text[8 : 8 + size]
    return theirs


def numbers(batch):
    return [int.from_bytes(batch[at : at + LEN], "big") for at in range(0, len(batch), LEN)]


def joined(values):
    return b"".join(c.to_bytes(LEN, "big") for c in values)


class Pairwise(kmeans.Party):
    lie = None

    def kernel(self, X):
        return np.exp(-kmeans.distances(X, self.Z) / (2 * self.job["kernel"]["width"] ** 2))

    def encrypted(self, n, rows):
        """Yields a ciphertext for each group of rows and each coordinate."""
        for at in range(0, len(rows), SLOTS):
            for column in zip(*rows[at : at + SLOTS]):
                yield paillier.encrypt(n, column, random.SystemRandom().randrange(1, n))

    def ciphers(self):
        C = [[round(float(c) * 2**30) for c in row] for row in self.C]
        if self.lie == "unit":
            C[: self.d] = [[int(s == t) << 30 for t in range(self.d)] for s in range(self.d)]
        self.p, self.q = (paillier.prime(os.urandom(32).hex()) for _ in range(2))
        self.own_n = self.p * self.q
        c = list(self.encrypted(self.own_n, C))
        key = self.own_n.to_bytes(KEY, "big")
        batch = {j: key + joined(c) for j in self.link.s.others()}
        last = self.link.s.others()[-1]
        if self.lie == "cipher":
            batch[last] = key + joined([0] + c[1:])
        if self.lie == "key":
            batch[last] = bytes([key[0] & 0x7F]) + key[1:] + joined(c)
        if self.lie == "short":
            batch[last] = batch[last][1:]
        return exchange(self.link, CIPHERS, batch)

    def products(self, theirs):
        W = [[round(float(w) * 2**30) for w in row] for row in self.C @ self.K]
        batch = {}
        for j, text in theirs.items():
            n, c, out = int.from_bytes(text[:KEY], "big"), numbers(text[KEY:]), []
            for row in W:
                for at in range(0, len(c), self.d):
                    product = pow(random.SystemRandom().randrange(1, n), n, n * n)
                    for t, w in enumerate(row):
                        product = product * pow(c[at + t], w, n * n) % (n * n)
                    out.append(product)
            if j == self.link.s.others()[-1]:
                out[0] = pow(out[0], -1, n * n) if self.lie == "product" else out[0]
                out += out[: len(c) // self.d] if self.lie == "many" else []
            batch[j] = joined(out)
        return exchange(self.link, PRODUCTS, batch)

    def half(self, theirs):
        """Returns {party: block}: the similarities of own rows to the rows of each party."""
        groups, blocks = -(-len(self.X) // SLOTS), {self.link.s.own: self.C @ self.K @ self.C.T}
        for j, text in theirs.items():
            c, block = numbers(text), []
            for at in range(0, len(c), groups):
                column = []
                for g in range(groups):
                    rows = min(SLOTS, len(self.X) - g * SLOTS)
                    column += paillier.decrypt(self.p, self.q, c[at + g], rows)
                block.append([x * 2.0**-60 for x in column])
            blocks[j] = np.array(block).T
        return blocks

    def rows_behind(self, W):
        """Computes rows from w = Kzz c: k(Z, x) = (Kzz + lambda I) c gives x by its distances to
        the landmarks Z."""
        k = W @ np.linalg.inv(self.K) @ self.ridge
        D = -2 * self.job["kernel"]["width"] ** 2 * np.log(np.maximum(k, 1e-300))
        A = 2 * (self.Z[1:] - self.Z[0])
        square = (self.Z**2).sum(axis=1)
        return np.linalg.lstsq(A, (square[1:] - square[0] - D[:, 1:] + D[:, :1]).T, rcond=None)[0].T

    def run(self):
        self.totals()
        self.link.phase("landmarks")
        self.landmarks(self.job["dims"])
        self.d = len(self.Z)
        self.K = self.kernel(self.Z)
        self.ridge = self.K + self.job["kernel"]["lambda"] * np.eye(self.d)
        self.C = np.linalg.solve(self.ridge, self.kernel(self.X).T).T
        blocks = self.half(self.products(self.ciphers()))
        others = [j for j in sorted(blocks) if j != self.link.s.own]
        W = {j: blocks[j][: self.d].T if self.lie == "unit" else
             np.linalg.lstsq(self.C, blocks[j], rcond=None)[0].T for j in others}
        self.read = np.concatenate([self.rows_behind(W[j]) for j in others])
        if self.lie == "unit":
            blocks.update({j: self.C @ W[j].T for j in others})
        upload = np.concatenate([blocks[j] for j in sorted(blocks)], axis=1)
        upload[0, -1] += 1e-3 if self.lie == "half" else 0
        self.link.bind([PAIRWISE, 0, self.job["kernel"]["width"], self.n])
        self.link.bind(self.Z.ravel())
        for body in wire.real_bodies(self.link.s.own, upload.ravel(), "<f8"):
            self.link.conn.send(wire.UPLOAD, body)
        link = self.link
        return wire.labels(lambda: link.conn.recv([wire.RESULT])[1], link.root,
                           self.job["clusters"], len(self.X))


def main():
    p = party.arguments(argparse.ArgumentParser())
    p.add_argument("--truth", nargs="+", required=True)
    p.add_argument("--lie", choices=["half", "product", "cipher", "key", "short", "many", "unit"])
    a = p.parse_args()
    config = party.read_config(a.config)
    what, link = party.join(config, a.coordinator)
    it, ended = Pairwise(what, party.begin_rows(what, config["data"], link), link), "done"
    it.lie = a.lie
    try:
        party.leave(link, it.run(), a.labels)
    except (wire.Broken, AssertionError) as e:
        ended = str(e)
    said = {"read": 0, "of": 0, "ended": ended}
    if hasattr(it, "read"):
        truth = np.concatenate([np.load(f + "/features.npy").astype(float) for f in a.truth])
        truth = (truth - it.mean) / it.scale
        said["of"] = len(truth)
        off = np.abs(it.read[:, None] - truth[None]).max(axis=2)
        said["read"] = len(set(off.argmin(axis=1)[off.min(axis=1) < 0.01]))
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
