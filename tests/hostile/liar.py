#!/usr/bin/env python3
"""A coordinator of kmeans, kmeans.columns.predict, fedsc, fedspectral, fedwalk, fedgcn or kcagc
that tells one lie. Otherwise it is the coordinator of tests/interop.

    liar.py --config coordinator.json --job job.json --ready-file FILE --lie LIE

S is the number of a broadcast sum. For fedsc and fedspectral it can be PHASE+N, the N-th sum of a
phase.

    honest        it does not lie
    bit=S,W       it changes one bit of word W of sum S, for all parties; words -1 and -2 are the
                  tag
    one=S,W       the same, for the last party alone
    count=S       the counts of sum S are 1 too many, as if there were another row
    none-at=S     the first count of sum S is 0
    lone          it changes a bit of each sum of one word from sum 4 on: these sums are
                  silhouettes, in a job with a range of clusters
    centre=S      it adds 1.0 to a coordinate of sum S
    n             it doubles the number of rows
    rows=N        it broadcasts N as the number of rows
    scale         it multiplies the sum of squares by 4
    swap=S        it exchanges the first two words of sum S
    zero=S        sum S is all zeros, with its tag
    again=S       it sends sum S twice
    late=S        it sends sum S under the number of the next
    old=S         it sends sum S again in place of the next
    group=S       it sends sum S with the number of another group
    short=S       it sends sum S without its first word
    none=S        it does not send sum S: parties wait, and receive progress without end
    word          it changes a party's confirmation of the broadcasts on its way to another party
    weak-one      it offers the last party the job with a hundred times its eps, so that this party
                  adds less noise
    crowd=N       it offers N more parties than there are, so that each party adds less noise; their
                  keys are copies of the last party's key
    nonce         it changes the last party's nonce in what it relays to the others
    key           it changes the last party's public key in what it relays to the others
    third         an ABORT says that another party cheated
    number        an ABORT gives the cause as a number, which only parties may do
    version       WELCOME has version 3
    refused       it sends REFUSED in place of WELCOME, with bytes that move a terminal's cursor,
                  forge a line or reverse the text
    attempts=N    it breaks off each attempt after two sums and starts the next, at most N; it
                  prints the columns' sums that it saw
    jobs=N        the same in N jobs instead of attempts
    lists=2       two attempts; in the second it tells each half that another party is lost
    gone=N        N attempts; from the second on it says that the last party is lost
    two=N         N attempts; from the second on it says that all but two parties are lost
    returns=3     three attempts; in the second it says that the last party is lost, in the third
                  that the last is back and the party before it is lost
    last          it does not send DONE, though all parties have their results
    redo          it offers the finished job again as the next attempt
    known         the job's id is a known one, 11 sixteen times; otherwise it does not lie
    nul           in the offer the last party's name has a byte 0 and more after it
    nul-submitter the same for the submitter's name
    twin          after the job it runs another whose id has the same first half
    probing=N     it makes N offers in a row that policies refuse

About the basis of fedsc, variants anchor and dense:

    value         the largest eigenvalue is too large by 1e-6 of it
    vector        a number of the first eigenvector is too large by 1e-6
    vector-one    the same, for the last party alone
    smaller       it sends the smallest eigenvalues with their vectors in place of the largest
    turned        two eigenvectors are turned in their plane
    longer        the first eigenvector has length 1 + 1e-6
    sign          the first eigenvector has the other sign, which is as good a basis
    sign-one      the same, for the last party alone

About fedspectral:

    apart         each party has rows of its own
    victim        the last party has rows of its own, the others share rows
    merged        the last party's nodes have the rows of other nodes; n is right
    few=T         T of the last party's nodes have rows of their own: parties find the lie, or the
                  coordinator reads the owner of the edges of these nodes
    box           it changes a bit of the sealed rows that one party sends another
    boxes         it exchanges such sealed rows of two parties
    block         a column of a block is twice as long (also kcagc, landmark and gcc)
    block-turned  two columns are not orthogonal (also kcagc, landmark and gcc)
    block-nan     a number is a NaN (also kcagc, landmark and gcc)
    block-end     the last number is changed (also kcagc, landmark and gcc)
    more          with noise in sums: there is one block more than parties count
    fewer         with noise in sums: there is one block less
    block-one     the last party receives two columns of a block exchanged
    wide          a block is wider than the job allows
    clusters      there are two more clusters than the job asks for
    result        labels are random (also kcagc, methods basic, landmark and gcc)

About RESULT of kmeans.columns.predict:

    result        labels are random
    label=V       the first row's label is V, which may be no cluster or not exist
    labels=N      there are N labels, for any number of rows
    label-one     the last party receives other labels
    twice         it sends RESULT twice
    for-done      it sends RESULT again in place of DONE

About unmasked prototypes of fedgcn:

    large         a prototype of the second round contains 1e13
    nan           a prototype of the second round contains a NaN
    proto-one     the last party receives other prototypes than the rest
    elsewhere     prototypes are random, the same for all parties

About fedwalk:

    shared        two parties have a row in common
    gap           no party has a certain row
    directory     it changes a bit of the sealed directory that one party sends another
    walk          it changes a bit of a batch of walks
    old-walks     it relays a batch of walks again in place of the next
    dictionary    it changes a number of a party's own row of the dictionary
    endless       counts of the dictionary are so large that no memory is large enough for them
    empty         each party receives its own rows of the dictionary, and zeros for all others: no
                  walk goes to a vertex that is not a neighbour
    tree          a vertex is in the tree twice
    list          a list of the encoder has no end
    list-row      a list of the encoder names a row that does not exist
    one-token     the encoder writes all vertices as one token
    embedding     an embedding is too long
    guesses       guesses are not sorted
    pair=U,V      it guesses one pair, the vertices nU and nV: the sum shows whether it is a tie
    facts-one     the last party receives facts at the end whose last number is changed
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
POINT = np.uint64(1 << 24)  # 1.0 in the words of sums


HARMFUL = (
    "\x1b[2J\x1b]0;owned\x07 \x9b31m \u202e dednepsus \u2028\n00:00:00.000 info forged\r".encode())


class Lies:
    """A mixin that changes a coordinator of tests/interop."""

    def __init__(self, lie, *args):
        super().__init__(*args)
        self.lie, _, rest = lie.partition("=")
        place, *more = rest.split(",") if rest else ["0"]
        self.place, _, plus = place.partition("+")
        self.args = [int(plus or self.place if plus or self.place.isdigit()
                         else 0)] + [int(n) for n in more]
        self.before, self.passed = None, False  # the last sum, and whether it was sum S
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
        """Skips the check of the canary sum if the lie makes masks that do not cancel."""
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
        """Returns the parties that the coordinator falsely reports as lost."""
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
        """Reports progress without end: raises a counter and sends no answer."""
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
        """Runs an attempt, from HELLO to its end. Returns how it ended: "done", or the cause."""
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
        c.firsts = (0, 1)  # sum 0 is all of phase "totals"; sum 1 begins the next phase
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
