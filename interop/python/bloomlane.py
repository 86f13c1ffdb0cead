"""Asks the filters in files of Bloomlane, in Python 3 without packages.

This is an example, written from docs/format.md: to translate, or for some queries now and then. A
query takes microseconds. It reads the kinds deletable, plain, blocked and cuckoo, and hashes keys
by SipHash-1-3: build such filters with bloomlane build --hash siphash-1-3. Others can be asked for
hashes.

    f = bloomlane.open_filter(content, bloomlane.key(text))  # of the file, and of the key file
    f.query(b"apple")

As a program it prints those of the words that are in a filter:

    python3 bloomlane.py FILE KEYFILE WORD...
"""

import hashlib
import struct
import sys

MASK = 2**64 - 1
SIPHASH = "a key of SipHash-1-3 (bloomlane build --hash siphash-1-3): sip13: and 32 digits"
MAGIC = b"\x89BLM\r\n\x1a\n"
PAGE, PIECE = 4096, 1 << 20


class FormatError(ValueError):
    """What is wrong with a file or a key."""


def require(condition, expected):
    if not condition:
        raise FormatError("expected " + expected)


def _crc_table():
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)  # 0x1EDC6F41, reflected
        yield n


CRC = tuple(_crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def rotate(x, n):
    return (x << n | x >> 64 - n) & MASK


def siphash13(key, data):
    """Returns SipHash-1-3 of bytes under a key of 16 bytes."""
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    words = [word for (word,) in struct.iter_unpack("<Q", padded)]
    for n in range(len(words) + 3):  # a round a word, and three at the end
        word = words[n] if n < len(words) else 0
        if n == len(words):
            v2 ^= 0xFF
        v3 ^= word
        v0 = v0 + v1 & MASK
        v1 = rotate(v1, 13) ^ v0
        v0 = rotate(v0, 32)
        v2 = v2 + v3 & MASK
        v3 = rotate(v3, 16) ^ v2
        v0 = v0 + v3 & MASK
        v3 = rotate(v3, 21) ^ v0
        v2 = v2 + v1 & MASK
        v1 = rotate(v1, 17) ^ v2
        v2 = rotate(v2, 32)
        v0 ^= word
    return v0 ^ v1 ^ v2 ^ v3


def key(text):
    """Returns the 16 bytes of a key of SipHash-1-3 from the text of a key file."""
    tag, _, digits = text.rstrip("\r\n").partition(":")
    hexadecimal = len(digits) == 32 and all(c in "0123456789abcdefABCDEF" for c in digits)
    require(tag == "sip13" and hexadecimal, SIPHASH)
    return bytes.fromhex(digits)


def fingerprint(key):
    label = b"bloomlane: the fingerprint of a hash key, version 2: sip13:"
    return int.from_bytes(hashlib.sha256(label + key).digest()[:8], "little")


def _name(field):
    name = field.rstrip(b"\0")
    require(name and all(c in b"abcdefghijklmnopqrstuvwxyz0123456789-" for c in name), "a name")
    return name.decode()


def parse(content):
    """Checks a file, and returns its fingerprint, kind, attributes and sections of words."""
    require(len(content) >= PAGE and content[:8] == MAGIC, "a filter of Bloomlane")
    version, header, size, print_, kind, _, a, s = struct.unpack("<IIQQ16sQII", content[8:64])
    require(version == 3, "version 3")
    require(0 < header <= len(content) and header % PAGE == 0, "a header")
    require(size == len(content), "%d bytes" % size)
    require(crc32c(content[: header - 4]) == int.from_bytes(content[header - 4 : header], "little"),
            "the checksum of the header")
    require(a <= 64 and s <= 256 and 64 + 24 * a + 32 * s <= header - 4, "room for the tables")
    attributes, sections, sums = {}, {}, 64 + 24 * a + 32 * s
    for name, value in struct.iter_unpack("<16sQ", content[64 : 64 + 24 * a]):
        require(not attributes or _name(name) > max(attributes), "names that ascend")
        attributes[_name(name)] = value
    end = header
    for name, words, offset in struct.iter_unpack("<16sQQ", content[64 + 24 * a : sums]):
        start = -(-end // PAGE) * PAGE
        require(_name(name) not in sections, "names that differ")
        require(offset == start and start + 8 * words <= size, "sections in their places")
        require(not any(content[end:start]), "zeros between sections")
        end = start + 8 * words
        for piece in range(start, end, PIECE):
            found = crc32c(content[piece : min(piece + PIECE, end)])
            require(sums + 4 <= header - 4, "room for the checksums")
            require(found == int.from_bytes(content[sums : sums + 4], "little"), "its checksum")
            sums += 4
        sections[_name(name)] = struct.unpack("<%dQ" % words, content[start:end])
    require(end == size and header == -(-(sums + 4) // PAGE) * PAGE, "no more bytes")
    require(not any(content[sums : header - 4]), "zeros at the end of the header")
    return print_, _name(kind), attributes, sections


def reduce(x, n):
    """Returns a number below n: the upper 64 bits of a product of 128."""
    return x * n >> 64


def step(x):
    return x * 0xF1357AEA2E62A9C5 & MASK


class Filter:
    """What the kinds share. Without a key a filter can be asked for hashes only."""

    def __init__(self, parts, key):
        found, _, self.numbers, sections = parts
        algorithm = self.numbers.get("hash")
        require(algorithm in (None, 1, 3), "HighwayHash-64, SipHash-1-3 or AES-PMAC")
        require(key is None or algorithm == 1, "a filter under " + SIPHASH)
        require(key is None or found == fingerprint(key), "the filter's key")
        self.key = key
        self.words = sections.get(self.section, ())
        require(self.words and self.fits(), "numbers that fit each other")

    def query(self, key):
        """Reports whether a key, bytes, is present: a member, or a false positive."""
        require(self.key is not None, SIPHASH)
        return self.query_hash(siphash13(self.key, key))


class Deletable(Filter):
    section = "blocks"

    def fits(self):
        return len(self.words) % 8 == 0

    def query_hash(self, h):
        block = 8 * reduce(h, len(self.words) // 8)
        g = h * 0x9E3779B97F4A7C15 & MASK
        return all(self.words[block + i] >> (g >> 64 - 6 * i & 63) & 1 for i in range(1, 8))


class Plain(Filter):
    section = "bits"

    def fits(self):
        self.span, hashes = self.numbers.get("bits", 0), self.numbers.get("hashes", 0)
        return 0 < hashes <= 64 and -(-self.span // 64) == len(self.words)

    def query_hash(self, h):
        position = self.base(h)
        for _ in range(self.numbers["hashes"]):
            h = step(h)
            bit = position + reduce(h, self.span)
            if not self.words[bit // 64] >> bit % 64 & 1:
                return False
        return True

    def base(self, h):
        return 0


class Blocked(Plain):
    def fits(self):
        fits = super().fits() and self.span % 512 == 0
        self.span = 512
        return fits

    def base(self, h):
        return 512 * reduce(h, len(self.words) // 8)


class Cuckoo(Filter):
    section = "slots"

    def fits(self):
        self.buckets = self.numbers.get("buckets", 0)
        self.bits = self.numbers.get("fingerprint-bits", 0)
        bits = 4 * self.buckets * self.bits
        return 0 < self.bits <= 32 and len(self.words) == -(-bits // 64) + 1

    def query_hash(self, h):
        print_ = 1 + reduce(step(h), 2**self.bits - 1)
        first = reduce(h, self.buckets)
        x = step(print_)
        second = (reduce(step(x ^ x >> 32), self.buckets) - first) % self.buckets
        return any(self.slot(4 * bucket + i) == print_ for bucket in (first, second) for i in range(4))

    def slot(self, n):
        word, bit = divmod(n * self.bits, 64)
        two = self.words[word] | self.words[word + 1] << 64
        return two >> bit & 2**self.bits - 1


KINDS = {"deletable": Deletable, "plain": Plain, "blocked": Blocked, "cuckoo": Cuckoo}


def open_filter(content, key=None):
    """Returns the filter in the bytes of a file. Its error is a FormatError."""
    parts = parse(content)
    require(parts[1] in KINDS, "one of the kinds " + ", ".join(KINDS))
    return KINDS[parts[1]](parts, key)


def main(path, keyfile, *words):
    with open(path, "rb") as content, open(keyfile) as secret:
        f = open_filter(content.read(), key(secret.read()))
    for word in words:
        if f.query(word.encode()):
            print(word)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit("bloomlane.py: %s" % error)
