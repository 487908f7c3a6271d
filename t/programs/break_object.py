"""break_object.py OBJECT FUNCTION [STATUS]: the function of a copy of our object dies by SIGSEGV when it is called, or
ends the process with that status, as ld.so does when it finds a fault (x86-64)."""
import struct
import subprocess
import sys

path, function = sys.argv[1:3]
code = b"\x31\xc0\x89\x00"  # xor %eax,%eax; mov %eax,(%rax)
if len(sys.argv) > 3:  # mov $STATUS,%edi; mov $SYS_exit_group,%eax; syscall
    code = b"\xbf" + struct.pack("<I", int(sys.argv[3])) + b"\xb8" + struct.pack("<I", 231) + b"\x0f\x05"
symbols = [line.split() for line in subprocess.check_output(["nm", path], text=True).splitlines()]
address = next(int(words[0], 16) for words in symbols if words[-1] == function)
with open(path, "r+b") as file:
    header = file.read(64)
    table, size, count = struct.unpack_from("<Q", header, 32)[0], *struct.unpack_from("<HH", header, 54)
    for i in range(count):
        file.seek(table + i * size)
        kind, _, offset, at, _, length = struct.unpack_from("<IIQQQQ", file.read(size))
        if kind == 1 and at <= address < at + length:
            file.seek(offset + address - at)
            file.write(code)
            break
    else:
        sys.exit("no segment has " + function)
