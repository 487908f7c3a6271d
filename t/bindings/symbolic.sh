# -Bsymbolic: the library's own definitions first. Such objects are left alone.
echo 'int f(void) { return 1; } int g(void) { return f(); } int (*h)(void) = f;' >x.c
cat >m.c <<'E'
#include <stdio.h>
int f(void) { return 2; } int g(void); extern int (*h)(void);
int main(void) { printf("%d %d %d\n", f(), g(), h()); return 0; }
E
lib libx.so x.c -Wl,-Bsymbolic
prog main m.c -lx -rdynamic
skips='libx.so'
