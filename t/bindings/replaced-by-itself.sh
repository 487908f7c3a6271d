# The program closes a library, puts another in its place and opens that.
echo 'int f(void) { return 1; }' >x1.c
echo 'int before[100]; int other(void) { return 7; } int f(void) { return other(); }' >x2.c
cat >m.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
static void call(void)
{
    void *h = dlopen("./libx.so", RTLD_NOW);
    int (*f)(void) = h ? (int (*)(void))dlsym(h, "f") : 0;
    printf("%d\n", f ? f() : -1);
    if (h)
        dlclose(h);
}
int main(void)
{
    call();
    printf("%d\n", rename("new.so", "libx.so"));
    call();
    return 0;
}
C
lib one.so x1.c
lib two.so x2.c
prog main m.c -ldl
cp one.so libx.so
cp two.so new.so
run='cp one.so libx.so; cp two.so new.so; $serve ./main'
want='any'
