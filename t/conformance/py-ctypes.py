# SPDX-License-Identifier: MIT
# Libraries opened from Python.
import ctypes, ctypes.util, os
for name in (os.path.abspath("lib/one/libname.so"), "lib/two/libname.so", "lib/libvia_one.so", "libabsent.so", "data/file"):
    try:
        lib = ctypes.CDLL(name)
        f = getattr(lib, "libname_says", None) or getattr(lib, "via_one")
        f.restype = ctypes.c_char_p
        print(name, f())
    except OSError as e:
        print(name, e)
print(ctypes.util.find_library("c"), ctypes.util.find_library("no-such-thing"))
