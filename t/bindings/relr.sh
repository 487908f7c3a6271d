# DT_RELR: ld.so applies it, before us and beside us.
cat >x.c <<'E'
static int a = 1, b = 2; int *list[] = {&a, &b, &a}; int count(void); int *(*f[])(void);
int sum(void) { return *list[0] + *list[1] + *list[2] + count(); }
E
echo 'int count(void) { return 10; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
int sum(void); int main(void) { printf("%d\n", sum()); return 0; }
E
lib liby.so y.c
has_relr() { readelf -dW libx.so | grep -q RELR; }
lib libx.so x.c -ly -Wl,-z,pack-relative-relocs && has_relr ||
    # Not every machine's GNU ld can. ld.so wants no mark of an object that needs no version of libc.
    { command -v ld.lld >/dev/null && lib libx.so x.c -ly -nostdlib -fuse-ld=lld -Wl,--pack-dyn-relocs=relr && has_relr; } ||
    skip 'no linker here makes DT_RELR'
prog main m.c -lx
