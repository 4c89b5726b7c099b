#!/usr/bin/env python3
"""Writes secagg.inc: a known answer for the secure sum of docs/secure-sum.md, from set-up to masks.

Independent of the C sources: Python integers, hashlib and hmac; AES by openssl(1).
"""
import hashlib
import hmac
import subprocess

from dh import prime, secret

BITS = 2048
P = prime(BITS)
NAMES = [b"bank-a", b"bank-b", b"shop"]
JOB_ID, ATTEMPT = bytes(range(16)), 7
PARAMS = hashlib.sha256(b"parameters").digest()
TRANSCRIPT = hashlib.sha256(b"broadcasts").digest()
WORDS = 5
TAG_PRIME = 2**127 - 1


def u32(n):
    return n.to_bytes(4, "big")


def text(b):
    return u32(len(b)) + b


def hkdf_expand(prk, info, n):
    out, t, i = b"", b"", 1
    while len(out) < n:
        t = hmac.new(prk, t + info + bytes([i]), hashlib.sha256).digest()
        out, i = out + t, i + 1
    return out[:n]


def stream(key, n):
    command = ["openssl", "enc", "-aes-128-ctr", "-nosalt", "-K", key.hex(), "-iv", "00" * 16]
    return subprocess.run(command, input=bytes(n), stdout=subprocess.PIPE, check=True).stdout


def field(b):
    h = b.hex()
    return "\n".join('\t"%s"' % h[i : i + 80] for i in range(0, len(h), 80)) + ","


class Party:
    def __init__(self, name):
        self.name = name
        self.s = secret("secagg " + name.decode())
        self.public = pow(2, self.s, P).to_bytes(BITS // 8, "big")
        drawn = hashlib.sha256(b"nonce " + name).digest()
        self.nonce = hashlib.sha256(b"coterie coin v1" + drawn).digest()
        # The hash does not parse these fields, so any bytes of different lengths suffice.
        self.spki = b"spki " + name * 3
        self.signature = b"signature " + name * 4

    def advert(self, markers=b""):
        return (b"coterie key advertisement v2\0" + JOB_ID + u32(ATTEMPT) + text(self.name) + PARAMS
                + text(self.public) + self.nonce + text(markers))


parties = [Party(n) for n in NAMES]
# Keys that two parties had before the job, of the shortest and the longest permitted length. All
# other answers have no such keys.
PSK = {(0, 1): hashlib.sha256(b"psk of bank-a and bank-b").digest(),
       (1, 2): hashlib.sha512(b"psk of bank-b and shop").digest()}


def session(markers):
    out = b"coterie session v2\0" + JOB_ID + u32(ATTEMPT) + PARAMS + u32(len(parties))
    for p, m in zip(parties, markers):
        out += (text(p.name) + hashlib.sha256(p.spki).digest() + text(p.public) + text(p.signature)
                + p.nonce
                + text(m))
    return hashlib.sha256(out).digest()


def marker(i, j):
    """Returns the marker of party i for j, made with the key that they share."""
    key = PSK.get((min(i, j), max(i, j)))
    if not key:
        return bytes(8)
    said = JOB_ID + u32(ATTEMPT) + text(NAMES[i]) + text(NAMES[j])
    return hmac.new(key, b"coterie psk marker v1\0" + said, hashlib.sha256).digest()[:8]


MARKERS = [b"".join(marker(i, j) for j in range(len(parties))) for i in range(len(parties))]
h = session([b""] * len(parties))
h_psk = session(MARKERS)


def pair_key(i, j, psk=False):
    shared = pow(int.from_bytes(parties[j].public, "big"), parties[i].s,
                 P).to_bytes(BITS // 8, "big")
    first, second = sorted((parties[i].name, parties[j].name))
    salt, key = h_psk if psk else h, PSK.get((min(i, j), max(i, j)))
    if psk and key:
        salt = hmac.new(key, b"coterie psk salt v1\0" + salt, hashlib.sha256).digest()
    prk = hmac.new(salt, shared, hashlib.sha256).digest()
    return hkdf_expand(prk, b"coterie pair key v1\0" + text(first) + text(second), 32)


def mask(i, members, number, bits, history={}, psk=False):
    """Returns the words of party i's mask for the number-th sum of these members, followed by the
    mask of a tag."""
    of = text(b"coterie sum v1") + u32(len(members)) + b"".join(
        text(parties[m].name) for m in members)
    info = b"coterie mask v2" + hashlib.sha256(of + number.to_bytes(8, "big") + TRANSCRIPT).digest()
    total, tag = [0] * WORDS, 0
    for j in members:
        if j == i:
            continue
        s = stream(hkdf_expand(pair_key(i, j, psk), info + history.get(j, bytes(32)), 16),
                   WORDS * bits // 8 + 16)
        sign = 1 if j > i else -1
        for w in range(WORDS):
            word = int.from_bytes(s[w * bits // 8 : (w + 1) * bits // 8], "little")
            total[w] = (total[w] + sign * word) % 2**bits
        tag = (tag + sign * (int.from_bytes(s[-16:], "little") % 2**127 % TAG_PRIME)) % TAG_PRIME
    return b"".join(t.to_bytes(bits // 8, "little") for t in total), tag.to_bytes(16, "little")


print("/* Made by secagg.py; its text says what is what. */")
print(".party = {")
for p in parties:
    print("{ /* %s: secret s, public key S, nonce, SPKI, signature, SHA-256 of what is signed */"
          % p.name.decode())
    for b in (p.s.to_bytes(40, "big"), p.public, p.nonce, p.spki, p.signature,
              hashlib.sha256(p.advert()).digest()):
        print(field(b))
    print("},")
print("},")
print(".params_hash =\n" + field(PARAMS))
print(".transcript =\n" + field(TRANSCRIPT))
print("/* h, the hash of the session */\n.session =\n" + field(h))
print("/* pair key K of bank-b and bank-a */\n.pair =\n" + field(pair_key(1, 0)))
assert pair_key(1, 0) == pair_key(0, 1)
for bits in (64, 32):
    print("/* masks of bank-b: with shop, round 0; all three, round 0; all three, round 1 */")
    print(".mask%d = {" % bits)
    for members, number in (((1, 2), 0), ((0, 1, 2), 0), ((0, 1, 2), 1)):
        print(field(mask(1, members, number, bits)[0]))
    print("},")
print("/* history of bank-b and shop after their group has ended; bank-b's mask with all, round 2 "
      "*/")
HISTORY = {2: hashlib.sha256(b"coterie history v1\0" + bytes(32) + TRANSCRIPT).digest()}
print(".history =\n" + field(HISTORY[2]))
print(".told64 =\n" + field(mask(1, (0, 1, 2), 2, 64, HISTORY)[0]))
print("/* keys shared beforehand: of bank-a and bank-b; of bank-b and shop */\n.psk = {")
for key in PSK.values():
    print(field(key))
print("},\n/* each party's markers, and what it signs with them (SHA-256) */\n.marked = {")
for p, m in zip(parties, MARKERS):
    print("{\n" + field(m) + "\n" + field(hashlib.sha256(p.advert(m)).digest()) + "\n},")
print("},\n/* h, the hash of the session */\n.psk_session =\n" + field(h_psk))
print("/* pair keys K: bank-b and bank-a; bank-b and shop; bank-a and shop, which have no key "
      "beforehand */\n.psk_pair = {")
for i, j in ((1, 0), (1, 2), (0, 2)):
    print(field(pair_key(i, j, True)))
    assert pair_key(i, j, True) == pair_key(j, i, True)
print("},\n/* mask of bank-b: all three, round 0 */\n.psk_mask64 =\n"
      + field(mask(1, (0, 1, 2), 0, 64, psk=True)[0]))
print("/* a tag 0 under bank-b's mask: all three, round 0, without keys beforehand */\n.tag =\n"
      + field(mask(1, (0, 1, 2), 0, 64)[1]))
