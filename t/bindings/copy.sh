# COPY relocations: the program's copy is everybody's variable.
cat >x.c <<'E'
int table[4] = {1, 2, 3, 4};
int *p = table;
int sum(void) { return table[0] + table[1] + table[2] + table[3]; }
E
cat >m.c <<'E'
#include <stdio.h>
extern int table[4]; extern int *p; int sum(void);
int main(void) { table[0] = 100; printf("%d %d %d\n", sum(), p == table, p[0]); return 0; }
E
lib libx.so x.c
prog main m.c -lx -no-pie -fno-pie
