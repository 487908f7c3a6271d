# Pointers into the middle of other libraries' data, and behind its end.
echo 'int table[8] = {0, 1, 2, 3, 4, 5, 6, 7};' >x.c
echo 'extern int table[8]; int *middle = table + 3, *behind = table + 8, *before = table - 1; int get(void) { return *middle + behind[-1] + before[1]; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
int get(void); int main(void) { printf("%d\n", get()); return 0; }
E
lib libx.so x.c
lib liby.so y.c -lx
prog main m.c -ly -lx
