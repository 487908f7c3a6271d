#!/usr/bin/env python3
"""elf_results.py DIR SOURCES: call every function of every library in DIR, with types as the C
sources declare them, and print the results."""
import ctypes
import glob
import os
import re
import sys

TYPES = {"int ": ctypes.c_int, "long ": ctypes.c_long, "float ": ctypes.c_float, "double ": ctypes.c_double,
         "char *": ctypes.c_char_p, "unsigned ": ctypes.c_uint}
VALUES = {"int ": 4711, "long ": 123456, "float ": 1234.625, "double ": 9999.375, "char *": b"xyz"}


def functions(source):
    for line in open(source):
        m = re.match(r"(int |long |float |double |char \*|unsigned )(lib\w+)\((.*)\)$", line)
        if m:
            yield m.group(1), m.group(2), re.findall(r"(int |long |float |double |char \*)a\d", m.group(3))


def main(where, sources):
    for path in sorted(glob.glob(os.path.join(where, "lib*[0-9].so"))):
        lib = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
        for result, name, args in functions(os.path.join(sources, os.path.basename(path)[:-3] + ".c")):
            f = getattr(lib, name)
            f.restype, f.argtypes = TYPES[result], [TYPES[a] for a in args]
            print(name, f(*[VALUES[a] for a in args]))


main(*sys.argv[1:])
