# A static IFUNC is an IRELATIVE relocation of its own and stays ld.so's.
cat >x.c <<'E'
static int two(void) { return 2; }
static int (*resolve(void))(void) { return two; }
static int f(void) __attribute__((ifunc("resolve")));
int g(void) { return f(); }
E
cat >m.c <<'E'
#include <stdio.h>
int g(void); int main(void) { printf("%d\n", g()); return 0; }
E
lib libx.so x.c
prog main m.c -lx
