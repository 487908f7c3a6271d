# After chroot the same path is another library.
[ "$(id -u)" = 0 ] || skip 'not root'
echo 'int f(void) { return 1; }' >x1.c
echo 'int before[100]; int other(void) { return 7; } int f(void) { return other(); }' >x2.c
cat >m.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
static void call(const char *name)
{
    void *h = dlopen(name, RTLD_NOW);
    int (*f)(void) = h ? (int (*)(void))dlsym(h, "f") : 0;
    printf("%d\n", f ? f() : -1);
    if (h)
        dlclose(h);
}
int main(int c, char **v)
{
    (void)c;
    call(v[1]);
    printf("%d\n", chroot(v[2]) || chdir("/"));
    call(v[1]);
    return 0;
}
C
mkdir -p "root$PWD"
$cc -shared -fPIC -nostdlib x1.c -o libx.so
$cc -shared -fPIC -nostdlib x2.c -o "root$PWD/libx.so"
prog main m.c -ldl
run='$serve ./main "$PWD/libx.so" "$PWD/root"'
want='any'
