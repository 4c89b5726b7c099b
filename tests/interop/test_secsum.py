#!/usr/bin/env python3
"""Compares secsum.py with the known answers of tests/vectors, and checks what it must refuse."""
import contextlib
import hashlib
import io
import os
import re
import unittest

import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

import kmeans
import secsum
from dh import secret

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors")
with contextlib.redirect_stdout(io.StringIO()):  # the module prints its answers
    import secagg
import tag


def told(name):
    """Returns the byte strings of an .inc file; adjacent string literals are one string."""
    with open(os.path.join(VECTORS, name), encoding="ascii") as f:
        found = re.findall(r'((?:"[0-9a-f]*"\s*)+),', f.read())
    return [bytes.fromhex("".join(re.findall(r'"([0-9a-f]*)"', lines))) for lines in found]


def session(own, psk=False):
    name, keys = secagg.NAMES[own], {}
    if psk:
        keys = {secagg.NAMES[a if b == own else b]: key for (a, b), key in secagg.PSK.items()
                if own in (a, b)}
    s = secsum.Session(secagg.JOB_ID, secagg.ATTEMPT, secagg.NAMES, own, secagg.PARAMS,
                       "ffdhe%d" % secagg.BITS,
                       secret("secagg " + name.decode()), secagg.parties[own].nonce, keys)
    s.make_keys([secsum.Advert(p.public, p.nonce, p.spki, p.signature, m if psk else b"")
                 for p, m in zip(secagg.parties, secagg.MARKERS)])
    return s


class Vectors(unittest.TestCase):
    def setUp(self):
        self.known = told("secagg.inc")

    def test_adverts_and_keys(self):
        self.assertEqual(len(self.known), 44)
        for own, name in enumerate(secagg.NAMES):
            s = session(own)
            _, public, nonce, _, _, signed = self.known[6 * own : 6 * own + 6]
            self.assertEqual((s.public, s.nonce), (public, nonce))
            self.assertEqual(hashlib.sha256(s.signed(own, s.public, s.nonce, b"")).digest(), signed)
        s = session(1)
        self.assertEqual([s.hash, s.pair[0]], self.known[20:22])

    def test_masks(self):
        for bits, known in ((64, self.known[22:25]), (32, self.known[25:28])):
            s = session(1)
            for answer, members in zip(known, ((1, 2), (0, 1, 2), (0, 1, 2))):
                zeros = np.zeros(secagg.WORDS, dtype="<u%d" % (bits // 8))
                mask = s.mask(members, s.open_sum(members), secagg.TRANSCRIPT, zeros)
                self.assertEqual(mask.tobytes(), answer)

    def test_history(self):
        s = session(1)
        s.leave_group((1, 2), secagg.TRANSCRIPT)
        self.assertEqual(s.history[2], self.known[28])
        self.assertEqual(s.history[0], bytes(32))
        mask = s.mask((0, 1, 2), 2, secagg.TRANSCRIPT, np.zeros(secagg.WORDS, dtype="<u8"))
        self.assertEqual(mask.tobytes(), self.known[29])

    def test_shared_beforehand(self):
        known = self.known[30:]
        self.assertEqual(list(secagg.PSK.values()), known[:2])
        for own in range(3):
            s = session(own, True)
            self.assertEqual(s.markers, known[2 + 2 * own])
            self.assertEqual(hashlib.sha256(s.signed(own, s.public, s.nonce, s.markers)).digest(),
                             known[3 + 2 * own])
        s = session(1, True)
        self.assertEqual([s.hash, s.pair[0], s.pair[2], session(0, True).pair[2]], known[8:12])
        mask = s.mask((0, 1, 2), 0, secagg.TRANSCRIPT, np.zeros(secagg.WORDS, dtype="<u8"))
        self.assertEqual(mask.tobytes(), known[12])
        _, behind = session(1).mask((0, 1, 2), 0, secagg.TRANSCRIPT,
                                    np.zeros(secagg.WORDS, dtype="<u8"), 0)
        self.assertEqual(behind.to_bytes(16, "little"), known[13])

    def test_sealed(self):
        key, again, empty, back = told("seal.inc")
        a, b, shop = session(0), session(1), session(2)
        self.assertEqual(b.seal(0, 1, bytes(range(32))), key)
        self.assertEqual(b.seal(0, 1, b"again"), again)
        self.assertEqual(b.seal(2, 513, b""), empty)
        self.assertEqual(b.unseal(0, 1, back), b"the other way")
        self.assertEqual(a.unseal(1, 1, key), bytes(range(32)))
        with self.assertRaises(secsum.Refused):  # box 0 was already opened
            a.unseal(1, 1, key)
        with self.assertRaises(secsum.Refused):  # sealed for another purpose
            shop.unseal(1, 1, empty)

    def test_tags(self):
        with open(os.path.join(VECTORS, "tag.inc"), encoding="ascii") as f:
            rows = re.findall(r'\{ (\d+)u, (\d+)ull, (\d+), (\d+), "([0-9a-f]+)" \}', f.read())
        self.assertEqual(len(rows), 8)
        for row in rows:
            group, number, party, count = map(int, row[:4])
            words = [tag.word(i, party) for i in range(count)]
            key = secsum.TagKey(tag.KEY, tag.SESSION, group, number, count)
            made = key.make(party, np.array(words, dtype="<i8").view("<u8"))
            self.assertEqual(made.to_bytes(16, "little").hex(), row[4])


class Sums(unittest.TestCase):
    def test_sum_of_three(self):
        x = np.array([[1.5, -2.25, 3], [0.5, 1, -8], [2, 2, 2**-24]])
        members, parties, total, summed = (0, 1, 2), [session(i) for i in range(3)], 0, 0
        key = secsum.TagKey(b"k" * 32, parties[0].hash, 3, 0, 3)
        for i, s in enumerate(parties):
            words = secsum.encode(x[i], 3, *secsum.WIDE)
            tau = key.make(i, words)
            masked, behind = s.mask(members, s.open_sum(members), bytes(32), words, tau)
            self.assertFalse(np.array_equal(masked, words))
            self.assertNotEqual(behind, tau)
            total, summed = total + masked, (summed + behind) % secsum.TAG_PRIME
        self.assertEqual(secsum.decode(total, *secsum.WIDE).tolist(), x.sum(axis=0).tolist())
        self.assertTrue(key.holds(members, total, summed))
        self.assertFalse(key.holds(members, total, summed + secsum.TAG_PRIME))
        for change in (1, 2**54 - 33, 2**63, 2**64 - 1):
            other = total.copy()
            other[1:2] += np.uint64(change)
            self.assertFalse(key.holds(members, other, summed))

    def test_fixed_point(self):
        # halves are rounded to even, and the bound is a double
        self.assertEqual(secsum.encode([0.5, 1.5, 2.5, -0.5], 2, 64, 0).tolist(), [0, 2, 2, 0])
        self.assertEqual(secsum.encode([-1], 2, 32, 4).tolist(), [2**32 - 16])
        self.assertEqual(secsum.bound(1, 64, 0), float(2**63 - 2**10))
        for bad in (np.nan, np.inf, 2.0**39):
            with self.assertRaises(ValueError):
                secsum.encode([bad], 2, *secsum.WIDE)


class Agreement(unittest.TestCase):
    def setUp(self):
        self.keys = [ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1()),
                     ed25519.Ed25519PrivateKey.generate()]
        self.sessions = [secsum.Session(bytes(16), 1, secagg.NAMES, i, bytes(32), "ffdhe2048")
                         for i in range(3)]
        self.adverts = [s.advertise(k) for s, k in zip(self.sessions, self.keys)]
        self.pins = {n: a.fingerprint() for n, a in zip(secagg.NAMES, self.adverts)}

    def test_all_have_the_same(self):
        for s in self.sessions:
            s.agree(self.adverts, self.pins)
        self.assertEqual(self.sessions[0].pair[1], self.sessions[1].pair[0])
        self.assertEqual(self.sessions[1].pair[2], self.sessions[2].pair[1])

    def refuses(self, j, why, **change):
        adverts = [secsum.Advert(**vars(a)) for a in self.adverts]
        for field, value in change.items():
            setattr(adverts[j], field, value)
        with self.assertRaisesRegex(secsum.Refused, why):
            self.sessions[0].agree(adverts, self.pins)

    def test_what_is_refused(self):
        nonce, p = bytes(31) + b"\1", self.sessions[0].group.p
        self.refuses(0, "own advertisement", nonce=nonce)
        self.refuses(1, "signature of bank-b", nonce=nonce)
        self.refuses(2, "signature of shop", public=self.adverts[1].public)
        self.refuses(1, "bank-b is not the one that is pinned", spki=self.adverts[2].spki)
        for number, why in ((1, "no number"), (p - 1, "no number"), (p - 2, "subgroup")):
            public = number.to_bytes(256, "big")
            signature = secsum.sign(self.keys[1],
                                    self.sessions[0].signed(1, public, self.adverts[1].nonce, b""))
            self.refuses(1, why, public=public, signature=signature)

    def test_points(self):
        self.sessions = [secsum.Session(bytes(16), 1, secagg.NAMES, i, bytes(32), "x25519")
                         for i in range(3)]
        self.adverts = [s.advertise(k) for s, k in zip(self.sessions, self.keys)]
        small = 325606250916557431795983626356110631294008115727848805560023387167927233504
        for number, why in ((1, "no number"), (2**255 - 20, "no number"), (2**255 + 9, "no number"),
                            (small, "subgroup")):
            public = number.to_bytes(32, "little")
            signature = secsum.sign(self.keys[1],
                                    self.sessions[0].signed(1, public, self.adverts[1].nonce, b""))
            self.refuses(1, why, public=public, signature=signature)
        for s in self.sessions:
            s.agree(self.adverts, self.pins)
        self.assertEqual(self.sessions[0].pair[1], self.sessions[1].pair[0])

    def test_another_key_beforehand(self):
        for mine, theirs in ((b"a" * 32, None), (None, b"a" * 32), (b"a" * 32, b"b" * 32),
                             (b"a" * 32, b"a" * 32)):
            sessions = [secsum.Session(bytes(16), 1, secagg.NAMES, i, bytes(32), "ffdhe2048",
                                       psk=keys) for i, keys in enumerate(
                (mine and {secagg.NAMES[1]: mine}, theirs and {secagg.NAMES[0]: theirs}, None))]
            adverts = [s.advertise(k) for s, k in zip(sessions, self.keys)]
            if mine == theirs:
                for s in sessions:
                    s.agree(adverts, self.pins)
                self.assertEqual(sessions[0].pair[1], sessions[1].pair[0])
                continue
            for own, other in ((0, "bank-b"), (1, "bank-a")):
                with self.assertRaisesRegex(secsum.Refused,
                                            other + " has not the same pre-shared key"):
                    sessions[own].agree(adverts, self.pins)


if __name__ == "__main__":
    unittest.main()
