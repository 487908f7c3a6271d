# A library that the recording did not see defines what a recorded one binds to, and becomes global by RTLD_NOLOAD.
. "$traps/promotion.sh"
cat >n.c <<'E2'
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    if (c > 1)
        dlopen("./liba.so", RTLD_NOW);
    if (c > 2)
        dlopen("./liba.so", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E2
prog main n.c -ldl
pilot='$serve ./main'
run='$serve ./main a && $serve ./main a b'
want='refused'
