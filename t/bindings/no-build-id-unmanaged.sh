# Neither in the image nor with a build-id: not to be told from another, so not replayed.
echo 'int f(void) { return 1; }' >x.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int main(void) { printf("%d\n", f()); return 0; }
E
lib libx.so x.c -Wl,--build-id=none
prog main m.c -lx
unmanaged=1
want='refused'
