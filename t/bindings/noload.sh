# RTLD_NOLOAD: asks, opens nothing.
. "$traps/reopen.sh"
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    printf("%d", dlopen("./libx.so", RTLD_NOW | RTLD_NOLOAD) != 0);
    void *h = dlopen("./libx.so", RTLD_NOW);
    printf(" %d", dlopen("./libx.so", RTLD_NOW | RTLD_NOLOAD) == h);
    int (*f)(void) = (int (*)(void))dlsym(h, "f");
    printf(" %d\n", f());
    return 0;
}
E
prog main m.c -ldl
