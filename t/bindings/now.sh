# Linked with -z now and full RELRO.
echo 'int g(void); int f(void) { return g(); } int (*const p)(void) = g;' >x.c
echo 'int g(void) { return 9; }' >g.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); extern int (*const p)(void); int main(void) { printf("%d %d\n", f(), p()); return 0; }
E
lib libg.so g.c -Wl,-z,now,-z,relro
lib libx.so x.c -lg -Wl,-z,now,-z,relro
prog main m.c -lx -lg -Wl,-z,now,-z,relro -pie
