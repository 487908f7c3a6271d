# dlopen found by dlsym in the C library: its flags are not noted.
echo 'int f(void) { return 5; }' >a.c
echo 'int f(void) { return 6; }' >b.c
echo 'int f(void); int g(void) { return f(); }' >x.c
cat >m.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW), *libdl = dlopen("libdl.so.2", RTLD_NOW);
    void *(*open)(const char *, int) = (void *(*)(const char *, int))dlsym(libc, "dlopen");
    if (!open) open = (void *(*)(const char *, int))dlsym(libdl, "dlopen");
    (void)v;
    open("./liba.so", RTLD_NOW | (c > 1 ? RTLD_GLOBAL : 0));
    int (*g)(void) = (int (*)(void))dlsym(dlopen("./libx.so", RTLD_NOW), "g");
    printf("%d\n", g());
    return 0;
}
E
lib liba.so a.c
lib libb.so b.c
lib libx.so x.c -lb
prog main m.c -ldl
pilot='$serve ./main'
run='$serve ./main 1'
want='refused'
