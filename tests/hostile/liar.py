#!/usr/bin/env python3
"""A coordinator of kmeans, kmeans.columns.predict, fedsc, fedspectral, fedwalk, fedgcn or kcagc
that lies, alone: the one of tests/interop but for one lie.

    liar.py --config coordinator.json --job job.json --ready-file FILE --lie LIE

S is the number of a sum that is told, or of fedsc and fedspectral PHASE+N, the N-th of a phase.

    honest        none
    bit=S,W       one bit of word W of sum S is changed, for all; W -1 and -2 are the halves of the
                  tag
    one=S,W       the same, for the last party alone
    count=S       the counts of sum S are 1 too many, as if another row were there; none-at=S: the
                  first of them is 0
    lone          a bit of each sum of one word behind the third is changed: silhouettes, of a range
                  of clusters
    centre=S      a coordinate of sum S is moved by 1.0
    n             the number of rows is doubled; rows=N: it is told as N
    scale         the sum of squares is multiplied by 4
    swap=S        the first two words of sum S change places
    zero=S        sum S is all zeros, its tag included
    again=S       sum S is told twice
    late=S        sum S is told under the number of the next
    old=S         sum S is told once more in place of the next
    group=S       sum S is told to another group
    short=S       sum S is told with a word less
    none=S        sum S is not told: parties wait, and are told of progress without end
    word          what parties say that they were told is changed on its way to one
    weak-one      the last party is offered the job with a hundred times its eps, so that it adds
                  less noise
    crowd=N       N parties more are offered than there are, so that each adds less noise; for all
                  keys but its own
                  that of another is passed on
    nonce         the last party's nonce is another one in what others are relayed
    key           the last party's public key is another one
    third         an ABORT says that another party cheated
    number        an ABORT has the number of an ending
    version       WELCOME of version 3
    refused       REFUSED in its place, in bytes that move a terminal's cursor, forge a line or turn
                  what is read
    attempts=N    attempts without end: each is broken off after two sums; N at most. Prints what it
                  saw of
                  the columns' sums
    jobs=N        the same in N jobs, broken off alike
    lists=2       two attempts; in the second each half is told that another party is lost
    gone=N        N attempts; from the second on the last party is said to be lost; two=N: all but
                  two
    returns=3     the same, but in the third it is back, and the party before it is said to be lost
    last          the last word, DONE, is not said, though all parties have their results
    redo          the job is done, and offered again as the next attempt
    known         none, but the job's id is a known one, 11 sixteen times
    nul           the name of the last party has a byte 0 and more behind it in the offer;
                  nul-submitter: that of the submitter
    twin          the job is done; then another whose id has the same first half
    probing=N     N offers in a row that policies refuse

Of fedsc, variants anchor and dense, about the basis that it tells:

    value         the largest eigenvalue is 1e-6 of it more
    vector        a number of the first eigenvector is 1e-6 more; vector-one: for the last party
                  alone
    smaller       those of the smallest eigenvalues in place of the largest
    turned        two eigenvectors are turned in their plane
    longer        the first eigenvector has length 1 + 1e-6
    sign          the first eigenvector has the other sign, which is as good a basis
    sign-one      the same for the last party alone

Of fedspectral:

    apart         each party has rows of its own
    victim        the last party has rows of its own, the others common ones
    merged        the last party's nodes have the rows of other nodes: n is what it must be
    few=T         T of the last party's nodes have rows of their own: found, or the owner of their
                  edges is read
    box           a bit of the rows that one party tells another, sealed, is changed
    boxes         such boxes of two parties are exchanged
    block         a column of a block is twice as long; block-turned: two are not orthogonal;
                  block-nan: a number is none; block-end: its
                  last number is another; all four of kcagc, methods landmark and gcc, too
    more=N        with noise in sums: there is one block more than parties count; fewer: one less
    block-one     the last party gets two columns of a block in each other's place
    wide          a block is wider than the job allows
    clusters      there are two more clusters than the job asks for
    result        labels are drawn at random; of kcagc, methods basic, landmark and gcc, too

Of kmeans.columns.predict, about RESULT:

    result        labels are drawn at random
    label=V       the first row's is V: no cluster, or one that there is not
    labels=N      there are N labels, whatever the number of rows
    label-one     the last party is told others
    twice         RESULT is told twice; for-done: once more in place of DONE

Of fedgcn, prototypes in clear:

    large         a prototype of the second round has 1e13; nan: no number
    proto-one     the last party is told other prototypes than the rest
    elsewhere     prototypes are drawn at random: the same to all

Of fedwalk:

    shared        two parties have a row in common
    gap           a row is nobody's
    directory     a bit of what one party tells another of its vertices, sealed, is changed
    walk          the same of a batch of walks; old-walks: one is passed on again in place of the
                  next
    dictionary    a number of a party's own row of the dictionary is another
    endless       counts of the dictionary are so large that no memory holds what is made of them
    empty         of the dictionary each party gets its own rows, and zeros for all others: nobody's
                  walk goes on to
                  a vertex that is not its neighbour
    tree          a vertex is twice in the tree
    list          a list of the encoder has no end; list-row: it names a row that there is not
    one-token     the encoder writes all vertices as one
    embedding     an embedding is longer than it must be
    guesses       guesses are in no order
    pair=U,V      one pair is guessed, of the vertices nU and nV; whether it is a tie is in the sum
    facts-one     the last party is told another last number
"""
import argparse
import json
import os
import secrets
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import numpy as np  # noqa: E402

import coordinator  # noqa: E402
import kinds  # noqa: E402
import kmeans  # noqa: E402
import secsum  # noqa: E402
import wire  # noqa: E402
from wire import Broken, field, u16, u32, u64  # noqa: E402

LOSSES = ("lists", "two", "returns", "gone")
POINT = np.uint64(1 << 24)  # 1.0 of the words of sums


HARMFUL = (
    "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202e dednepsus \u2028\n00:00:00.000 info forged\r".encode())


class Lies:
    """Before a coordinator of tests/interop."""

    def __init__(self, lie, *args):
        super().__init__(*args)
        self.lie, _, rest = lie.partition("=")
        place, *more = rest.split(",") if rest else ["0"]
        self.place, _, plus = place.partition("+")
        self.args = [int(plus or self.place if plus or self.place.isdigit()
                         else 0)] + [int(n) for n in more]
        self.before, self.passed = None, False  # the last sum, and whether it was the lie's
        if self.lie == "version":
            self.version = 3
        if self.lie == "known":
            self.job_id = bytes([0x11]) * 16

    def greet(self, c):
        if self.lie == "refused":
            c.link(wire.REFUSED, u16(2) + field(HARMFUL))
        else:
            super().greet(c)

    def is_due(self):
        if self.place.isdigit():
            return self.args[0] == self.sums
        return self.sums == self.first.get(self.place, -1) + self.args[0]

    def look_at(self, canary):
        """Who tells one party something else knows that the masks will not cancel."""
        if not self.lie.endswith("-one"):
            super().look_at(canary)

    def offered(self, c):
        names, submitter, left = super().offered(c)
        if self.lie == "nul":
            names[-1] += b"\0x"
        if self.lie in LOSSES and self.attempt > 1:
            left = self.lost(c, names)
            names = [name for name in names if name not in [gone for _, gone in left]]
        if self.lie == "weak-one":
            noise = self.what["noise"] | {"eps": self.what["noise"]["eps"]
                                          * (100 if c is self.party[-1] else 1)}
            self.job = json.dumps(self.what | {"noise": noise}).encode()
        if self.lie == "crowd":
            names += [b"party-9%d" % i for i in range(self.args[0])]
        return names, submitter + b"\0x" * (self.lie == "nul-submitter"), left

    def agree(self, accepts):
        if self.lie != "weak-one":
            super().agree(accepts)

    def lost(self, c, names):
        """Who is said to be lost though all are there."""
        if self.lie == "lists":
            return [(2, names[-1] if c.peer.encode() in (names[0], names[-2]) else names[-2])]
        if self.lie == "two":
            return [(2, name) for name in names[2:]]
        if self.lie == "returns" and self.attempt == 3:
            return [(3, names[-2])]
        return [(2, names[-1])]

    # ---- sums ----

    def tell(self, total):
        told, number, group = total.copy(), self.sums, self.root()
        if self.lie == "n" and self.sums == 0:
            told[:4] *= np.uint64(2)
        elif self.lie == "rows" and self.sums == 0:
            told[:4] = 0, 0, POINT * np.uint64(self.args[0]), 0
        elif self.lie == "none-at" and self.is_due():
            told[0] = 0
        elif self.lie == "scale" and self.sums == 1:
            told[:-2] *= np.uint64(4)
        elif self.lie == "bit" and self.is_due():
            told[self.args[1]] ^= np.uint64(1)
        elif self.lie == "lone" and len(told) == 3 and self.sums > 3:
            told[0] ^= np.uint64(1)
        elif self.lie == "count" and self.is_due():
            told[:-2] += POINT
        elif self.lie == "centre" and self.is_due():
            told[0] += POINT
        elif self.lie == "swap" and self.is_due():
            told[[0, 1]] = told[[1, 0]]
        elif self.lie == "zero" and self.is_due():
            told[:] = 0
        elif self.lie == "late" and self.is_due():
            number += 1
        elif self.lie == "group" and self.is_due():
            group -= 1
        elif self.lie == "short" and self.is_due():
            told = told[1:]
        elif self.lie == "old" and self.passed:
            told = self.before
        self.before, self.passed = total, self.is_due()
        if self.lie == "none" and self.is_due():
            self.busy()
        for c in self.party:
            words = told
            if self.lie == "one" and self.is_due() and c is self.party[-1]:
                words = told.copy()
                words[self.args[1]] ^= np.uint64(1)
            self.tell_one(c, group, number, words)
            if self.lie == "again" and self.is_due():
                self.tell_one(c, group, number, words)
        if self.lie in ("attempts", "jobs") and self.sums == 0:
            parts = secsum.decode(total[:-2], *secsum.WIDE).tolist()
            print("sums:", *kmeans.joined(parts))
        if self.lie in ("attempts", "jobs", *LOSSES) and self.sums == 2:
            raise Broken("enough of this attempt")
        if self.lie in ("third", "number") and self.sums == 2:
            for c in self.party:
                text = b"party-01 cheated" if self.lie == "third" else b""
                c.send(wire.ABORT, wire.abort_body(2, text, 0 if text else 2))
            raise Broken("said so")

    def busy(self):
        """Getting on for ever: a counter that rises, and no answer."""
        for _ in range(600):
            self.progress += 1
            self.over.wait(0.1)
            for c in self.party:
                if not c.frames.empty():
                    c.recv(())
        raise AssertionError("nobody has enough of waiting")

    # ---- what is relayed ----

    def told_word(self, to, word):
        return word[:-1] + bytes([word[-1] ^ 1]) if self.lie == "word" and to == 1 else word

    def keys(self):
        own = [c.recv((wire.KEY,))[1] for c in self.party]
        if self.lie in LOSSES:
            key = {c.peer.encode(): k for c, k in zip(self.party, own)}
            for c in self.party:
                mine = self.offered(c)[0]
                c.send(wire.KEYS, u32(len(mine)) + b"".join(key[name] for name in mine))
            return
        last = own[-1]
        n = int.from_bytes(last[:4], "big")
        other = last
        if self.lie == "nonce":
            other = last[: 4 + n] + bytes([last[4 + n] ^ 1]) + last[5 + n :]
        elif self.lie == "key":
            other = last[:5] + bytes([last[5] ^ 1]) + last[6:]
        for c in self.party:
            relayed = own[:-1] + [last if c is self.party[-1] else other]
            if self.lie == "crowd":
                relayed += [last] * self.args[0]
            c.send(wire.KEYS, u32(len(relayed)) + b"".join(relayed))

    def done(self):
        if self.lie != "last":
            return super().done()
        self.told_words()
        for c in self.party:
            c.recv((wire.DONE,))
        print("the last word is held back", flush=True)
        for c in self.party:
            c.recv((), timeout=600)

    # ---- more than one offer ----

    def one(self):
        """An attempt, from HELLO to its end. What parties say of it."""
        self.sums = 0
        self.admit()
        if self.lie in LOSSES and self.lie != "lists":
            there = self.offered(self.party[0])[0]
            for c in self.party:
                if c.peer.encode() not in there:
                    c.close()
            self.party = [c for c in self.party if c.peer.encode() in there]
        try:
            self.offer()
            self.keys()
            self.group_key()
            self.rounds()
            self.done()
        except Broken as e:
            self.give_up(b"another attempt follows", 2 if self.lie == "jobs" else wire.AGAIN)
            return str(e)
        self.end()
        return "done"

    def give_up(self, text, code):
        for c in self.party:
            if c.open:
                try:
                    c.send(wire.ABORT, wire.abort_body(code, text))
                except (OSError, ValueError):
                    pass
        self.end()

    def end(self):
        for c in self.party:
            try:
                while True:
                    c.recv((wire.ACCEPT, wire.KEY, wire.MASKED, wire.SEALED, wire.TOLD, wire.DONE),
                           timeout=20)
            except (Broken, AssertionError):
                c.close()

    def run(self):
        if self.lie not in ("attempts", "jobs", "redo", "twin", "probing", *LOSSES):
            try:
                return super().run()
            except Broken:
                self.give_up(b"the job is over", 2)
                raise
        import threading

        threading.Thread(target=self.beat, daemon=True).start()
        for _ in range(self.args[0] or 2):
            said = self.one()
            print(f"attempt {self.attempt}: {said}", flush=True)
            if self.lie == "twin":
                self.job_id = self.job_id[:8] + secrets.token_bytes(8)
            elif self.lie in ("probing", "jobs"):
                self.job_id = secrets.token_bytes(16)
            else:
                self.attempt += 1
                if self.lie in ("attempts", *LOSSES) and "declined" in said:
                    break
        self.over.set()
        return None


KINDS = {"kmeans": coordinator.Coordinator, "fedsc": kinds.Fedsc, "fedspectral": kinds.Fedspectral,
         "fedwalk": kinds.Fedwalk,
         "fedgcn": kinds.Fedgcn, "kcagc": kinds.Kcagc, "kmeans.columns.predict": kinds.Placing}


def liar(lie, config, job, ready_file):
    base = kinds.Projected if job.get("method") in ("landmark", "gcc") else KINDS[job["kind"]]
    c = type("Liar", (Lies, base), {})(lie, config, job, ready_file)
    if job["kind"] == "kmeans" and job.get("noise", {}).get("on") == "sums":
        c.firsts = (0, 1)  # the number of rows, and all rounds
    return c


def main():
    parser = argparse.ArgumentParser(description="a coordinator that lies")
    parser.add_argument("--lie", required=True)
    a, config, job = coordinator.arguments(parser)
    try:
        liar(a.lie, config, job, a.ready_file).run()
    except (Broken, AssertionError) as e:
        print(f"liar: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
