#!/usr/bin/env python3
"""made_names.py DIRECTORY: print the names that appear in a directory, each once, until 'over' does.

Prints "ready" first.
"""
import ctypes
import os
import struct
import sys

CREATE, MOVED_TO = 0x100, 0x80
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(0)
if fd < 0 or libc.inotify_add_watch(fd, os.fsencode(sys.argv[1]), CREATE | MOVED_TO) < 0:
    sys.exit("inotify: " + os.strerror(ctypes.get_errno()))
print("ready", flush=True)
names = set()
while "over" not in names:
    events = os.read(fd, 65536)
    while events:
        size = struct.unpack_from("iIII", events)[3]
        names.add(os.fsdecode(events[16:16 + size].rstrip(b"\0")))
        events = events[16 + size:]
print(*sorted(names - {"over"}), sep="\n")
