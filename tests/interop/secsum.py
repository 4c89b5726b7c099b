"""One party's side of docs/secure-sum.md: keys, masks, sealed messages, tags, fixed point.

This is a second implementation; test_secsum.py compares it with tests/vectors. Names are bytes;
vectors of words are numpy arrays of little-endian u64 or u32.
"""
import hashlib
import hmac
import math
import os
import sys

import numpy as np
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors"))
from dh import prime, x25519  # computed by the formulas of RFC 7919 and 7748

EXPONENT_BITS = 320
WIDE = (64, 24)  # bits of a word, and of its fraction, in sums for which the job sets none
ROWS_SAMPLE = 144
TAG_PRIME, TAG_BLOCK = 2**127 - 1, 256
GROUP_KEY, COIN, COLUMNS = 3, 5, 7  # purposes of sealed messages


class Refused(Exception):
    """A received message must not be used; the text gives the reason."""


def u16(n):
    return n.to_bytes(2, "big")


def u32(n):
    return n.to_bytes(4, "big")


def u64(n):
    return n.to_bytes(8, "big")


def text(b):
    return u32(len(b)) + b


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf_extract(salt, secret):
    return hmac.new(salt, secret, hashlib.sha256).digest()


def hkdf_expand(key, info, n):
    out, block = b"", b""
    while len(out) < n:
        block = hmac.new(key, block + info + bytes([len(out) // 32 + 1]), hashlib.sha256).digest()
        out += block
    return out[:n]


# ---- fixed point ----

def bound(parties, bits, fraction):
    most = (2 ** (bits - 1) - 1) // parties
    excess = max(most.bit_length() - 53, 0)
    return float(most >> excess << excess) * 2.0**-fraction


def encode(x, parties, bits, fraction):
    """Encodes numbers as words modulo 2^bits. Raises ValueError if a sum of this many parties could
    overflow."""
    x = np.asarray(x, dtype=np.float64)
    most = bound(parties, bits, fraction)
    if not np.all(np.abs(x) <= most):  # also false for NaN
        raise ValueError("a value is not finite or beyond the fixed point's bound of %g" % most)
    return np.rint(x * 2.0**fraction).astype(np.int64).astype("<u%d" % (bits // 8))


def decode(words, bits, fraction):
    return words.astype("<i%d" % (bits // 8)).astype(np.float64) * 2.0**-fraction


# ---- the bound of numbers ----

BOUND_LEAST, BOUND_LIMB, BOUND_WORDS = -160, 30, 12


def power_above(x):
    """Returns the least e with 2^e >= x, for x > 0."""
    fraction, e = math.frexp(x)
    return e - (fraction == 0.5)


def bound_term(square):
    """Returns a party's words for the squared length of its longest vector."""
    term = np.zeros(BOUND_WORDS)
    if square > 0:
        limb, rest = divmod(power_above(square) - BOUND_LEAST, BOUND_LIMB)
        if not 0 <= limb < BOUND_WORDS:
            raise ValueError("the longest row is too short or too long")
        term[limb] = 2.0**rest
    return term


def bound_join(total):
    """Returns the exponent e from the sum of all parties' words."""
    square = sum(math.ldexp(word, BOUND_LEAST + BOUND_LIMB * i) for i, word in enumerate(total))
    return power_above(square) if square > 0 else 0


def fraction_for(most, parties, bits):
    """Returns the most fraction bits with which numbers up to `most` fit in the words."""
    return math.frexp(bound(parties, bits, 0) / most)[1] - 1


# ---- names of columns ----

def columns_word(group_key, columns):
    """Returns the word of a list of columns.json: 12 bytes for names in order, 10 for sorted names,
    10 for types and units."""
    key = hkdf_expand(group_key, b"coterie columns v1", 32)
    names = [c["name"].encode() for c in columns]
    held = [c[of].encode() for c in ({"unit": "", **c} for c in columns) for of in ("type", "unit")]
    texts = names, [b"sorted", *sorted(names)], [b"held", *held]
    return b"".join(hmac.digest(key, b"".join(t + b"\0" for t in text), "sha256")[:n]
                    for text, n in zip(texts, (12, 10, 10)))


# ---- rows, compared by pairs ----

def rows_names(pair_key, ids):
    """Returns for each id 16 bytes of pseudonym, and 8 bytes of draw for each party of the pair."""
    key = hkdf_expand(pair_key, b"coterie rows v2", 32)
    return [hkdf_expand(key, i, 32) for i in ids]


def rows_sample(names, higher):
    """Returns the positions of the names that a party compares: those with the lowest draws.
    higher: this party is the higher one of the pair."""
    at = 24 if higher else 16
    return sorted(range(len(names)), key=lambda i: names[i][at : at + 8])[:ROWS_SAMPLE]


# ---- tags of broadcast sums ----

def uniform(b):
    """Returns 16 bytes of a stream, without their highest bit, as a number mod TAG_PRIME."""
    return int.from_bytes(b, "little") % 2**127 % TAG_PRIME


class TagKey:
    """The key of one broadcast sum of n words: a_0 .. a_255, R, and b_i of each party."""

    def __init__(self, group_key, session, group, number, n):
        info = b"coterie tag v3" + session + u32(group) + u64(number) + u64(n)
        cipher = Cipher(algorithms.AES(hkdf_expand(group_key, info, 16)), modes.CTR(bytes(16)))
        out, self.n = cipher.encryptor().update(bytes(8 * TAG_BLOCK + 16 * 257)), n
        self.a = [int.from_bytes(out[at : at + 8], "little") for at in range(0, 8 * TAG_BLOCK, 8)]
        self.R, *self.b = [uniform(out[at : at + 16]) for at in range(8 * TAG_BLOCK, len(out), 16)]

    def hash(self, words):
        """Returns the hash H of the words as signed numbers."""
        signed, value = [int(w) for w in words.astype("<i8")], 0
        assert len(signed) == self.n
        for at in reversed(range(0, self.n, TAG_BLOCK)):
            value = (value * self.R + sum(a * x for a, x in zip(self.a, signed[at:]))) % TAG_PRIME
        return value

    def make(self, party, words):
        return (self.b[party] + self.hash(words)) % TAG_PRIME

    def holds(self, members, words, tag):
        """Returns whether the tag is right. No word of a valid sum is -N/2."""
        expect = (self.hash(words) + sum(self.b[i] for i in members)) % TAG_PRIME
        return tag == expect and not np.any(words == 2**63)


# ---- keys ----

class Advert:
    """A party's public key S for all other parties, with nonce, SPKI, signature and markers, as in
    KEY."""

    def __init__(self, public, nonce, spki, signature, markers=b""):
        self.public, self.nonce, self.spki, self.signature, self.markers = (
            public, nonce, spki, signature, markers)

    def __eq__(self, other):
        return vars(self) == vars(other)

    def fingerprint(self):
        return hashlib.sha256(self.spki).digest()


def sign(key, message):
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key.sign(message)
    return key.sign(message, ec.ECDSA(hashes.SHA256()))


def check_signature(spki, message, signature):
    try:
        key = serialization.load_der_public_key(spki)
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, message)
        elif isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp256r1":
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        else:
            return False
    except (InvalidSignature, ValueError):
        return False
    return True


class Powers:
    """A group of RFC 7919: numbers modulo p, big-endian."""

    def __init__(self, bits):
        self.size, self.p = bits // 8, prime(bits)

    def new_secret(self):
        return int.from_bytes(os.urandom(EXPONENT_BITS // 8), "big") | 1 << (EXPONENT_BITS - 1)

    def public(self, secret):
        return pow(2, secret, self.p).to_bytes(self.size, "big")

    def shared(self, secret, public):
        return pow(int.from_bytes(public, "big"), secret, self.p).to_bytes(self.size, "big")

    def wrong(self, public):
        number = int.from_bytes(public, "big")
        if len(public) != self.size or not 2 <= number <= self.p - 2:
            return "is no number of the group"
        # The power is the Jacobi symbol, since p is a prime.
        if pow(number, (self.p - 1) // 2, self.p) != 1:
            return "is not in the subgroup"
        return None


class Points:
    """X25519 of RFC 7748: points and scalars are 32 bytes, little-endian."""

    size, p = 32, 2**255 - 19

    def new_secret(self):
        return os.urandom(32)

    def public(self, secret):
        return x25519(secret, (9).to_bytes(32, "little"))

    def shared(self, secret, public):
        return x25519(secret, public)

    def wrong(self, public):
        if len(public) != self.size or not 2 <= int.from_bytes(public, "little") <= self.p - 2:
            return "is no number of the group"
        if not any(x25519(bytes(32), public)):
            return "is not in the subgroup"
        return None


def group_of(name):
    return Points() if name == "x25519" else Powers(int(name.removeprefix("ffdhe")))


class Session:
    """The keys with each other party for one attempt at a job, with the sums, masks and boxes."""

    def __init__(self, job_id, attempt, names, own, params_hash, group="ffdhe3072", secret=None,
                 nonce=None, psk=None):
        self.job_id, self.attempt, self.names, self.own = job_id, attempt, names, own
        self.params_hash, self.group = params_hash, group_of(group)
        self.secret = secret or self.group.new_secret()
        self.public = self.group.public(self.secret)
        self.nonce = nonce or os.urandom(32)
        self.next_sum = {}  # members -> number of their next sum
        self.history = {j: bytes(32) for j in self.others()}
        self.sealed = {j: 0 for j in self.others()}  # number of boxes sent to j
        self.opened = {j: 0 for j in self.others()}  # number of boxes received from j
        # number of comparisons of received sums with j
        self.told_words = {j: 0 for j in self.others()}
        self.psk = psk or {}  # name -> key that both parties had before the job
        self.markers = b"".join(self.marker(own, j) for j in range(len(names))) if self.psk else b""

    def others(self):
        return [j for j in range(len(self.names)) if j != self.own]

    def marker(self, i, j):
        """Returns the marker of party i for j, made with the key that they share; i or j is this
        party."""
        key = self.psk.get(self.names[j if i == self.own else i]) if i != j else None
        said = self.job_id + u32(self.attempt) + text(self.names[i]) + text(self.names[j])
        return hmac.new(key, b"coterie psk marker v1\0" + said,
                        hashlib.sha256).digest()[:8] if key else bytes(8)

    def signed(self, j, public, nonce, markers):
        return (b"coterie key advertisement v2\0" + self.job_id + u32(self.attempt)
                + text(self.names[j])
                + self.params_hash + text(public) + nonce + text(markers))

    def advertise(self, key):
        """Returns this party's Advert, signed with its TLS identity key."""
        spki = key.public_key().public_bytes(serialization.Encoding.DER,
                                             serialization.PublicFormat.SubjectPublicKeyInfo)
        self.advert = Advert(self.public, self.nonce, spki,
                             sign(key,
                                  self.signed(self.own, self.public, self.nonce, self.markers)),
                                  self.markers)
        return self.advert

    def check(self, j, advert, pin):
        name = self.names[j].decode()
        if advert.fingerprint() != pin:
            raise Refused("the key that was relayed for %s is not the one that is pinned" % name)
        if len(advert.markers) not in (0, 8 * len(self.names)):
            raise Refused("the markers of %s are not one for each party" % name)
        signed = self.signed(j, advert.public, advert.nonce, advert.markers)
        if not check_signature(advert.spki, signed, advert.signature):
            raise Refused("the signature of %s's key advertisement does not fit" % name)
        wrong = self.group.wrong(advert.public)
        if wrong:
            raise Refused("the public key of %s %s" % (name, wrong))
        if (advert.markers[8 * self.own : 8 * self.own + 8]
            or bytes(8)) != self.marker(j, self.own):
            raise Refused("%s has not the same pre-shared key, or alone has one" % name)

    def agree(self, adverts, pins):
        """Checks the relayed adverts against {name: fingerprint}, and makes the keys."""
        if len(adverts) != len(self.names):
            raise Refused("%d keys were relayed for %d parties" % (len(adverts), len(self.names)))
        if adverts[self.own] != self.advert:
            raise Refused("this party's own advertisement came back changed")
        for j in self.others():
            self.check(j, adverts[j], pins[self.names[j]])
        self.make_keys(adverts)

    def make_keys(self, adverts):
        self.nonces = [a.nonce for a in adverts]
        self.hash = sha256(
            b"coterie session v2\0", self.job_id, u32(self.attempt), self.params_hash,
            u32(len(self.names)),
            *[text(n) + a.fingerprint() + text(a.public) + text(a.signature) + a.nonce
              + text(a.markers)
              for n, a in zip(self.names, adverts)])
        self.pair = {}
        for j in self.others():
            shared = self.group.shared(self.secret, adverts[j].public)
            lower, higher = sorted((self.names[self.own], self.names[j]))
            salt, key = self.hash, self.psk.get(self.names[j])
            if key:
                salt = hmac.new(key, b"coterie psk salt v1\0" + salt, hashlib.sha256).digest()
            self.pair[j] = hkdf_expand(hkdf_extract(salt, shared),
                                       b"coterie pair key v1\0" + text(lower) + text(higher), 32)
        self.secret = None

    # ---- sums ----

    def open_sum(self, members):
        """Returns the number of the members' next sum, and counts it as used."""
        number = self.next_sum.get(tuple(members), 0)
        self.next_sum[tuple(members)] = number + 1
        return number

    def mask(self, members, number, transcript, words, tag=None):
        """Returns words (of a numpy type) plus this party's mask, and the masked tag if there is
        one."""
        info = b"coterie mask v2" + sha256(text(b"coterie sum v1"), u32(len(members)),
                                           *(text(self.names[m]) for m in members),
                                           u64(number), transcript)
        out = words.copy()
        for j in members:
            if j == self.own:
                continue
            key = hkdf_expand(self.pair[j], info + self.history[j], 16)
            cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
            stream = np.frombuffer(cipher.update(bytes(words.nbytes)), dtype=words.dtype)
            out = out + stream if j > self.own else out - stream
            if tag is not None:
                behind = uniform(cipher.update(bytes(16)))
                tag = (tag + behind if j > self.own else tag - behind) % TAG_PRIME
        return out if tag is None else (out, tag)

    def leave_group(self, members, transcript):
        """Adds a transcript of what the members received to the history, which all their later
        masks use."""
        for j in members:
            if j != self.own:
                self.history[j] = sha256(b"coterie history v1\0", self.history[j], transcript)

    def told(self, members, transcript):
        """Returns a word for each other member on what this party received, and the exclusive or of
        the words that the others send if they received the same."""
        own, others = b"", bytes(16)
        for j in members:
            if j == self.own:
                continue
            name, with_j = text(self.names[self.own]), text(self.names[j])
            told = u64(self.told_words[j]) + self.history[j] + transcript
            own += hkdf_expand(self.pair[j], b"coterie told v2" + name + with_j + told, 16)
            word = hkdf_expand(self.pair[j], b"coterie told v2" + with_j + name + told, 16)
            others = bytes(a ^ b for a, b in zip(others, word))
            self.told_words[j] += 1
        return own, others

    # ---- sealed messages ----

    def box(self, sender, receiver, purpose):
        other = receiver if sender == self.own else sender
        names = text(self.names[sender]) + text(self.names[receiver])
        key = hkdf_expand(self.pair[other], b"coterie seal v1" + names, 32)
        return AESGCM(key), self.job_id + u32(self.attempt) + u16(purpose) + names

    def seal(self, to, purpose, plain):
        gcm, data = self.box(self.own, to, purpose)
        number = self.sealed[to]
        self.sealed[to] += 1
        return gcm.encrypt(bytes(4) + u64(number), plain, data)

    def unseal(self, sender, purpose, box):
        gcm, data = self.box(sender, self.own, purpose)
        try:
            plain = gcm.decrypt(bytes(4) + u64(self.opened[sender]), box, data)
        except InvalidTag:
            raise Refused("a sealed message of %s is not what it sealed"
                          % self.names[sender].decode()) from None
        self.opened[sender] += 1
        return plain
