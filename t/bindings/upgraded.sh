# The library is another one in the run: other offsets, other build-id.
echo 'int f(void) { return 1; }' >x.c
echo 'int before[100]; int other(void) { return 7; } int f(void) { return other(); }' >x2.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int main(void) { printf("%d\n", f()); return 0; }
E
lib libx.so x.c
prog main m.c -lx
between='lib libx.so x2.c; loadcast check app.lcast >/dev/null'
want='refused'
