# A dlopen that fails half way, then others.
. "$traps/reopen.sh"
echo 'int nowhere(void); int f(void) { return nowhere(); }' >bad.c
echo 'int f(void) { return 1; }' >gone.c
lib libgone.so gone.c
lib libmiss.so bad.c -Wl,--no-as-needed -lgone
rm libgone.so
lib libbad.so bad.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    printf("%d", dlopen("./libbad.so", RTLD_NOW) != 0);
    printf("%d", dlopen("./libmiss.so", RTLD_NOW) != 0);
    printf("%d", dlopen("./none.so", RTLD_NOW | RTLD_GLOBAL) != 0);
    int (*f)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "f");
    printf(" %d\n", f());
    return 0;
}
E
prog main m.c -ldl
want='any'
