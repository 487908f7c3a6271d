# A library bound to a sibling it does not name: closing must keep the sibling alive.
cat >g.c <<'E'
#include <stdio.h>
int g(void) { return 3; }
__attribute__((destructor)) static void down(void) { puts("g gone"); }
E
echo 'int g(void); int f(void) { return g(); }' >x.c
echo 'int f(void), g(void); int r(void) { return f() + g(); }' >r.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *r = dlopen("./libr.so", RTLD_NOW), *x = dlopen("./libx.so", RTLD_NOW);
    printf("%d\n", dlclose(r));
    int (*f)(void) = (int (*)(void))dlsym(x, "f");
    printf("%d\n", f());
    printf("%d\n", dlclose(x));
    return 0;
}
E
lib libg.so g.c
$cc -shared -fPIC x.c -o libx.so
lib libr.so r.c -lx -lg
prog main m.c -ldl
