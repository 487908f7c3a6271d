#!/usr/bin/env python3
"""elf_agree.py C_DIR ELF_DIR: two workloads of one configuration, made by the compiler and by gen
itself, must agree in what the dynamic linker and the unwinder see. Prints what differs."""
import os
import re
import subprocess
import sys
from collections import Counter


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def symbols(path, defined):
    out = set()
    for line in run("readelf", "-W", "--dyn-syms", path).splitlines():
        f = line.split()
        if len(f) < 8 or not f[0][:-1].isdigit() or f[4] == "LOCAL":
            continue
        if (f[6] != "UND") == defined:
            out.add((f[3] if defined else "", f[4], f[5], f[7]))
    return out


def locals_in(path):
    return len(re.findall(r": \w+ +\d+ SECTION +LOCAL ", run("readelf", "-W", "--dyn-syms", path)))


def relocations(path):
    """(section, type, symbol) of every dynamic relocation, counted."""
    out, section = Counter(), ""
    for line in run("readelf", "-W", "-r", path).splitlines():
        head = re.match(r"Relocation section '(.*?)'", line)
        if head:
            section = head.group(1)
        f = line.split()
        if len(f) > 2 and f[2].startswith("R_"):
            out[section, f[2], f[4] if len(f) > 4 else ""] += 1
    return out


def dynamic(path):
    out = []
    for line in run("readelf", "-W", "-d", path).splitlines():
        m = re.match(r" 0x\w+ \((\w+)\) +(.*)", line)
        if m:
            text = re.search(r"\[(.*)\]", m.group(2))
            value = text.group(1) if text else m.group(2) if m.group(1) in ("RELACOUNT", "PLTREL") else ""
            out.append((m.group(1), value))
    return out


def segments(path):
    """Type, protection and alignment of every segment, and which sections RELRO covers."""
    out = []
    for line in run("readelf", "-W", "-l", path).splitlines():
        m = re.match(r" +([A-Z_]+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ (.{3}) (0x\w+)", line)
        if m:
            out.append(m.groups())
    return out


def sections(path):
    out = {}
    for line in run("readelf", "-W", "-S", path).splitlines():
        m = re.match(r" +\[ *\d+\] (\S+) +(\S+) +\w+ \w+ (\w+)", line)
        if m:
            out[m.group(1)] = int(m.group(3), 16)
    return out


def unwound(path):
    """Functions that have unwind information."""
    ranges = re.findall(r"FDE .* pc=(\w+)\.\.(\w+)", run("readelf", "-W", "--debug-dump=frames", path))
    starts = {int(a, 16): int(b, 16) - int(a, 16) for a, b in ranges}
    out = set()
    for line in run("readelf", "-W", "--dyn-syms", path).splitlines():
        f = line.split()
        if len(f) == 8 and f[3] == "FUNC" and f[6] != "UND" and starts.get(int(f[1], 16)) == int(f[2]):
            out.add(f[7])
    return out


def code(path):
    """Bytes of generated functions, without the start files' (a few hundred in .text)."""
    lines = (line.split() for line in run("readelf", "-W", "--dyn-syms", path).splitlines())
    return sum(int(f[2]) for f in lines if len(f) == 8 and f[3] == "FUNC")


def compare(name, a, b, what, out):
    if a != b:
        one = a - b if isinstance(a, (set, Counter)) else a
        two = b - a if isinstance(b, (set, Counter)) else b
        out.append("%s: %s: C has %s, ELF has %s" % (name, what, str(one)[:300], str(two)[:300]))


def main(c_dir, elf_dir):
    wrong, text = [], [0, 0]
    names = sorted(n for n in os.listdir(c_dir) if n.endswith(".so"))
    if names != sorted(n for n in os.listdir(elf_dir) if n.endswith(".so")) or not names:
        sys.exit("other files")
    for name in names:
        pair = [os.path.join(d, name) for d in (c_dir, elf_dir)]
        for what, f in (("exports", lambda p: symbols(p, True)), ("undefined", lambda p: symbols(p, False)),
                        ("relocations", relocations), ("dynamic section", dynamic),
                        ("segments", segments), ("unwind information", unwound)):
            compare(name, f(pair[0]), f(pair[1]), what, wrong)
        size = [sections(p) for p in pair]
        for p, s in zip(pair, size):  # some linkers list sections among the dynamic symbols
            s[".dynsym"] -= 24 * locals_in(p)
            s[".hash"] -= 4 * locals_in(p)
            s[".gnu.version"] -= 2 * locals_in(p)
        for table in (".hash", ".gnu.hash", ".dynsym", ".dynstr", ".gnu.version", ".gnu.version_r", ".rela.dyn",
                      ".rela.plt", ".got.plt"):
            compare(name, size[0].get(table), size[1].get(table), "size of " + table, wrong)
        text = [text[i] + size[i][".text"] for i in (0, 1)]
        for kind, (c, elf) in (("code", map(code, pair)), (".text", (s[".text"] for s in size))):
            if not 0.8 <= elf / c <= 1.2 and (kind == "code" or c > 2000):
                wrong.append("%s: %s of %d bytes, C %d" % (name, kind, elf, c))
    print("%d files, .text %.3f of C's" % (len(names), text[1] / text[0]))
    if wrong:
        sys.exit("\n".join(wrong[:40]))


main(*sys.argv[1:])
