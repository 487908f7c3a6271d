# A plugin opened by a bare name is found by the RUNPATH of who calls dlopen.
mkdir -p a b
echo 'int f(void) { return 1; }' >f1.c
echo 'int f(void) { return 2; }' >f2.c
cat >x.c <<'E'
#include <dlfcn.h>
int NAME(void) { int (*f)(void) = (int (*)(void))dlsym(dlopen("libf.so", RTLD_NOW), "f"); return f ? f() : -1; }
E
cat >m.c <<'E'
#include <stdio.h>
int fa(void), fb(void); int main(int c, char **v) { (void)v; printf("%d\n", c > 1 ? fb() : fa()); return 0; }
E
$cc -shared -fPIC f1.c -o a/libf.so
$cc -shared -fPIC f2.c -o b/libf.so
lib liba.so x.c -DNAME=fa -Wl,-rpath,"$PWD/a" -ldl
lib libb.so x.c -DNAME=fb -Wl,-rpath,"$PWD/b" -ldl
prog main m.c -la -lb
run='$serve ./main && $serve ./main 1'
