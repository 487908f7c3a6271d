"""foreign.py FROM TO - an image as another architecture would have written it (tests only)."""
import struct
import sys

P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
M = (1 << 64) - 1


def rotate(x, n):
    return ((x << n) | (x >> (64 - n))) & M


def xxh64_32(data):
    """XXH64 of exactly 32 bytes, seed 0."""
    acc = [(P1 + P2) & M, P2, 0, -P1 & M]
    acc = [rotate((a + w * P2) & M, 31) * P1 & M for a, w in zip(acc, struct.unpack("<4Q", data))]
    h = sum(rotate(a, n) for a, n in zip(acc, (1, 7, 12, 18))) & M
    for a in acc:
        h = ((h ^ (rotate(a * P2 & M, 31) * P1 & M)) * P1 + P4) & M
    h = (h + 32) & M
    h = (h ^ (h >> 33)) * P2 & M
    h = (h ^ (h >> 29)) * P3 & M
    return h ^ (h >> 32)


image = bytearray(open(sys.argv[1], "rb").read())
assert struct.unpack("<Q", image[32:40])[0] == xxh64_32(bytes(image[:32]))
machine = struct.unpack("<I", image[16:20])[0]
image[16:20] = struct.pack("<I", 62 if machine != 62 else 183)
image[32:40] = struct.pack("<Q", xxh64_32(bytes(image[:32])))
open(sys.argv[2], "wb").write(image)
