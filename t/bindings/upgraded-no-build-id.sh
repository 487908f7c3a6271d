# The same without build-ids; and the same .dynamic, only code moved.
cat >x.c <<'E'
int f(void) { return 1; }
int g(void) { return 2; }
E
cat >x2.c <<'E'
int g(void) { return 2; }
int f(void) { return 1; }
E
cat >m.c <<'E'
#include <stdio.h>
int f(void), g(void); int main(void) { printf("%d %d\n", f(), g()); return 0; }
E
lib libx.so x.c -Wl,--build-id=none
prog main m.c -lx -Wl,--build-id=none
between='lib libx.so x2.c -Wl,--build-id=none; loadcast check app.lcast >/dev/null'
want='refused'
