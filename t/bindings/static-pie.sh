# No ld.so at all.
cat >m.c <<'E'
#include <stdio.h>
static int a = 4; static int *p = &a; int main(void) { printf("%d\n", *p); return 0; }
E
$cc m.c -o main -static-pie || skip 'no static libraries'
want='nothing'
