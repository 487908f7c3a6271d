# Constructors that change pointers: what they wrote is no binding.
cat >x.c <<'E'
int f(void) { return 1; }
int (*p)(void) = f;
int g(void);
__attribute__((constructor)) static void up(void) { p = g; }
int get(void) { return p(); }
E
echo 'int g(void) { return 2; }' >y.c
cat >m.c <<'E'
#include <stdio.h>
int get(void); int main(void) { printf("%d\n", get()); return 0; }
E
lib liby.so y.c
lib libx.so x.c -ly
prog main m.c -lx
