# No ld.so at all.
cat >m.c <<'E'
#include <stdio.h>
static int a = 4; static int *p = &a; int main(void) { printf("%d\n", *p); return 0; }
E
$cc m.c -o main -static-pie || skip 'no static libraries'
loadcast trace -o /dev/null -- true 2>/dev/null || skip 'without ptrace a static program cannot be recorded'
want='nothing'
