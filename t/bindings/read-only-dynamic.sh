# .dynamic in a read-only segment cannot be edited.
echo 'int g(void); int f(void) { return g(); } int (*p)(void) = g;' >x.c
echo 'int g(void) { return 9; }' >g.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); extern int (*p)(void); int main(void) { printf("%d %d\n", f(), p()); return 0; }
E
lib libg.so g.c
command -v ld.lld >/dev/null && lib libx.so x.c -lg -fuse-ld=lld -Wl,-z,rodynamic || skip 'no lld'
prog main m.c -lx -lg
libc_is_before 2.35 && ! ./main >/dev/null 2>&1 && skip 'ld.so here writes into every .dynamic'
skips='libx.so'
