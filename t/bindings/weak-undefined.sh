# Weak symbols without a definition are zero, with one they are not.
cat >x.c <<'E'
extern int none(void) __attribute__((weak)); extern int some(void) __attribute__((weak));
extern int data __attribute__((weak));
int *where = &data;
int f(void) { return (none ? 1 : 0) + (some ? 2 : 0) + (&data ? 4 : 0) + (where ? 8 : 0); }
E
echo 'int some(void) { return 1; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int some(void); int main(void) { printf("%d %d\n", f(), some()); return 0; }
E
lib liby.so y.c
lib libx.so x.c
prog main m.c -lx -ly
