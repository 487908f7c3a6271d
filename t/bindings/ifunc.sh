# An IFUNC of a library, by PLT and by address: the resolver runs on this processor.
cat >x.c <<'E'
static int one(void) { return 1; }
static int (*resolve(void))(void) { return one; }
int f(void) __attribute__((ifunc("resolve")));
int (*address(void))(void) { return f; }
E
cat >m.c <<'E'
#include <stdio.h>
int f(void); int (*address(void))(void);
int (*mine)(void) = f;
int main(void) { printf("%d %d %d\n", f(), mine(), mine == address()); return 0; }
E
lib libx.so x.c
prog main m.c -lx
