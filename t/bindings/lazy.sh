# Linked with -z lazy, opened RTLD_LAZY, calls many times.
echo 'int g(int); int f(int n) { int s = 0; while (n) s += g(n--); return s; }' >x.c
echo 'int g(int n) { return n * n; }' >g.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void) { int (*f)(int) = (int (*)(int))dlsym(dlopen("./libx.so", RTLD_LAZY), "f"); printf("%d\n", f(1000)); return 0; }
E
lib libg.so g.c -Wl,-z,lazy
lib libx.so x.c -lg -Wl,-z,lazy
prog main m.c -ldl -Wl,-z,lazy
