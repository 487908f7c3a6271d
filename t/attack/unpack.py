#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unpack.py - what another user may do while somebody unpacks

unpack.py names IMAGE DIR OLD NEW   change a name inside the image as soon as DIR has something in it
unpack.py links DIR NAME TARGET     put a link to TARGET in the place of DIR/.../NAME, again and again

Ends when its standard input ends.
"""
import os, sys, threading

ended = threading.Event()


def wait_for_end():
    sys.stdin.read()
    ended.set()


def names(image, room, old, new):
    old, new = os.fsencode(old), os.fsencode(new)
    assert len(old) == len(new)
    content = open(image, "rb").read()
    places = []
    at = content.find(old)
    while at >= 0:
        places.append(at)
        at = content.find(old, at + 1)
    while not ended.is_set():
        try:
            if os.listdir(room):
                break
        except OSError:
            pass
    with open(image, "r+b", buffering=0) as f:
        for at in places:
            f.seek(at)
            f.write(new)
    ended.wait()


def links(room, name, target):
    """Wherever the directory is, as long as it can be written to."""
    aside = 0
    while not ended.is_set():
        for where, dirs, _ in os.walk(room):
            if name not in dirs or os.path.islink(os.path.join(where, name)):
                continue
            try:
                os.rename(os.path.join(where, name), os.path.join(where, "aside%d" % aside))
                os.symlink(target, os.path.join(where, name))
                aside += 1
            except OSError:
                pass


threading.Thread(target=wait_for_end, daemon=True).start()
{"names": names, "links": links}[sys.argv[1]](*sys.argv[2:])
