# Another namespace is not ours.
[ "$1" = dlmopen ] && libc_is_before 2.35 && skip 'ld.so here dies of a new namespace under any auditor'
echo 'static int n; int f(void) { return ++n; }' >x.c
cat >m.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
static int call(void *h) { int (*f)(void) = (int (*)(void))dlsym(h, "f"); return f(); }
int main(void)
{
    void *a = dlopen("./libx.so", RTLD_NOW), *b = dlmopen(LM_ID_NEWLM, "./libx.so", RTLD_NOW);
    printf("%d", call(a)); printf(" %d", call(a)); printf(" %d\n", b ? call(b) : 0);
    return 0;
}
E
sed -i '1i #define _GNU_SOURCE' m.c
lib libx.so x.c
prog main m.c -ldl
