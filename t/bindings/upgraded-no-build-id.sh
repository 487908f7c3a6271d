# The same without build-ids; and the same .dynamic, only code moved.
cat >x.c <<'E'
__asm__(".globl f\n.type f,@function\nf: movl $1,%eax\nret\n.space 16\n.globl g\n.type g,@function\ng: movl $2,%eax\nret\n");
E
cat >x2.c <<'E'
__asm__(".globl g\n.type g,@function\ng: movl $2,%eax\nret\n.space 16\n.globl f\n.type f,@function\nf: movl $1,%eax\nret\n");
E
cat >m.c <<'E'
#include <stdio.h>
int f(void), g(void); int main(void) { printf("%d %d\n", f(), g()); return 0; }
E
lib libx.so x.c -Wl,--build-id=none
prog main m.c -lx -Wl,--build-id=none
between='lib libx.so x2.c -Wl,--build-id=none; loadcast check app.lcast >/dev/null'
want='refused'
