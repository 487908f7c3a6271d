# RTLD_DEEPBIND turns the scope round: loaded as ever.
echo 'int f(void) { return 1; } int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int f(void) { return 2; }
int main(int c, char **v)
{
    int flags = RTLD_NOW | (c > 1 && v[1][0] == 'd' ? RTLD_DEEPBIND : 0);
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", flags), "g");
    printf("%d\n", g());
    return 0;
}
E
lib libx.so x.c
prog main m.c -ldl -rdynamic
run='$serve ./main d'
want='refused it is opened with RTLD_DEEPBIND'
