# The program's own definition comes before the library's, for the library too.
cat >x.c <<'E'
int f(void) { return 1; } int g(void) { return f(); } int (*h)(void) = f;
E
cat >m.c <<'E'
#include <stdio.h>
int f(void) { return 2; } int g(void); extern int (*h)(void);
int main(void) { printf("%d %d %d\n", f(), g(), h()); return 0; }
E
lib libx.so x.c
prog main m.c -lx -rdynamic
