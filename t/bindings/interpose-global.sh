# RTLD_GLOBAL: what was opened so comes before a later library's own needs.
echo 'int f(void) { return 5; }' >a.c
echo 'int f(void) { return 6; }' >b.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    int global = c > 1 && v[1][0] == 'g';
    dlopen("./liba.so", RTLD_NOW | (global ? RTLD_GLOBAL : 0));
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E
lib liba.so a.c
lib libb.so b.c
lib libx.so x.c -lb
prog main m.c -ldl
run='$serve ./main g'
