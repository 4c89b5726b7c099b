#!/usr/bin/env python3
"""Writes seal.inc: known answers for the sealed messages of docs/secure-sum.md.

Independent of the C sources: keys come from secagg.py, and AES from openssl(1) block by block.
GCM's counter and authentication (NIST SP 800-38D) are computed here.
"""
import io
import subprocess
import sys

real, sys.stdout = sys.stdout, io.StringIO()  # secagg.py prints its own answers
from secagg import ATTEMPT, JOB_ID, NAMES, field, hkdf_expand, pair_key, text, u32
sys.stdout = real


def aes(key, blocks):
    command = ["openssl", "enc", "-aes-256-ecb", "-nosalt", "-nopad", "-K", key.hex()]
    return subprocess.run(command, input=blocks, stdout=subprocess.PIPE, check=True).stdout


def times(x, y):
    """Multiplies in GF(2^128), bits in GCM's order."""
    z = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return z


def padded(b):
    return b + bytes(-len(b) % 16)


def gcm(key, nonce, data, plain):
    blocks = (len(plain) + 15) // 16
    pads = aes(key, bytes(16) + b"".join(nonce + u32(i + 1) for i in range(blocks + 1)))
    h, first, stream = int.from_bytes(pads[:16], "big"), pads[16:32], pads[32:]
    box = bytes(a ^ b for a, b in zip(plain, stream))
    y = 0
    lengths = (8 * len(data)).to_bytes(8, "big") + (8 * len(box)).to_bytes(8, "big")
    for_hash = padded(data) + padded(box) + lengths
    for i in range(0, len(for_hash), 16):
        y = times(y ^ int.from_bytes(for_hash[i : i + 16], "big"), h)
    return box + bytes(a ^ b for a, b in zip(y.to_bytes(16, "big"), first))


# Test case 16 of the GCM specification checks this GCM.
assert gcm(bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2),
           bytes.fromhex("cafebabefacedbaddecaf888"),
           bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
           bytes.fromhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
           )[-16:].hex() == "76fc6ece0f4e1768cddf8853bb2d551b"


def seal(i, j, number, purpose, plain):
    """Returns party i's number-th message to party j."""
    names = text(NAMES[i]) + text(NAMES[j])
    key = hkdf_expand(pair_key(i, j), b"coterie seal v1" + names, 32)
    data = JOB_ID + u32(ATTEMPT) + purpose.to_bytes(2, "big") + names
    return gcm(key, number.to_bytes(12, "big"), data, plain)


print("/* Made by seal.py. Messages of bank-b: to bank-a, two of purpose 1; to shop, one of "
      "purpose 513.")
print(" * From bank-a to bank-b, one of purpose 1. */")
for name, box in (("key", seal(1, 0, 0, 1, bytes(range(32)))),
                  ("again", seal(1, 0, 1, 1, b"again")),
                  ("empty", seal(1, 2, 0, 513, b"")), ("back", seal(0, 1, 0, 1, b"the other way"))):
    print(".%s =\n%s" % (name, field(box)))
