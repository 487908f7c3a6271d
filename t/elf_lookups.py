#!/usr/bin/env python3
"""elf_lookups.py LIBRARY...: the dynamic linker finds every symbol where readelf sees it, first by
the GNU hash table, then by the SysV one, and none that is not there."""
import ctypes
import os
import re
import struct
import subprocess
import sys

DT_GNU_HASH, UNKNOWN = 0x6FFFFEF5, 0x60000FFF


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def without_gnu_hash(path):
    data = bytearray(open(path, "rb").read())
    at = data.index(struct.pack("<Q", DT_GNU_HASH))
    data[at:at + 8] = struct.pack("<Q", UNKNOWN)
    out = path[:-3] + ".sysv.so"
    open(out, "wb").write(data)
    return out


def check(path):
    lib = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LAZY)
    base = min(int(line.split("-")[0], 16) for line in open("/proc/self/maps")
               if line.rstrip().endswith("/" + os.path.basename(path)))
    defined = re.findall(r": (\w+) +\d+ FUNC +GLOBAL +DEFAULT +\d+ (\S+)",
                         run("readelf", "-W", "--dyn-syms", path))
    for value, name in defined:
        address = ctypes.cast(getattr(lib, name), ctypes.c_void_p).value
        assert address == base + int(value, 16), (path, name, hex(address))
        assert not hasattr(lib, name + "x"), name
    return len(defined)


for library in sys.argv[1:]:
    print(library, check(library), check(without_gnu_hash(library)))
