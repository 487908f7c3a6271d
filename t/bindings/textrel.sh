# Text relocations: such objects are left alone.
[ "$(uname -m)" = x86_64 ] || skip 'the assembler code is of x86-64'
cat >x.s <<'E'
.text
.globl f
.type f,@function
f: movabs $g, %rax
   jmp *%rax
.section .note.GNU-stack,"",@progbits
E
echo 'int g(void) { return 8; }' >g.c
cat >m.c <<'E'
#include <stdio.h>
int f(void); int main(void) { printf("%d\n", f()); return 0; }
E
lib libg.so g.c
$cc -shared x.s -o libx.so -L. -lg -Wl,-z,notext -Wl,-rpath,"$PWD" 2>warnings || skip 'the linker refuses text relocations'
prog main m.c -lx -lg
skips='libx.so'
