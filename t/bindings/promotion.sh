# A library that is there already becomes global by RTLD_NOLOAD | RTLD_GLOBAL: no auditor hears of it.
echo 'int f(void) { return 5; }' >a.c
echo 'int f(void) { return 6; }' >b.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    dlopen("./liba.so", RTLD_NOW);
    if (c > 1 && v[1][0] == 'p')
        dlopen("./liba.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E
lib liba.so a.c
lib libb.so b.c
lib libx.so x.c -lb
prog main m.c -ldl
run='$serve ./main p'
