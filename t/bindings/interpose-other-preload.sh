# An LD_PRELOAD that the recording did not have.
echo 'int f(void) { return 1; } int g(void) { return f(); }' >x.c
echo 'int f(void) { return 3; }' >p.c
cat >m.c <<'E'
#include <stdio.h>
int f(void), g(void); int main(void) { printf("%d %d\n", f(), g()); return 0; }
E
lib libx.so x.c
lib p.so p.c
prog main m.c -lx
run_with=LD_PRELOAD=$PWD/p.so
want='refused'
