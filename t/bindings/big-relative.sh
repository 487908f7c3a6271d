# Ten thousand pointers: RELATIVE relocations, and as many to another library.
$python -c "
print('int f(void); static int a; int *own[10000] = {' + ','.join(['&a'] * 10000) + '};')
print('int (*other[10000])(void) = {' + ','.join(['f'] * 10000) + '};')
print('int sum(void) { int s = 0; a = 1; for (int i = 0; i < 10000; i++) s += *own[i] + other[i](); return s; }')" >x.c
echo 'int f(void) { return 2; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
int sum(void); int main(void) { printf("%d\n", sum()); return 0; }
E
lib liby.so y.c
lib libx.so x.c -ly
prog main m.c -lx
