# Another program under the same name.
echo 'int f(void) { return 1; }' >x.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int main(void) { printf("%d\n", f()); return 0; }
E
lib libx.so x.c
prog main m.c -lx
between='sed -i "s/f()/f() + 5/" m.c; prog main m.c -lx; loadcast check app.lcast >/dev/null'
want='refused this program was not recorded'
