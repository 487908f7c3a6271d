# A library edited in place: the same size, build-id and .dynamic, its times set back; two symbols changed places.
cat >x.c <<'C'
int f(void) { return 1; }
int g(void) { return 2; }
C
cat >m.c <<'C'
#include <stdio.h>
int f(void), g(void); int main(void) { printf("%d %d\n", f(), g()); return 0; }
C
cat >swap.py <<'C'
import re, subprocess, sys
data = bytearray(open("libx.so", "rb").read())
lines = subprocess.run(["readelf", "-W", "--dyn-syms", "libx.so"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
value = {l.split()[7]: (int(l.split()[0][:-1]), int(l.split()[1], 16)) for l in lines if len(l.split()) == 8 and l.split()[7] in ("f", "g")}
head = subprocess.run(["readelf", "-W", "-S", "libx.so"], stdout=subprocess.PIPE, check=True).stdout.decode()
start = int(re.search(r"\.dynsym +DYNSYM +\w+ +(\w+)", head).group(1), 16)
for one, other in ("f", "g"), ("g", "f"):
    at = start + 24 * value[one][0] + 8
    data[at:at + 8] = value[other][1].to_bytes(8, "little")
with open("libx.so", "r+b") as f:
    f.write(data)
C
lib libx.so x.c
prog main m.c -lx
between='touch -r libx.so times; $python swap.py; touch -r times libx.so; loadcast check app.lcast >/dev/null'
want='refused'
