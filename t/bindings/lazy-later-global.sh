# A lazy call whose definition comes from a library opened RTLD_GLOBAL before the first call.
echo 'int f(void) { return 5; }' >a.c
echo 'int f(void) { return 6; }' >b.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_LAZY), "g");
    dlopen("./liba.so", RTLD_LAZY | RTLD_GLOBAL);
    printf("%d\n", g());
    return 0;
}
E
lib liba.so a.c
lib libb.so b.c
lib libx.so x.c -lb -Wl,-z,lazy
prog main m.c -ldl
skips=libx.so
