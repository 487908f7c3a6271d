# RTLD_NEXT and RTLD_DEFAULT mean the same as ever: the wrapper of dlopen is no caller.
echo 'int f(void) { return 1; }' >x.c
cat >y.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
int f(void) { int (*n)(void) = (int (*)(void))dlsym(RTLD_NEXT, "f"); return n ? n() + 10 : -1; }
E
cat >m.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int f(void); int main(void) { int (*d)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "f"); printf("%d %d\n", f(), d()); return 0; }
E
lib libx.so x.c
lib liby.so y.c -ldl
prog main m.c -Wl,--no-as-needed -ly -lx -ldl -rdynamic
