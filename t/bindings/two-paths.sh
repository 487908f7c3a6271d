# One library by two paths: a link is the same library, a copy is another.
echo 'static int n; int f(void) { return ++n; }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    const char *name[] = {"./libx.so", "./link.so", "./copy.so"};
    for (int i = 0; i < 3; i++) {
        int (*f)(void) = (int (*)(void))dlsym(dlopen(name[i], RTLD_NOW), "f");
        printf("%d\n", f());
    }
    return 0;
}
E
lib libx.so x.c
ln -sf libx.so link.so
cp libx.so copy.so
prog main m.c -ldl
want='refused other objects'
