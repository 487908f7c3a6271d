# Global libraries closed between: the scope shrinks again.
echo 'int f(void) { return 5; }' >a.c
echo 'int f(void) { return 6; }' >b.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
static void try(void)
{
    void *x = dlopen("./libx.so", RTLD_NOW);
    int (*g)(void) = (int (*)(void))dlsym(x, "g");
    printf("%d\n", g());
    dlclose(x);
}
int main(void)
{
    try();
    void *a = dlopen("./liba.so", RTLD_NOW | RTLD_GLOBAL);
    try();
    dlclose(a);
    try();
    return 0;
}
E
lib liba.so a.c
lib libb.so b.c
lib libx.so x.c -lb
prog main m.c -ldl
