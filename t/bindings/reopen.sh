# Closed and opened again: fresh data, the same bindings.
echo 'int g(void); static int n; int f(void) { return ++n + g(); }' >x.c
echo 'static int k = 10; int g(void) { return k++; }' >g.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *h = dlopen("./libx.so", RTLD_NOW);
        int (*f)(void) = (int (*)(void))dlsym(h, "f");
        printf("%d", f()); printf(" %d", f());
        printf(" %d\n", dlclose(h));
    }
    return 0;
}
E
lib libg.so g.c
lib libx.so x.c -lg
prog main m.c -ldl
